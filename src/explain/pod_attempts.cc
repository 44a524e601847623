#include "explain/pod_attempts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "api/codec/wire_time.h"
#include "controllers/job/adapter.h"
#include "engine/policy/failure_policy.h"
#include "explain/pod_account.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::explain {
namespace {

using api::core::v1::ContainerStatus;
using api::core::v1::Pod;
using api::ledger::v1::Attempt;
using api::ledger::v1::AttemptContainer;

void add_container(const ContainerStatus& status, bool init, Attempt& attempt) {
  AttemptContainer& container = *attempt.add_containers();
  container.set_name(status.name());
  container.set_image(status.image());
  container.set_init(init);
  container.set_restarts(status.restart_count());
  const auto& state = status.state();
  if (state.has_terminated()) {
    const auto& end = state.terminated();
    container.set_exit_code(end.exit_code());
    container.set_signal(end.signal());
    container.set_reason(end.reason());
    container.set_message(end.message());
    container.set_oom_killed(end.reason() == "OOMKilled");
    if (end.has_started_at() && !attempt.has_started_at()) {
      *attempt.mutable_started_at() = end.started_at();
    }
  } else if (state.has_waiting()) {
    container.set_reason(state.waiting().reason());
    container.set_message(state.waiting().message());
  }
}

void add_verdict(const SeenPod& seen, Attempt& attempt) {
  auto& verdict = *attempt.mutable_verdict();
  if (!seen.failed()) {
    verdict.set_counted("Succeeded");
    return;
  }
  const RuleRef& rule = seen.account.rule;
  const bool ignored = rule.action == engine::action_name(engine::Action::ignore);
  verdict.set_counted(seen.view.dropped ? "None" : ignored ? "Ignored" : "Failed");
  if (rule.rule >= 0) {
    verdict.set_rule(rule.rule);
    verdict.set_rule_name(rule.name);
    verdict.set_action(rule.action);
  }
}

void add_disruption(const Pod& pod, Attempt& attempt) {
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() == "DisruptionTarget" && condition.status() == "True") {
      attempt.mutable_disruption()->set_reason(condition.reason());
      attempt.mutable_disruption()->set_message(condition.message());
    }
  }
}

ledger::AttemptPtr attempt_of(const engine::JobView& job, const SeenPod& seen, const Pod& pod) {
  auto attempt = std::make_shared<Attempt>();
  attempt->mutable_metadata()->set_namespace_(pod.metadata().namespace_());
  attempt->mutable_metadata()->set_name(pod.metadata().uid());
  attempt->mutable_job()->set_name(job.name);
  attempt->mutable_job()->set_uid(job.uid);
  if (seen.account.index && *seen.account.index <= std::numeric_limits<int32_t>::max()) {
    attempt->set_index(static_cast<int32_t>(*seen.account.index));
  }
  attempt->set_number(static_cast<int32_t>(
      std::min<int64_t>(seen.account.attempt, std::numeric_limits<int32_t>::max())));
  attempt->set_pod_name(pod.metadata().name());
  attempt->set_node_name(pod.spec().node_name());
  attempt->set_phase(pod.status().phase());
  attempt->set_reason(pod.status().reason());
  attempt->set_message(pod.status().message());
  *attempt->mutable_created_at() = pod.metadata().creation_timestamp();
  for (const auto& status : pod.status().init_container_statuses()) {
    add_container(status, true, *attempt);
  }
  for (const auto& status : pod.status().container_statuses()) {
    add_container(status, false, *attempt);
  }
  if (seen.account.ended) {
    api::set_time(*attempt->mutable_ended_at(), *seen.account.ended);
  }
  attempt->set_deciding_container(seen.account.container);
  add_disruption(pod, *attempt);
  add_verdict(seen, *attempt);
  return attempt;
}

}  // namespace

std::vector<ledger::AttemptPtr> attempts_of_pods(const api::Message& job,
                                                 const std::vector<api::ObjectPtr>& pods) {
  const engine::JobView view =
      controllers::job::read_job(static_cast<const api::batch::v1::Job&>(job));
  std::map<std::string, std::shared_ptr<const Pod>> by_uid;
  for (const api::ObjectPtr& object : pods) {
    auto pod = api::object_as<Pod>(object);
    const std::string& uid = pod->metadata().uid();
    by_uid[uid] = std::move(pod);
  }
  std::vector<ledger::AttemptPtr> attempts;
  for (const SeenPod& seen : account_for(view, pods, {})) {
    if (engine::is_terminal(seen.view.phase)) {
      attempts.push_back(attempt_of(view, seen, *by_uid.at(seen.view.uid)));
    }
  }
  return attempts;
}

}  // namespace windlass::explain
