#include "node/container/handler_plan.h"

#include <algorithm>
#include <limits>

#include "base/time.h"
#include "schema/core/v1/container.pb.h"

namespace windlass::node {
namespace {

namespace core = api::core::v1;

uint16_t possible_port(int number) {
  const bool possible = number > 0 && number <= std::numeric_limits<uint16_t>::max();
  return possible ? static_cast<uint16_t>(number) : uint16_t{0};
}

uint16_t read_port(const api::meta::v1::IntOrString& port, const core::Container& container) {
  int number = port.int_val();
  if (port.type() != 0) {
    const auto& ports = container.ports();
    const auto found = std::find_if(ports.begin(), ports.end(), [&port](const auto& each) {
      return each.name() == port.str_val();
    });
    number = found == ports.end() ? 0 : found->container_port();
  }
  return possible_port(number);
}

HandlerPlan read_http(const core::HTTPGetAction& action, const core::Container& container) {
  HandlerPlan plan;
  plan.kind = HandlerPlan::Kind::http;
  plan.tls = action.scheme() == "HTTPS";
  plan.host = action.host();
  plan.port = read_port(action.port(), container);
  plan.path = action.path().empty() ? "/" : action.path();
  for (const core::HTTPHeader& header : action.http_headers()) {
    plan.headers.emplace_back(header.name(), header.value());
  }
  return plan;
}

HandlerPlan read_tcp(const core::TCPSocketAction& action, const core::Container& container) {
  HandlerPlan plan;
  plan.kind = HandlerPlan::Kind::tcp;
  plan.host = action.host();
  plan.port = read_port(action.port(), container);
  return plan;
}

HandlerPlan read_exec(const core::ExecAction& action) {
  HandlerPlan plan;
  plan.command.assign(action.command().begin(), action.command().end());
  return plan;
}

// Nothing for a way to connect that is not here.
std::optional<HandlerPlan> read_grpc(const core::GRPCAction& action) {
  if (!action.mode().empty()) {
    return std::nullopt;
  }
  HandlerPlan plan;
  plan.kind = HandlerPlan::Kind::grpc;
  plan.port = possible_port(action.port());
  plan.service = action.service();
  return plan;
}

template <class Handler>
std::optional<HandlerPlan> read_handler(const Handler& handler, const core::Container& container) {
  if (handler.has_exec()) {
    return read_exec(handler.exec());
  }
  if (handler.has_http_get()) {
    return read_http(handler.http_get(), container);
  }
  if (handler.has_tcp_socket()) {
    return read_tcp(handler.tcp_socket(), container);
  }
  return std::nullopt;
}

int at_least_one(int value) {
  return std::max(value, 1);
}

// Zero stands for the default in an object without its defaults.
std::optional<ProbePlan> read_probe(const core::Probe& probe, const core::Container& container) {
  std::optional<HandlerPlan> handler = probe.handler().has_grpc()
                                           ? read_grpc(probe.handler().grpc())
                                           : read_handler(probe.handler(), container);
  if (!handler) {
    return std::nullopt;
  }
  ProbePlan plan;
  plan.handler = *std::move(handler);
  plan.initial_delay = seconds(std::max(probe.initial_delay_seconds(), 0));
  plan.period = probe.period_seconds() > 0 ? seconds(probe.period_seconds()) : plan.period;
  plan.timeout = seconds(at_least_one(probe.timeout_seconds()));
  plan.success_threshold = at_least_one(probe.success_threshold());
  plan.failure_threshold =
      probe.failure_threshold() > 0 ? probe.failure_threshold() : plan.failure_threshold;
  if (probe.has_termination_grace_period_seconds()) {
    plan.grace = bounded_seconds(probe.termination_grace_period_seconds());
  }
  return plan;
}

std::optional<HandlerPlan> read_hook(const core::LifecycleHandler& hook,
                                     const core::Container& container) {
  if (hook.has_sleep()) {
    HandlerPlan plan;
    plan.kind = HandlerPlan::Kind::sleep;
    plan.pause = bounded_seconds(hook.sleep().seconds());
    return plan;
  }
  return read_handler(hook, container);
}

}  // namespace

ContainerChecks read_checks(const api::Message& message) {
  const auto& container = static_cast<const core::Container&>(message);
  ContainerChecks checks;
  if (container.has_startup_probe()) {
    checks.startup = read_probe(container.startup_probe(), container);
  }
  if (container.has_liveness_probe()) {
    checks.liveness = read_probe(container.liveness_probe(), container);
  }
  if (container.has_readiness_probe()) {
    checks.readiness = read_probe(container.readiness_probe(), container);
  }
  if (container.lifecycle().has_post_start()) {
    checks.post_start = read_hook(container.lifecycle().post_start(), container);
  }
  if (container.lifecycle().has_pre_stop()) {
    checks.pre_stop = read_hook(container.lifecycle().pre_stop(), container);
  }
  return checks;
}

}  // namespace windlass::node
