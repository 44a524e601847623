#include "node/probes/pod_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "node/container/environment.h"

namespace windlass::node {
namespace {

constexpr int kFirstGoodStatus = 200;
constexpr int kFirstBadStatus = 400;

const ProbePlan& plan_for(const ContainerChecks& checks, ProbeKind kind) {
  switch (kind) {
    case ProbeKind::startup:
      return *checks.startup;
    case ProbeKind::liveness:
      return *checks.liveness;
    default:
      return *checks.readiness;
  }
}

// $(NAME) in a probe's command is the container's variable.
Result<HandlerPlan> expanded(HandlerPlan plan, const std::vector<std::string>& environment) {
  if (std::none_of(plan.command.begin(), plan.command.end(),
                   [](const std::string& word) { return word.find("$(") != std::string::npos; })) {
    return plan;
  }
  Variables values;
  for (const std::string& variable : environment) {
    const size_t equals = variable.find('=');
    if (equals != std::string::npos) {
      values.emplace(variable.substr(0, equals), variable.substr(equals + 1));
    }
  }
  ArgumentRoom room;
  for (std::string& word : plan.command) {
    TRY(word, room.expand("the probe's command", word, values));
  }
  return plan;
}

HandlerResult judge(const HandlerResult& result) {
  const int status = result.http_status;
  if (status != 0 && (status < kFirstGoodStatus || status >= kFirstBadStatus)) {
    return {HandlerResult::Outcome::failed,
            fmt::format("HTTP probe failed with statuscode: {}", status), status};
  }
  return result;
}

}  // namespace

std::string_view probe_title(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::startup:
      return "Startup";
    case ProbeKind::liveness:
      return "Liveness";
    default:
      return "Readiness";
  }
}

std::string_view probe_word(ProbeKind kind) {
  switch (kind) {
    case ProbeKind::startup:
      return "startup";
    case ProbeKind::liveness:
      return "liveness";
    default:
      return "readiness";
  }
}

PodProbes::PodProbes(Host host) : host_(std::move(host)) {}

PodProbes::~PodProbes() {
  end_all();
}

void PodProbes::begin(size_t container, const ContainerChecks& checks, Duration age,
                      ProbeState::Before before) {
  end(container);
  const MonotonicTime run_start = host_.clock.monotonic() - std::max(age, Duration::zero());
  ProbeState state(checks, run_start, before);
  if (!state.idle()) {
    watched_.emplace(container, Watched{&checks, std::move(state), {}});
    arm();
  }
}

void PodProbes::end(size_t container) {
  if (watched_.erase(container) > 0) {
    arm();
  }
}

void PodProbes::end_all() {
  watched_.clear();
  arm();
}

void PodProbes::arm() {
  host_.executor.cancel(std::exchange(timer_, env::TimerId::none));
  std::optional<MonotonicTime> next;
  for (const auto& [container, watched] : watched_) {
    if (const auto due = watched.state.next_due()) {
      next = std::min(next.value_or(*due), *due);
    }
  }
  if (next) {
    timer_ = host_.executor.schedule(*next - host_.clock.monotonic(), [this] {
      timer_ = env::TimerId::none;
      ask_due();
    });
  }
}

void PodProbes::ask_due() {
  const MonotonicTime now = host_.clock.monotonic();
  for (auto& [container, watched] : watched_) {
    for (const ProbeKind kind : watched.state.take_due(now)) {
      ask(container, watched, kind);
    }
  }
  arm();
}

void PodProbes::ask(size_t container, Watched& watched, ProbeKind kind) {
  const ProbePlan& plan = plan_for(*watched.checks, kind);
  const Result<HandlerTarget> target = host_.target(container);
  const Result<HandlerPlan> handler =
      target ? expanded(plan.handler, target->environment) : fail(target.error());
  if (!handler) {
    host_.on_unhealthy(
        container, fmt::format("{} probe errored: {}", probe_title(kind), handler.error().message));
    watched.state.record(kind, ProbeAnswer::none, host_.clock.monotonic());
    return;
  }
  watched.under_way[kind] = host_.handlers.run(
      *handler, *target, plan.timeout,
      [this, container, kind](const HandlerResult& result) { on_answer(container, kind, result); });
}

void PodProbes::on_answer(size_t container, ProbeKind kind, const HandlerResult& result) {
  const auto found = watched_.find(container);
  if (found == watched_.end()) {
    return;
  }
  Watched& watched = found->second;
  const HandlerRunner::Handle answered = std::exchange(watched.under_way[kind], nullptr);
  const HandlerResult judged = judge(result);
  ProbeAnswer answer = ProbeAnswer::success;
  if (judged.outcome != HandlerResult::Outcome::done) {
    const bool failed = judged.outcome == HandlerResult::Outcome::failed;
    answer = failed ? ProbeAnswer::failure : ProbeAnswer::none;
    host_.on_unhealthy(container, fmt::format("{} probe {}: {}", probe_title(kind),
                                              failed ? "failed" : "errored", judged.message));
  }
  const auto effect = watched.state.record(kind, answer, host_.clock.monotonic());
  arm();
  if (effect == ProbeState::Effect::kill) {
    host_.on_kill(container, kind);
  } else if (effect == ProbeState::Effect::changed) {
    host_.on_change(container, watched.state);
  }
}

}  // namespace windlass::node
