#include "cli/logs/run_logs.h"

#include <fmt/format.h>

#include <utility>

#include "cli/flags/flags.h"
#include "cli/output/text.h"

namespace windlass::cli {

void declare_log_flags(Flags& flags, RunLogOptions& options) {
  flags.optional_value(
      "--logs", "[=failed]",
      "Print the output of the pods while they run, each line with its pod; with =failed only the "
      "last lines of each pod that fails",
      [&options](const std::string& text) -> Result<void> {
        if (!text.empty() && text != "failed") {
          return fail(plain_error(
              fmt::format("invalid --logs \"{}\": must be --logs or --logs=failed", text)));
        }
        options.show = text.empty() ? RunLogOptions::Show::all : RunLogOptions::Show::failed;
        return {};
      });
  flags.text("--log-dir DIR", options.directory,
             "Keep the output of each attempt in DIR/JOB/INDEX.ATTEMPT.CONTAINER.log");
}

RunLogs::RunLogs(env::Env env, Output& output, Output::Stream stream, RunLogOptions::Show show,
                 std::shared_ptr<LogFiles> files, const std::string& default_namespace)
    : output_(output),
      files_(std::move(files)),
      printer_(output, stream,
               output.is_terminal(stream) ? LogPrinter::Form::shown : LogPrinter::Form::exact),
      keeper_(files_ ? std::make_unique<LogKeeper>(*files_, output, default_namespace) : nullptr),
      failures_(env.files),
      follower_(env.executor, env.files, consumers(show)) {}

std::vector<LogConsumer*> RunLogs::consumers(RunLogOptions::Show show) {
  std::vector<LogConsumer*> all;
  if (show == RunLogOptions::Show::all) {
    all.push_back(&printer_);
  }
  if (keeper_) {
    all.push_back(keeper_.get());
  }
  return all;
}

void RunLogs::pod_seen(const api::core::v1::Pod& pod) {
  if (keeper_) {
    keeper_->pod_seen(pod);
  }
}

void RunLogs::pod_gone(const std::string& uid) {
  if (keeper_) {
    keeper_->pod_gone(uid);
  }
}

void RunLogs::on_container_started(const node::ContainerLog& log) {
  follower_.on_container_started(log);
}

void RunLogs::on_container_ended(const node::ContainerLog& log, int exit_code) {
  failures_.on_container_ended(log, exit_code);
  follower_.on_container_ended(log, exit_code);
}

void RunLogs::conclude() {
  if (keeper_ && keeper_->incomplete() > 0) {
    output_.err(fmt::format("warning: {} in the log directory {} incomplete\n",
                            counted(keeper_->incomplete(), "file"),
                            keeper_->incomplete() == 1 ? "is" : "are"));
  }
}

}  // namespace windlass::cli
