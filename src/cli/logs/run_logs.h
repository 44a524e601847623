// What `windlass run` does with the logs of containers: stream them, keep them in files, and show
// the last lines of failed ones. The observer of the cluster's nodes. Lives on the executor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/logs/failure_logs.h"
#include "cli/logs/log_follower.h"
#include "cli/logs/log_keeper.h"
#include "cli/logs/log_printer.h"
#include "env/env.h"

namespace windlass::cli {

class Flags;

struct RunLogOptions {
  enum class Show { none, all, failed };

  Show show = Show::none;
  std::string directory = {};  // "": none
};

// --logs and --log-dir
void declare_log_flags(Flags& flags, RunLogOptions& options);

class RunLogs final : public node::ContainerObserver {
 public:
  // `files` may be null. `output` and what is in `env` outlive this.
  RunLogs(env::Env env, Output& output, Output::Stream stream, RunLogOptions::Show show,
          std::shared_ptr<LogFiles> files, const std::string& default_namespace);

  void pod_seen(const api::core::v1::Pod& pod);
  void pod_gone(const std::string& uid);

  void on_container_started(const node::ContainerLog& log) override;
  void on_container_ended(const node::ContainerLog& log, int exit_code) override;

  const FailureLogs& failures() const { return failures_; }
  // Prints how many logs are incomplete, if any is.
  void conclude();

 private:
  std::vector<LogConsumer*> consumers(RunLogOptions::Show show);

  Output& output_;
  const std::shared_ptr<LogFiles> files_;
  LogPrinter printer_;
  std::unique_ptr<LogKeeper> keeper_;
  FailureLogs failures_;
  LogFollower follower_;
};

}  // namespace windlass::cli
