#include "verify/simulation/snapshots.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "api/codec/wire_time.h"
#include "api/job/job_constants.h"
#include "client/object_identity.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::verify::simulation {
namespace {

using Job = api::batch::v1::Job;
using Pod = api::core::v1::Pod;
using Rule = api::batch::v1::PodFailurePolicyRule;

template <class Conditions>
std::vector<ConditionSnapshot> read_conditions(const Conditions& conditions) {
  std::vector<ConditionSnapshot> facts;
  for (const auto& condition : conditions) {
    facts.push_back({condition.type(), condition.status(), condition.reason(), condition.message(),
                     api::time_of(condition.last_transition_time())});
  }
  return facts;
}

IndexSet read_indexes(std::string_view text) {
  return IndexSet::parse_stored(text, std::numeric_limits<int32_t>::max()).set;
}

int64_t number_of(const Pod& pod, std::string_view annotation) {
  const auto found = pod.metadata().annotations().find(std::string(annotation));
  return found == pod.metadata().annotations().end() ? 0 : std::atoll(found->second.c_str());
}

// `2` or `500m`.
template <class Amounts>
int64_t read_milli_cpu(const Amounts& amounts) {
  const auto found = amounts.find("cpu");
  if (found == amounts.end()) {
    return 0;
  }
  const std::string& text = found->second.string();
  return std::atoll(text.c_str()) * (text.ends_with('m') ? 1 : 1000);
}

void read_status(const api::batch::v1::JobStatus& status, JobSnapshot& facts) {
  facts.conditions = read_conditions(status.conditions());
  if (status.has_start_time()) {
    facts.start = api::time_of(status.start_time());
  }
  if (status.has_completion_time()) {
    facts.completion = api::time_of(status.completion_time());
  }
  facts.active = status.active();
  facts.ready = status.ready();
  facts.terminating = status.terminating();
  facts.succeeded = status.succeeded();
  facts.failed = status.failed();
  facts.completed_text = status.completed_indexes();
  facts.failed_text = status.failed_indexes();
  facts.completed_indexes = read_indexes(facts.completed_text);
  facts.failed_indexes = read_indexes(facts.failed_text);
  const auto& uncounted = status.uncounted_terminated_pods();
  facts.uncounted_succeeded.assign(uncounted.succeeded().begin(), uncounted.succeeded().end());
  facts.uncounted_failed.assign(uncounted.failed().begin(), uncounted.failed().end());
}

// P2: terminated containers that did not exit 0; the app's own first.
bool exit_codes_match(const Rule& rule, const Pod& pod) {
  const auto& wanted = rule.on_exit_codes();
  const auto matches = [&wanted](const auto& statuses) {
    return std::any_of(statuses.begin(), statuses.end(), [&wanted](const auto& container) {
      if (!container.state().has_terminated() || container.state().terminated().exit_code() == 0 ||
          (wanted.has_container_name() && wanted.container_name() != container.name())) {
        return false;
      }
      const bool listed = std::count(wanted.values().begin(), wanted.values().end(),
                                     container.state().terminated().exit_code()) > 0;
      return listed == (wanted.operator_() == "In");
    });
  };
  return matches(pod.status().container_statuses()) ||
         matches(pod.status().init_container_statuses());
}

bool conditions_match(const Rule& rule, const Pod& pod) {
  const auto& patterns = rule.on_pod_conditions();
  return std::any_of(patterns.begin(), patterns.end(), [&pod](const auto& pattern) {
    return std::any_of(pod.status().conditions().begin(), pod.status().conditions().end(),
                       [&pattern](const auto& condition) {
                         return condition.type() == pattern.type() &&
                                condition.status() == pattern.status();
                       });
  });
}

}  // namespace

const ConditionSnapshot* find_condition(const std::vector<ConditionSnapshot>& conditions,
                                        std::string_view type) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(),
                   [type](const ConditionSnapshot& condition) { return condition.type == type; });
  return found == conditions.end() ? nullptr : &*found;
}

bool has_true(const std::vector<ConditionSnapshot>& conditions, std::string_view type) {
  const ConditionSnapshot* condition = find_condition(conditions, type);
  return condition != nullptr && condition->status == "True";
}

JobSnapshot read_job_snapshot(const api::ObjectPtr& object) {
  const auto job = api::object_as<Job>(object);
  const auto& spec = job->spec();
  JobSnapshot facts;
  facts.object = object;
  facts.uid = job->metadata().uid();
  facts.key = client::key_of(*job);
  facts.version = client::version_number(job->metadata().resource_version());
  facts.generation = job->metadata().generation();
  facts.deleting = job->metadata().has_deletion_timestamp();
  facts.parallelism = spec.parallelism();
  const auto optional = [](bool has, auto value) {
    return has ? std::optional(value) : std::nullopt;
  };
  facts.completions = optional(spec.has_completions(), spec.completions());
  facts.indexed = spec.completion_mode() == api::kIndexed;
  facts.backoff_limit = spec.backoff_limit();
  facts.per_index = optional(spec.has_backoff_limit_per_index(), spec.backoff_limit_per_index());
  facts.max_failed_indexes = optional(spec.has_max_failed_indexes(), spec.max_failed_indexes());
  facts.deadline = optional(spec.has_active_deadline_seconds(), spec.active_deadline_seconds());
  facts.ttl = optional(spec.has_ttl_seconds_after_finished(), spec.ttl_seconds_after_finished());
  facts.suspend = spec.suspend();
  facts.has_policy = spec.has_pod_failure_policy();
  api::FieldErrors mistakes;
  facts.policy = api::read_job_policy(*job, mistakes);
  facts.restarts = spec.template_().spec().restart_policy() == api::kRestartOnFailure;
  facts.replace_failed = spec.pod_replacement_policy() == api::kReplaceFailed;
  facts.managed_by = spec.managed_by();
  const auto& annotations = job->metadata().annotations();
  if (const auto completed = annotations.find("windlass.dev/completed-indexes");
      completed != annotations.end()) {
    facts.completed_at_start = completed->second;
  }
  read_status(job->status(), facts);
  return facts;
}

PodSnapshot read_pod_snapshot(const api::ObjectPtr& object) {
  const auto pod = api::object_as<Pod>(object);
  const auto& meta = pod->metadata();
  PodSnapshot facts;
  facts.object = object;
  facts.uid = meta.uid();
  facts.key = client::key_of(*pod);
  facts.version = client::version_number(meta.resource_version());
  for (const auto& owner : meta.owner_references()) {
    if (owner.controller() && owner.kind() == "Job") {
      facts.job = owner.uid();
    }
  }
  facts.phase = pod->status().phase();
  facts.node = pod->spec().node_name();
  facts.deleting = meta.has_deletion_timestamp();
  facts.finalizer = std::count(meta.finalizers().begin(), meta.finalizers().end(),
                               api::kJobTrackingFinalizer) > 0;
  facts.dropped = meta.annotations().contains("windlass.dev/dropped");
  if (meta.annotations().contains(std::string(api::kCompletionIndexKey))) {
    facts.index = static_cast<int32_t>(number_of(*pod, api::kCompletionIndexKey));
  }
  facts.failure_count = number_of(*pod, api::kIndexFailureCountAnnotation);
  facts.ignored_count = number_of(*pod, api::kIndexIgnoredFailureCountAnnotation);
  facts.conditions = read_conditions(pod->status().conditions());
  for (const auto& container : pod->spec().containers()) {
    facts.milli_cpu += read_milli_cpu(container.resources().requests());
  }
  for (const auto& container : pod->status().container_statuses()) {
    facts.restarts += container.restart_count();
    if (container.state().has_terminated() && container.state().terminated().has_finished_at()) {
      const Time at = api::time_of(container.state().terminated().finished_at());
      facts.finished_at = std::max(facts.finished_at.value_or(at), at);
    }
  }
  return facts;
}

NodeSnapshot read_node_snapshot(const api::Message& message) {
  const auto& node = static_cast<const api::core::v1::Node&>(message);
  NodeSnapshot facts;
  facts.name = node.metadata().name();
  facts.milli_cpu = read_milli_cpu(node.status().allocatable());
  for (const auto& condition : node.status().conditions()) {
    facts.ready = condition.type() == "Ready" ? condition.status() : facts.ready;
  }
  for (const auto& taint : node.spec().taints()) {
    facts.evicts |= taint.effect() == "NoExecute";
    facts.life_taint |= taint.key() == "node.kubernetes.io/not-ready" ||
                        taint.key() == "node.kubernetes.io/unreachable";
  }
  return facts;
}

std::optional<size_t> matching_rule(const api::Message& job, const api::Message& pod) {
  const auto& the_job = static_cast<const Job&>(job);
  const auto& the_pod = static_cast<const Pod&>(pod);
  size_t index = 0;
  for (const Rule& rule : the_job.spec().pod_failure_policy().rules()) {
    if (rule.has_on_exit_codes() ? exit_codes_match(rule, the_pod)
                                 : conditions_match(rule, the_pod)) {
      return index;
    }
    ++index;
  }
  return std::nullopt;
}

std::string matching_action(const api::Message& job, const api::Message& pod) {
  const auto rule = matching_rule(job, pod);
  const auto& rules = static_cast<const Job&>(job).spec().pod_failure_policy().rules();
  return rule ? rules[static_cast<int>(*rule)].action() : std::string();
}

}  // namespace windlass::verify::simulation
