#include "explain/waits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/time.h"
#include "engine/engine.h"
#include "engine/pods/pod_factory.h"
#include "engine/policy/backoff.h"
#include "engine/policy/failure_policy.h"
#include "engine/state/record.h"
#include "engine/status/conditions.h"
#include "explain/pod_text.h"

namespace windlass::explain {
namespace {

using Kind = Wait::Kind;

constexpr int64_t kMaxIndexesAsked = 100'000;

bool is_about(const WaitInput& input, const SeenPod& pod) {
  return !input.index || pod.account.index == input.index->index;
}

std::string pod_words(const SeenPod& pod) {
  return pod.account.index ? fmt::format("pod {} (index {})", pod.view.name, *pod.account.index)
                           : fmt::format("pod {}", pod.view.name);
}

// Adds one wait per pod for which `words` finds something to say, and one line for the rest.
template <class Words>
void add_pods(const WaitInput& input, Kind kind, Words words, std::vector<Wait>& waits) {
  size_t more = 0;
  size_t named = 0;
  for (const SeenPod& pod : input.pods) {
    const std::string text = is_about(input, pod) ? words(pod) : "";
    if (text.empty()) {
      continue;
    }
    if (named == kMaxPodsNamed) {
      ++more;
      continue;
    }
    ++named;
    const bool ahead = pod.view.deletion_time && *pod.view.deletion_time > input.now;
    waits.push_back({kind, pod_words(pod) + text, ahead ? pod.view.deletion_time : std::nullopt,
                     pod.view.name});
  }
  if (more > 0) {
    waits.push_back({kind, fmt::format("{} more pods for the same reason", more), {}, ""});
  }
}

void add_terminating(const WaitInput& input, Kind kind, std::string_view why,
                     std::vector<Wait>& waits) {
  add_pods(
      input, kind,
      [&input, why](const SeenPod& pod) {
        if (!pod.terminating()) {
          return std::string();
        }
        const bool late = *pod.view.deletion_time <= input.now && !pod.account.node.empty();
        return fmt::format(" is terminating{}{}", why,
                           late ? fmt::format("; it should have ended by now: node {0} may be "
                                              "unreachable, or a finalizer holds the pod. If the "
                                              "node is gone for good, delete Node {0} or taint it "
                                              "with node.kubernetes.io/out-of-service",
                                              pod.account.node)
                                : "");
      },
      waits);
}

void add_pending(const WaitInput& input, std::vector<Wait>& waits) {
  add_pods(
      input, Kind::pod_pending,
      [](const SeenPod& pod) {
        const bool waits_for_something = pod.active() && !pod.account.text.empty();
        return waits_for_something ? fmt::format(" is not running: {}", pod.account.text) : "";
      },
      waits);
}

// What the pods that are still there say, and what the engine's record says beside that.
engine::JobRecord record_of(const WaitInput& input) {
  engine::JobRecord shown;
  for (const SeenPod& pod : input.pods) {
    if (pod.view.phase == engine::Phase::succeeded) {
      shown.backoff.add_success(latest_instant(engine::finish_time(pod.view), input.now));
    } else if (pod.failed()) {
      shown.add_failure(input.job.spec, pod.account.rule.rule,
                        latest_instant(engine::finish_time(pod.view), input.now));
    }
  }
  return engine::merge_record(shown, engine::parse_record(input.job.record), true);
}

bool ignores_some(const WaitInput& input) {
  return std::any_of(input.pods.begin(), input.pods.end(), [](const SeenPod& pod) {
    return pod.failed() && pod.account.rule.action == engine::action_name(engine::Action::ignore);
  });
}

void add_job_backoff(const WaitInput& input, std::vector<Wait>& waits) {
  const engine::JobRecord record = record_of(input);
  const engine::RetryDelay delay = record.delay(input.job.spec, input.options);
  if (delay.at > input.now) {
    waits.push_back({Kind::backoff,
                     "backoff after " + failures_text(delay.failures, ignores_some(input)),
                     delay.at, ""});
  }
}

void add_index_backoff(const WaitInput& input, std::vector<Wait>& waits) {
  engine::Engine engine(input.options, input.job);
  engine.begin_list();
  for (const SeenPod& pod : input.pods) {
    engine.observe_pod(pod.view, input.now);
  }
  engine.end_list();
  const int64_t end = std::min<int64_t>(input.job.spec.completions.value_or(0), kMaxIndexesAsked);
  size_t more = 0;
  size_t named = 0;
  for (int64_t index = 0; index < end; ++index) {
    const auto until = engine.state().held_until(index);
    if (!until || *until <= input.now || (input.index && input.index->index != index)) {
      continue;
    }
    if (named == kMaxPodsNamed) {
      ++more;
      continue;
    }
    ++named;
    const engine::IndexFailures failures = engine.state().index_failures(index);
    waits.push_back({Kind::backoff,
                     fmt::format("backoff of index {} after failure {}", index,
                                 failures.counted + failures.ignored),
                     until, ""});
  }
  if (more > 0) {
    waits.push_back({Kind::backoff, fmt::format("backoff of {} more indexes", more), {}, ""});
  }
}

void add_running(const WaitInput& input, std::vector<Wait>& waits) {
  const auto running = std::count_if(input.pods.begin(), input.pods.end(), [&](const auto& pod) {
    return is_about(input, pod) && pod.active() && pod.view.phase == engine::Phase::running;
  });
  if (running > 0) {
    waits.push_back(
        {Kind::running,
         fmt::format("{} {} to end", running, running == 1 ? "running pod" : "running pods"),
         {},
         ""});
  }
}

bool wants_more_pods(const WaitInput& input) {
  return std::count_if(input.pods.begin(), input.pods.end(), [](const SeenPod& pod) {
           return pod.active();
         }) < input.job.spec.parallelism;
}

// Of a Job about which nothing else is known.
Wait controller_wait(const engine::JobView& job) {
  const std::string& manager = job.spec.managed_by;
  if (manager.empty() || manager == engine::kBuiltInManager) {
    return {Kind::controller, "its controller", {}, ""};
  }
  return {Kind::other_manager,
          fmt::format("the controller {}, which spec.managedBy names", manager),
          {},
          ""};
}

}  // namespace

std::vector<Wait> find_waits(const WaitInput& input) {
  std::vector<Wait> waits;
  if (engine::is_finished(input.job.status)) {
    return waits;
  }
  if (input.job.deleting) {
    waits.push_back({Kind::deletion, "its deletion", {}, ""});
    add_terminating(input, Kind::deletion, "", waits);
    return waits;
  }
  if (engine::has_true(input.job.status, engine::kTypeFailureTarget) ||
      engine::has_true(input.job.status, engine::kTypeSuccessCriteriaMet)) {
    waits.push_back({Kind::ending, "its pods to end: the outcome is known", {}, ""});
    add_terminating(input, Kind::ending, "", waits);
    return waits;
  }
  // A user has to act first, whichever controller manages it; nothing else matters until then.
  if (input.job.spec.suspend) {
    waits.push_back({Kind::suspended, "a user to resume it: spec.suspend is true", {}, ""});
    add_terminating(input, Kind::suspended, "", waits);
    return waits;
  }
  add_pending(input, waits);
  if (input.job.spec.replace_only_failed) {
    add_terminating(input, Kind::replacement,
                    ", and is replaced only when it has ended (podReplacementPolicy: Failed)",
                    waits);
  }
  if (input.job.spec.backoff_limit_per_index) {
    add_index_backoff(input, waits);
  } else {
    add_job_backoff(input, waits);
  }
  if (waits.empty() && !input.create_error.empty() && wants_more_pods(input)) {
    waits.push_back(
        {Kind::create_failed, "pods that cannot be created: " + input.create_error, {}, ""});
  }
  add_running(input, waits);
  if (waits.empty()) {
    waits.push_back(controller_wait(input.job));
  }
  return waits;
}

}  // namespace windlass::explain
