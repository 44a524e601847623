#include "node/container/container_stops.h"

#include <algorithm>
#include <csignal>
#include <utility>

namespace windlass::node {

ContainerStops::ContainerStops(Host host) : host_(std::move(host)) {}

ContainerStops::~ContainerStops() {
  for (const auto& [container, stop] : stops_) {
    host_.executor.cancel(stop.timer);
  }
}

void ContainerStops::begin(size_t container, const std::string& run_id, const HandlerPlan* hook,
                           Duration grace) {
  const MonotonicTime now = host_.clock.monotonic();
  const MonotonicTime hook_until = now + grace;
  const MonotonicTime kill_at = now + std::max(grace, host_.minimum_grace);
  const auto [found, is_new] = stops_.try_emplace(container);
  Stop& stop = found->second;
  if (!is_new && stop.hook_until <= hook_until) {
    return;  // grace may only shrink (K-30)
  }
  stop.hook_until = hook_until;
  stop.kill_at = kill_at;
  if (is_new) {
    stop.run_id = run_id;
    if (hook != nullptr && grace > Duration::zero()) {
      start_hook(container, stop, *hook);
    }
  }
  step(container);
}

void ContainerStops::start_hook(size_t container, Stop& stop, const HandlerPlan& hook) {
  const Result<HandlerTarget> target = host_.target(container);
  if (!target) {
    host_.on_hook_failed(container);
    return;
  }
  stop.hook = host_.handlers.run(hook, *target, stop.hook_until - host_.clock.monotonic(),
                                 [this, container](const HandlerResult& result) {
                                   const auto found = stops_.find(container);
                                   if (found == stops_.end() || found->second.hook == nullptr) {
                                     return;
                                   }
                                   const HandlerRunner::Handle over =
                                       std::exchange(found->second.hook, nullptr);
                                   if (result.outcome != HandlerResult::Outcome::done) {
                                     host_.on_hook_failed(container);
                                   }
                                   step(container);
                                 });
}

void ContainerStops::let_go(size_t container) {
  if (const auto found = stops_.find(container);
      found != stops_.end() && !std::exchange(found->second.may_go, true)) {
    step(container);
  }
}

void ContainerStops::step(size_t container) {
  Stop& stop = stops_.at(container);
  const MonotonicTime now = host_.clock.monotonic();
  if (!stop.signalled && stop.may_go && stop.hook == nullptr) {
    stop.signalled = now;
    host_.containers.signal(stop.run_id, host_.stop_signal(container));
  }
  const MonotonicTime next = stop.signalled
                                 ? std::max(stop.kill_at, *stop.signalled + host_.minimum_grace)
                                 : stop.hook_until;
  host_.executor.cancel(stop.timer);
  stop.timer = host_.executor.schedule(next - now, [this, container] { on_time(container); });
}

// Before the signal: neither the hook nor others are waited for any more. After it: enough.
void ContainerStops::on_time(size_t container) {
  Stop& stop = stops_.at(container);
  stop.timer = env::TimerId::none;
  if (stop.signalled) {
    host_.containers.signal(stop.run_id, SIGKILL);
    return;
  }
  if (std::exchange(stop.hook, nullptr) != nullptr) {
    host_.on_hook_failed(container);
  }
  stop.may_go = true;
  step(container);
}

void ContainerStops::forget(size_t container) {
  if (const auto found = stops_.find(container); found != stops_.end()) {
    host_.executor.cancel(found->second.timer);
    stops_.erase(found);
  }
}

}  // namespace windlass::node
