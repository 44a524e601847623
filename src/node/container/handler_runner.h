// Carries out what a probe or a hook says, once: a command in the container, a request, a
// connection, a pause. Lives on the executor that containers and checks call back on.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "env/containers.h"
#include "env/executor.h"
#include "env/network_checks.h"
#include "node/container/handler_plan.h"

namespace windlass::node {

// The container that a handler is for.
struct HandlerTarget {
  std::string run_id;
  std::vector<std::string> environment;
  std::string working_directory;
  std::optional<uint32_t> uid;
  std::optional<uint32_t> gid;
  std::string address;  // of the pod
};

struct HandlerResult {
  enum class Outcome {
    done,
    failed,
    error,  // it could not be tried; nothing is known
  };
  Outcome outcome = Outcome::done;
  std::string message = {};  // of a failure or an error
  int http_status = 0;       // of an answer
};

class HandlerRunner {
 public:
  using OnDone = std::function<void(const HandlerResult&)>;
  using Handle = std::shared_ptr<void>;

  // `network` may be null: then nothing can be reached.
  HandlerRunner(env::Executor& executor, env::Containers& containers, env::NetworkChecks* network)
      : executor_(executor), containers_(containers), network_(network) {}

  // `on_done` runs once, later, unless the handle is dropped before. What takes longer than
  // `timeout` has failed.
  [[nodiscard]] Handle run(const HandlerPlan& plan, const HandlerTarget& target, Duration timeout,
                           OnDone on_done);

 private:
  class Pending;

  void run_exec(const HandlerPlan& plan, const HandlerTarget& target, Duration timeout,
                const std::shared_ptr<Pending>& pending);
  void run_network(const HandlerPlan& plan, const HandlerTarget& target, Duration timeout,
                   const std::shared_ptr<Pending>& pending);
  void ask_health(const HandlerPlan& plan, const std::string& host, Duration timeout,
                  const std::shared_ptr<Pending>& pending);

  env::Executor& executor_;
  env::Containers& containers_;
  env::NetworkChecks* network_;
};

}  // namespace windlass::node
