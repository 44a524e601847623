// Attempts as an API server tells them, which `windlass up` does: for readers that are not in its
// process. Lives on the client's executor.
#pragma once

#include <functional>
#include <string>

#include "client/api_client.h"
#include "ledger/ledger.h"

namespace windlass::ledger {

class ApiAttemptSource final : public AttemptSource {
 public:
  // The client outlives it, and answers calls that are under way even after it is gone.
  explicit ApiAttemptSource(client::ApiClient& client) : client_(client) {}

  // A server without a ledger answers 404.
  void find(const AttemptFilter& filter, size_t limit, const std::string& continue_token,
            std::function<void(Result<AttemptPage>)> done) override;

 private:
  client::ApiClient& client_;
};

}  // namespace windlass::ledger
