// A ledger in memory for tests: records at once, or refuses when the test says so, and answers on
// the executor it is given. Also the plainest reading of what AttemptSource promises, to compare
// others with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "env/executor.h"
#include "ledger/ledger.h"

namespace windlass::ledger {

class MemoryLedger final : public Ledger, public AttemptSource {
 public:
  explicit MemoryLedger(env::Executor& core) : core_(core) {}

  void record(AttemptPtr attempt, std::function<void(Result<void>)> done) override;
  void find(const AttemptFilter& filter, size_t limit, const std::string& continue_token,
            std::function<void(Result<AttemptPage>)> done) override;

  // The same as find(), at once.
  Result<AttemptPage> page(const AttemptFilter& filter, size_t limit,
                           const std::string& continue_token) const;
  // All of them, in the order in which they were first recorded.
  std::vector<AttemptPtr> all() const;
  // nullptr when there is none.
  AttemptPtr of_pod(const std::string& uid) const;

  // From now on every record is answered with this error; nullopt ends it.
  void refuse(std::optional<Status> why) { refusal_ = std::move(why); }
  // From now on records are answered only by release().
  void hold() { held_ = true; }
  void release();

 private:
  struct Waiting {
    AttemptPtr attempt;
    std::function<void(Result<void>)> done;
  };
  void take(Waiting waiting);

  env::Executor& core_;
  std::map<std::string, uint64_t> sequence_of_;  // by pod UID
  std::map<uint64_t, AttemptPtr> records_;       // in the order they were first recorded
  std::optional<Status> refusal_;
  std::vector<Waiting> waiting_;
  bool held_ = false;
  WeakSelf<MemoryLedger> self_{this};
};

}  // namespace windlass::ledger
