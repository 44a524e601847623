#include "explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "base/index_set.h"
#include "controllers/job/adapter.h"
#include "engine/pods/pod_factory.h"
#include "engine/status/conditions.h"
#include "explain/pod_account.h"
#include "explain/pod_text.h"
#include "explain/verdict_text.h"
#include "explain/waits.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::explain {
namespace {

using State = Explanation::State;

constexpr std::string_view kWaitsForNextAttempt = "waits for its next attempt";

struct JobConclusion {
  State state = State::unfinished;
  const engine::Condition* condition = nullptr;
};

JobConclusion outcome_of(const engine::JobStatus& status) {
  const std::pair<std::string_view, State> conditions[] = {
      {engine::kTypeComplete, State::complete},
      {engine::kTypeFailed, State::failed},
      {engine::kTypeSuccessCriteriaMet, State::completing},
      {engine::kTypeFailureTarget, State::failing},
  };
  for (const auto& [type, state] : conditions) {
    if (const engine::Condition* condition = engine::true_condition(status, type)) {
      return {state, condition};
    }
  }
  return {};
}

IndexSet stored_indexes(std::string_view text) {
  return IndexSet::parse_stored(text, std::numeric_limits<int32_t>::max()).set;
}

bool contains(std::string_view text, const std::optional<int64_t>& index) {
  return index && *index <= std::numeric_limits<int32_t>::max() &&
         stored_indexes(text).contains(static_cast<int32_t>(*index));
}

// The failed pod that ended last among those that `fits`.
template <class Fits>
std::optional<PodAccount> last_failed(const std::vector<SeenPod>& pods, Fits fits) {
  const SeenPod* last = nullptr;
  for (const SeenPod& pod : pods) {
    const bool later = last == nullptr || pod.account.ended >= last->account.ended;
    if (pod.failed() && fits(pod.account) && later) {
      last = &pod;
    }
  }
  return last == nullptr ? std::nullopt : std::optional(last->account);
}

// The condition names the pod, also when it is gone.
std::optional<PodAccount> decided_by_rule(const engine::JobView& job, const std::string& message,
                                          const std::vector<SeenPod>& pods) {
  const auto said = parse_verdict(message);
  if (!said) {
    return last_failed(pods, [](const PodAccount& pod) { return pod.rule.action == "FailJob"; });
  }
  PodAccount account;
  account.present = false;
  for (const SeenPod& pod : pods) {
    if (pod.view.name == said->pod) {
      account = pod.account;
    }
  }
  account.name = said->pod;
  account.container = said->container.empty() ? account.container : said->container;
  account.exit_code = said->exit_code ? said->exit_code : account.exit_code;
  account.condition = said->condition;
  account.rule = rule_ref(job, said->rule);
  account.rule.action = said->action;
  return account;
}

// Which pod it was. Deadlines and successes are no pod's doing.
std::optional<PodAccount> find_decider(const engine::JobView& job, const JobConclusion& outcome,
                                       const std::vector<SeenPod>& pods) {
  if (outcome.state != State::failed && outcome.state != State::failing) {
    return std::nullopt;
  }
  const std::string& reason = outcome.condition->reason;
  if (reason.starts_with(engine::kReasonPodFailurePolicy)) {  // with a rule's name, if that is on
    return decided_by_rule(job, outcome.condition->message, pods);
  }
  if (reason.starts_with(engine::kReasonRuleBudget)) {
    const std::string spent = reason.substr(engine::kReasonRuleBudget.size());
    return last_failed(pods, [&spent](const PodAccount& pod) {
      return pod.rule.rule >= 0 &&
             (spent == "_" + pod.rule.name || spent == "_" + std::to_string(pod.rule.rule));
    });
  }
  if (reason == engine::kReasonBackoffLimit) {
    return last_failed(pods, [](const PodAccount& pod) { return pod.rule.action == "Count"; });
  }
  if (reason == engine::kReasonFailedIndexes || reason == engine::kReasonMaxFailedIndexes) {
    const engine::SharedText failed = job.status.failed_indexes.value_or("");
    return last_failed(pods, [&](const PodAccount& pod) { return contains(failed, pod.index); });
  }
  return std::nullopt;
}

Counts count(const engine::JobView& job, const std::vector<SeenPod>& pods) {
  Counts counts;
  counts.succeeded = job.status.succeeded;
  if (job.spec.completions) {
    counts.completions = *job.spec.completions;
  }
  counts.failed = job.status.failed;
  counts.active = job.status.active;
  counts.terminating = job.status.terminating.value_or(static_cast<int32_t>(std::count_if(
      pods.begin(), pods.end(), [](const SeenPod& pod) { return pod.terminating(); })));
  counts.completed_indexes = job.status.completed_indexes.str();
  counts.failed_indexes = job.status.failed_indexes.value_or("").str();
  return counts;
}

// In the order of the policy; what no rule matches comes last.
std::vector<RuleCount> count_rules(const std::vector<SeenPod>& pods) {
  std::vector<RuleCount> counts;
  for (const SeenPod& pod : pods) {
    if (!pod.failed()) {
      continue;
    }
    const auto found = std::find_if(counts.begin(), counts.end(), [&pod](const RuleCount& each) {
      return each.rule == pod.account.rule;
    });
    if (found == counts.end()) {
      counts.push_back({pod.account.rule, 1});
    } else {
      ++found->pods;
    }
  }
  const auto place = [](const RuleCount& each) {
    return each.rule.rule < 0 ? std::numeric_limits<int32_t>::max() : each.rule.rule;
  };
  std::sort(counts.begin(), counts.end(),
            [&](const RuleCount& a, const RuleCount& b) { return place(a) < place(b); });
  return counts;
}

// The pods of an index are called after it: demo-3-x7k2p.
bool was_created(const engine::JobView& job, int64_t index,
                 const std::vector<std::string>& created_pods) {
  const std::string begin = fmt::format("{}-{}-", job.name, index);
  return std::any_of(created_pods.begin(), created_pods.end(),
                     [&begin](const std::string& name) { return name.starts_with(begin); });
}

std::string index_state(const engine::JobView& job, const IndexAccount& account,
                        const std::vector<const SeenPod*>& pods,
                        const std::vector<std::string>& created_pods) {
  if (contains(job.status.completed_indexes, account.index)) {
    return "succeeded";
  }
  if (contains(job.status.failed_indexes.value_or(""), account.index)) {
    return "failed";
  }
  for (const SeenPod* pod : pods) {
    if (pod->active()) {
      return pod->view.phase == engine::Phase::running ? "running" : "pending";
    }
  }
  const bool had_pods = !pods.empty() || was_created(job, account.index, created_pods);
  return had_pods ? std::string(kWaitsForNextAttempt) : "not started";
}

IndexAccount account_for_index(const engine::JobView& job, int64_t index,
                               const std::vector<SeenPod>& pods,
                               const std::vector<std::string>& created_pods) {
  IndexAccount account;
  account.index = index;
  if (job.spec.backoff_limit_per_index) {
    account.limit = *job.spec.backoff_limit_per_index;
  }
  std::vector<const SeenPod*> mine;
  for (const SeenPod& pod : pods) {
    if (pod.account.index != index) {
      continue;
    }
    mine.push_back(&pod);
    account.pods.push_back(pod.account);
    if (pod.failed()) {
      (pod.account.rule.action == "Ignore" ? account.ignored_failures : account.failures) += 1;
    }
  }
  account.state = index_state(job, account, mine, created_pods);
  return account;
}

}  // namespace

std::vector<api::ObjectPtr> silent_pods(const Evidence& evidence, std::optional<int64_t> index) {
  std::vector<std::pair<engine::PodView, api::ObjectPtr>> silent;
  for (const api::ObjectPtr& object : evidence.pods) {
    const auto pod = api::object_as<api::core::v1::Pod>(object);
    if (!is_silent(*pod)) {
      continue;
    }
    engine::PodView view = controllers::job::read_pod(*pod, engine::kTrackingFinalizer);
    if (!index || engine::parse_index(view.completion_index) == *index) {
      silent.emplace_back(std::move(view), object);
    }
  }
  std::sort(silent.begin(), silent.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first.created, a.first.name) < std::tie(b.first.created, b.first.name);
  });
  std::vector<api::ObjectPtr> pods;
  for (size_t i = 0; i < std::min(silent.size(), kMaxPodsNamed); ++i) {
    pods.push_back(std::move(silent[i].second));
  }
  return pods;
}

std::string index_error(const Evidence& evidence, int64_t index) {
  const engine::JobView job = controllers::job::read_job(*evidence.job);
  if (job.spec.mode != engine::CompletionMode::indexed) {
    return fmt::format("job.batch/{} has no indexes: its completionMode is NonIndexed", job.name);
  }
  const int64_t completions = job.spec.completions.value_or(0);
  return index < completions
             ? ""
             : fmt::format(
                   "job.batch/{} has no index {}: it has {}", job.name, index,
                   completions == 0 ? "none" : fmt::format("indexes 0 to {}", completions - 1));
}

Explanation explain(const Evidence& evidence, std::optional<int64_t> index) {
  const engine::JobView job = controllers::job::read_job(*evidence.job);
  const std::vector<SeenPod> pods = account_for(job, evidence.pods, evidence.pod_warnings);
  const JobConclusion outcome = outcome_of(job.status);
  Explanation out;
  out.ns = job.namespace_name;
  out.name = job.name;
  out.state = outcome.state;
  if (outcome.condition != nullptr) {
    out.reason = outcome.condition->reason;
    out.message = outcome.condition->message;
    out.since = outcome.condition->last_transition;
  }
  out.decider = find_decider(job, outcome, pods);
  out.counts = count(job, pods);
  out.rules = count_rules(pods);
  if (index) {
    out.index = account_for_index(job, *index, pods, evidence.created_pods);
  }
  out.waits =
      find_waits({job, pods, evidence.create_error, evidence.options, evidence.now, out.index});
  if (out.index) {
    const auto waits = std::find_if(out.waits.begin(), out.waits.end(), [](const Wait& wait) {
      return wait.kind == Wait::Kind::backoff;
    });
    out.index->retry_at = waits == out.waits.end() ? std::nullopt : waits->until;
    // With a limit per index the wait is its own, after a pod that may be gone.
    if (out.index->retry_at && job.spec.backoff_limit_per_index) {
      out.index->state = kWaitsForNextAttempt;
    }
  }
  return out;
}

std::optional<LogSource> log_source(const Explanation& explanation) {
  if (explanation.index) {
    for (auto pod = explanation.index->pods.rbegin(); pod != explanation.index->pods.rend();
         ++pod) {
      if (pod->phase == "Failed") {
        return LogSource{pod->name, pod->container};
      }
    }
    return std::nullopt;
  }
  if (!explanation.decider || !explanation.decider->present) {
    return std::nullopt;
  }
  return LogSource{explanation.decider->name, explanation.decider->container};
}

}  // namespace windlass::explain
