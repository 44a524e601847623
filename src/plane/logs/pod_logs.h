// `kubectl logs` from the files of nodes that share this process's data directory (api.md
// P100-P104): once, or followed until the container has ended, in pieces and never faster than the
// client reads them. Lives on env.executor; a log in transit belongs to its exchange, and ends with
// this at the latest.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/rest/hooks.h"
#include "apiserver/server.h"
#include "base/weak_self.h"
#include "env/env.h"
#include "http/handler.h"

namespace windlass::plane {

class PodLogs {
 public:
  // The data directory of a node, if it shares that of this process.
  using FindNode = std::function<std::optional<std::string>(const std::string& node)>;

  PodLogs(env::Env env, apiserver::Server& server, FindNode find_node);
  ~PodLogs();
  PodLogs(const PodLogs&) = delete;
  PodLogs& operator=(const PodLogs&) = delete;

  void read(const apiserver::LogRequest& request, const std::shared_ptr<http::Exchange>& exchange);

 private:
  class Sender;

  // The error for a node that does not.
  Status no_logs_of(const std::string& node);

  env::Env env_;
  apiserver::Server& server_;
  FindNode find_node_;
  WeakSelf<PodLogs> self_{this};  // last, so that it is the first member to go
};

}  // namespace windlass::plane
