#include "explain/pod_account.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "controllers/job/adapter.h"
#include "engine/pods/pod_factory.h"
#include "engine/policy/backoff.h"
#include "engine/policy/failure_policy.h"
#include "explain/pod_text.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::explain {
namespace {

using api::core::v1::Pod;

// A controller that spec.managedBy names must not use the built-in one's
// (cli/controller_options.h).
std::string_view tracking_finalizer(const engine::JobView& job) {
  const bool built_in =
      job.spec.managed_by.empty() || job.spec.managed_by == engine::kBuiltInManager;
  return built_in ? engine::kTrackingFinalizer : "windlass.dev/job-tracking";
}

int64_t count_in(const std::optional<std::string>& annotation) {
  int64_t count = 0;
  if (annotation) {
    std::from_chars(annotation->data(), annotation->data() + annotation->size(), count);
  }
  return std::max<int64_t>(count, 0);
}

void judge(const engine::JobView& job, const engine::PodView& pod, PodAccount& account) {
  account.rule.action = engine::action_name(engine::Action::count);
  const engine::RuleMatch match = engine::judge_failed_pod(job, pod);
  if (match.rule >= 0) {
    account.rule = rule_ref(job, match.rule);
    account.condition = match.condition != nullptr ? match.condition->type : "";
  }
  if (const auto* container = engine::deciding_container(match, pod); container != nullptr) {
    account.container = container->name;
    account.exit_code = container->exit_code;
  }
}

PodAccount account_of(const engine::JobView& job, const engine::PodView& view, const Pod& pod) {
  PodAccount account;
  account.name = view.name;
  account.node = pod.spec().node_name();
  account.phase = pod.status().phase();
  if (const int64_t index = engine::parse_index(view.completion_index); index != engine::kNoIndex) {
    account.index = index;
  }
  if (engine::is_terminal(view.phase)) {
    account.ended = engine::finish_time(view);
  }
  if (view.phase == engine::Phase::failed) {
    account.text = pod_failure_text(pod);
    judge(job, view, account);
  } else if (view.phase == engine::Phase::pending) {
    account.text = pod_waiting_text(pod);
    account.text = account.text.empty() ? pod_unstarted_text(pod) : account.text;
  }
  return account;
}

}  // namespace

RuleRef rule_ref(const engine::JobView& job, int32_t rule) {
  RuleRef ref;
  ref.rule = rule;
  if (job.spec.failure_policy && rule >= 0 &&
      static_cast<size_t>(rule) < job.spec.failure_policy->size()) {
    const engine::FailureRule& found = (*job.spec.failure_policy)[static_cast<size_t>(rule)];
    ref.name = found.name.value_or("");
    ref.action = engine::action_name(found.action);
  }
  return ref;
}

std::vector<SeenPod> account_for(const engine::JobView& job,
                                 const std::vector<api::ObjectPtr>& pods,
                                 const std::map<std::string, std::string>& warnings) {
  std::vector<SeenPod> seen;
  for (const api::ObjectPtr& object : pods) {
    const auto pod = api::object_as<Pod>(object);
    engine::PodView view = controllers::job::read_pod(*pod, tracking_finalizer(job));
    PodAccount account = account_of(job, view, *pod);
    if (const auto warning = warnings.find(pod->metadata().uid());
        warning != warnings.end() && is_silent(*pod)) {
      account.text += ": " + warning->second;
    }
    seen.push_back({std::move(view), std::move(account)});
  }
  std::sort(seen.begin(), seen.end(), [](const SeenPod& a, const SeenPod& b) {
    return std::tie(a.view.created, a.view.name) < std::tie(b.view.created, b.view.name);
  });
  // With limits per index a pod says how many failed before it; elsewhere those are counted that
  // are still there.
  std::map<std::optional<int64_t>, int64_t> failed_before;
  for (SeenPod& pod : seen) {
    const int64_t told =
        count_in(pod.view.failure_count) + count_in(pod.view.ignored_failure_count);
    int64_t& before = failed_before[pod.account.index];
    pod.account.attempt = 1 + std::max(told, before);
    before = std::max(told, before) + (pod.failed() ? 1 : 0);
  }
  return seen;
}

}  // namespace windlass::explain
