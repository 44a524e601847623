// Where a server keeps no attempts: finds none, as a server without a ledger answers. Lives on the
// core executor, which outlives it.
#pragma once

#include <functional>
#include <string>

#include "env/executor.h"
#include "ledger/ledger.h"

namespace windlass::ledger {

class NoAttemptSource final : public AttemptSource {
 public:
  explicit NoAttemptSource(env::Executor& executor) : executor_(executor) {}

  void find(const AttemptFilter& /*filter*/, size_t /*limit*/,
            const std::string& /*continue_token*/,
            std::function<void(Result<AttemptPage>)> done) override {
    executor_.post([done = std::move(done)] {
      done(fail(Status{404, "NotFound", "the server has no ledger of attempts", {}}));
    });
  }

 private:
  env::Executor& executor_;
};

}  // namespace windlass::ledger
