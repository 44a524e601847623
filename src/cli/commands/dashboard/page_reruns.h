// Reruns that pages ask for: what `windlass rerun` does, with its answer for a page. Lives on the
// core executor; all it is given outlives it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "cli/commands/rerun.h"
#include "client/api_client.h"
#include "dashboard/viewer.h"
#include "env/executor.h"
#include "ledger/ledger.h"

namespace windlass::cli {

class PageReruns {
 public:
  PageReruns(env::Executor& executor, client::ApiClient& api, ledger::AttemptSource& attempts,
             RerunSession::ReadText read_text);
  ~PageReruns();
  PageReruns(const PageReruns&) = delete;
  PageReruns& operator=(const PageReruns&) = delete;

  // Answers with the name of the new Job.
  void run(const dashboard::RerunOrder& order, client::Done<std::string> done);

 private:
  struct Running;

  void finish(uint64_t id, bool created);

  env::Executor& executor_;
  client::ApiClient& api_;
  ledger::AttemptSource& attempts_;
  RerunSession::ReadText read_text_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::unique_ptr<Running>> running_;
  WeakSelf<PageReruns> self_{this};
};

}  // namespace windlass::cli
