#include "node/container/handler_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "base/utf8.h"
#include "node/probes/grpc_health.h"

namespace windlass::node {
namespace {

using Outcome = HandlerResult::Outcome;

// A command that has just been killed for its time answers first.
constexpr Duration kExecPatience = seconds(2);
// Of what a command printed: it becomes an event, which holds little more.
constexpr size_t kMaxOutputBytes = 900;

std::string host_and_port(const std::string& host, uint16_t port) {
  const bool v6 = host.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

std::string command_text(const std::vector<std::string>& command) {
  return quote(fmt::format("{}", fmt::join(command, " ")));
}

HandlerResult exec_result(const Result<env::ContainerExecResult>& done,
                          const std::vector<std::string>& command, Duration timeout) {
  if (!done) {
    return {Outcome::error, done.error().message};
  }
  if (done->timed_out) {
    return {Outcome::failed, fmt::format("command timed out: {} timed out after {}",
                                         command_text(command), format_duration(timeout))};
  }
  return done->code == 0 ? HandlerResult()
                         : HandlerResult{Outcome::failed, readable(done->output, kMaxOutputBytes)};
}

}  // namespace

// What the caller holds. It has at most one callback under way, which holds it weakly.
class HandlerRunner::Pending : public std::enable_shared_from_this<Pending> {
 public:
  Pending(env::Executor& executor, OnDone on_done)
      : executor_(executor), on_done_(std::move(on_done)) {}
  ~Pending() { executor_.cancel(timer_); }
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;

  void hold(env::NetworkChecks::Handle check) { check_ = std::move(check); }
  void finish_after(Duration delay, HandlerResult result) {
    timer_ = executor_.schedule(delay, [this, result = std::move(result)] { finish(result); });
  }
  void finish(const HandlerResult& result) {
    const auto self = shared_from_this();
    executor_.cancel(std::exchange(timer_, env::TimerId::none));
    if (const OnDone done = std::exchange(on_done_, nullptr)) {
      done(result);
    }
  }

 private:
  env::Executor& executor_;
  OnDone on_done_;
  env::NetworkChecks::Handle check_;
  env::TimerId timer_ = env::TimerId::none;
};

HandlerRunner::Handle HandlerRunner::run(const HandlerPlan& plan, const HandlerTarget& target,
                                         Duration timeout, OnDone on_done) {
  const auto pending = std::make_shared<Pending>(executor_, std::move(on_done));
  switch (plan.kind) {
    case HandlerPlan::Kind::sleep:
      pending->finish_after(std::min(plan.pause, timeout),
                            plan.pause <= timeout
                                ? HandlerResult()
                                : HandlerResult{Outcome::failed, "the pause was cut short"});
      break;
    case HandlerPlan::Kind::exec:
      run_exec(plan, target, timeout, pending);
      break;
    case HandlerPlan::Kind::http:
    case HandlerPlan::Kind::tcp:
    case HandlerPlan::Kind::grpc:
      run_network(plan, target, timeout, pending);
      break;
  }
  return pending;
}

void HandlerRunner::run_exec(const HandlerPlan& plan, const HandlerTarget& target, Duration timeout,
                             const std::shared_ptr<Pending>& pending) {
  env::ContainerExec exec;
  exec.id = target.run_id;
  exec.command = plan.command;
  exec.environment = target.environment;
  exec.working_directory = target.working_directory;
  exec.timeout = timeout;
  exec.uid = target.uid;
  exec.gid = target.gid;
  // The supervisor enforces the timeout; without its answer the handler ends here, too.
  pending->finish_after(timeout + kExecPatience,
                        {Outcome::failed, "command timed out: no answer from the supervisor"});
  containers_.exec(exec, [weak = std::weak_ptr<Pending>(pending), command = plan.command,
                          timeout](const Result<env::ContainerExecResult>& done) {
    if (const auto asked = weak.lock()) {
      asked->finish(exec_result(done, command, timeout));
    }
  });
}

void HandlerRunner::run_network(const HandlerPlan& plan, const HandlerTarget& target,
                                Duration timeout, const std::shared_ptr<Pending>& pending) {
  if (network_ == nullptr || plan.port == 0) {
    pending->finish_after(
        Duration::zero(),
        {Outcome::error, network_ == nullptr ? "this node cannot reach networks"
                                             : "the container has no port of that name"});
    return;
  }
  const std::string& host = plan.host.empty() ? target.address : plan.host;
  if (plan.kind == HandlerPlan::Kind::grpc) {
    return ask_health(plan, host, timeout, pending);
  }
  const std::weak_ptr<Pending> weak = pending;
  if (plan.kind == HandlerPlan::Kind::tcp) {
    pending->hold(network_->connect(
        host, plan.port, timeout,
        [weak, where = host_and_port(host, plan.port)](const Result<void>& connected) {
          if (const auto asked = weak.lock()) {
            asked->finish(
                connected ? HandlerResult()
                          : HandlerResult{Outcome::failed, fmt::format("dial tcp {}: {}", where,
                                                                       connected.error().message)});
          }
        }));
    return;
  }
  const std::string url = fmt::format("{}://{}{}", plan.tls ? "https" : "http",
                                      host_and_port(host, plan.port), plan.path);
  pending->hold(network_->get(
      {plan.tls, host, plan.port, plan.path, plan.headers}, timeout,
      [weak, url](const Result<int>& status) {
        if (const auto asked = weak.lock()) {
          asked->finish(status
                            ? HandlerResult{Outcome::done, "", *status}
                            : HandlerResult{Outcome::failed, fmt::format("Get {}: {}", quote(url),
                                                                         status.error().message)});
        }
      }));
}

void HandlerRunner::ask_health(const HandlerPlan& plan, const std::string& host, Duration timeout,
                               const std::shared_ptr<Pending>& pending) {
  pending->hold(network_->ask_health(
      {host, plan.port, plan.service}, timeout,
      [weak = std::weak_ptr<Pending>(pending), where = host_and_port(host, plan.port),
       timeout](const env::GrpcHealth& health) {
        if (const auto asked = weak.lock()) {
          const std::string problem =
              readable(health_problem(health, where, timeout), kMaxOutputBytes);
          asked->finish(problem.empty() ? HandlerResult()
                                        : HandlerResult{Outcome::failed, problem});
        }
      }));
}

}  // namespace windlass::node
