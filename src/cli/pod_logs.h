// `kubectl logs` from the files of nodes that share this process's data directory (api.md
// P100-P104): once, or followed until the container has ended, in pieces and never faster than the
// client takes them. Lives on env.executor; a log being sent belongs to its exchange, and all end
// with this.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/rest/hooks.h"
#include "apiserver/server.h"
#include "env/env.h"
#include "http/handler.h"

namespace windlass::cli {

class PodLogs {
 public:
  // The data directory of a node, if it is one of ours.
  using FindNode = std::function<std::optional<std::string>(const std::string& node)>;

  PodLogs(env::Env env, apiserver::Server& server, FindNode find_node);
  ~PodLogs();
  PodLogs(const PodLogs&) = delete;
  PodLogs& operator=(const PodLogs&) = delete;

  void read(const apiserver::LogRequest& request, const std::shared_ptr<http::Exchange>& exchange);

 private:
  class Sender;

  // Why there are none of a node that is not one of ours.
  Status no_logs_of(const std::string& node);

  env::Env env_;
  apiserver::Server& server_;
  FindNode find_node_;
  std::shared_ptr<bool> alive_;  // those being sent hold it weakly
};

}  // namespace windlass::cli
