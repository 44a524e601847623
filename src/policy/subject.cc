#include "policy/subject.h"

#include "controllers/job/adapter.h"
#include "controllers/job/controller.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::policy {
namespace {

namespace core = api::core::v1;

void add_containers(const core::PodSpec& spec, std::vector<ContainerInfo>& out) {
  for (const core::Container& container : spec.containers()) {
    out.push_back({container.name(), false, false, api::read_own_restart(container)});
  }
  for (const core::Container& container : spec.init_containers()) {
    out.push_back({container.name(), true, container.restart_policy() == "Always",
                   api::read_own_restart(container)});
  }
}

bool runs_on_windows(const core::PodSpec& spec) {
  const auto selected = spec.node_selector().find("kubernetes.io/os");
  return spec.os().name() == "windows" ||
         (selected != spec.node_selector().end() && selected->second == "windows");
}

}  // namespace

const std::vector<engine::FailureRule>& Subject::rules() const {
  static const std::vector<engine::FailureRule> none;
  return job.spec.failure_policy ? *job.spec.failure_policy : none;
}

bool Subject::per_index() const {
  return job.spec.backoff_limit_per_index.has_value() &&
         job.spec.mode == engine::CompletionMode::indexed && options.gates.backoff_limit_per_index;
}

Subject read_subject(const api::Message& object, const api::FeatureGates& gates) {
  const auto& message = static_cast<const api::batch::v1::Job&>(object);
  Subject subject;
  subject.job = controllers::job::read_job(message);
  subject.job.status = {};
  // A Job that is yet to be created may bring the failures of the one that it runs again.
  if (!message.metadata().uid().empty()) {
    subject.job.record.clear();
  }
  subject.job.deleting = false;
  if (subject.job.name.empty()) {
    subject.job.name = message.metadata().generate_name();
  }
  if (subject.job.namespace_name.empty()) {
    subject.job.namespace_name = "default";
  }
  subject.options = controllers::job::engine_options(gates);
  subject.disruption_conditions = gates.enabled(api::Feature::pod_disruption_conditions);
  const core::PodSpec& spec = message.spec().template_().spec();
  add_containers(spec, subject.containers);
  subject.restart_policy = api::read_restart_policy(spec.restart_policy());
  subject.windows = runs_on_windows(spec);
  subject.unsupported =
      api::unsupported_fields(api::FieldPath("spec").child("template").child("spec"), spec);
  if (message.spec().has_ttl_seconds_after_finished()) {
    subject.ttl_seconds_after_finished = message.spec().ttl_seconds_after_finished();
  }
  const auto& annotations = message.metadata().annotations();
  if (const auto found = annotations.find(kLintIgnoreKey); found != annotations.end()) {
    subject.lint_ignore = found->second;
  }
  return subject;
}

}  // namespace windlass::policy
