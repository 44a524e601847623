// Pods: read_pod, owner_job_uid, make_pod, remove_tracking_finalizer.
#include <algorithm>

#include "api/codec/wire_time.h"
#include "client/object_identity.h"
#include "controllers/job/adapter.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::job {

namespace {

namespace core = api::core::v1;
using ObjectMeta = api::meta::v1::ObjectMeta;

bool has_finalizer(const ObjectMeta& metadata, std::string_view finalizer) {
  return std::find(metadata.finalizers().begin(), metadata.finalizers().end(), finalizer) !=
         metadata.finalizers().end();
}

std::optional<std::string> annotation(const ObjectMeta& metadata, std::string_view key) {
  const auto found = metadata.annotations().find(std::string(key));
  return found == metadata.annotations().end() ? std::nullopt : std::optional(found->second);
}

engine::Phase read_phase(const std::string& text) {
  const std::pair<const char*, engine::Phase> phases[] = {
      {"Pending", engine::Phase::pending},
      {"Running", engine::Phase::running},
      {"Succeeded", engine::Phase::succeeded},
      {"Failed", engine::Phase::failed},
      {"", engine::Phase::pending},
  };
  for (const auto& [name, phase] : phases) {
    if (text == name) {
      return phase;
    }
  }
  return engine::Phase::unknown;
}

engine::ContainerView read_container(const core::ContainerStatus& status, bool init, bool sidecar) {
  engine::ContainerView view;
  view.name = status.name();
  view.init = init;
  view.sidecar = sidecar;
  view.terminated = status.state().has_terminated();
  view.exit_code = status.state().terminated().exit_code();
  if (status.state().terminated().has_finished_at()) {
    view.finished_at = api::time_of(status.state().terminated().finished_at());
  }
  view.restarts = status.restart_count();
  return view;
}

void read_containers(const core::Pod& pod, std::vector<engine::ContainerView>& out) {
  for (const core::ContainerStatus& status : pod.status().container_statuses()) {
    out.push_back(read_container(status, false, false));
  }
  for (const core::ContainerStatus& status : pod.status().init_container_statuses()) {
    const auto& inits = pod.spec().init_containers();
    const bool sidecar =
        std::any_of(inits.begin(), inits.end(), [&status](const core::Container& container) {
          return container.name() == status.name() && container.restart_policy() == "Always";
        });
    out.push_back(read_container(status, true, sidecar));
  }
}

// 4.11: unless the container has a variable of this name already.
void add_index_variable(core::Container& container) {
  const auto& env = container.env();
  if (std::any_of(env.begin(), env.end(), [](const core::EnvVar& variable) {
        return variable.name() == engine::kIndexEnvName;
      })) {
    return;
  }
  core::EnvVar& variable = *container.add_env();
  variable.set_name(std::string(engine::kIndexEnvName));
  variable.mutable_value_from()->mutable_field_ref()->set_field_path(
      std::string(engine::kIndexEnvFieldPath));
}

const api::meta::v1::OwnerReference* controller_of(const api::Message& pod) {
  const auto& owners = api::metadata_of(pod).owner_references();
  const auto found = std::find_if(owners.begin(), owners.end(),
                                  [](const auto& owner) { return owner.controller(); });
  return found == owners.end() ? nullptr : &*found;
}

const api::meta::v1::OwnerReference* owner_job(const api::Message& pod) {
  const auto* owner = controller_of(pod);
  return owner != nullptr && owner->kind() == "Job" ? owner : nullptr;
}

}  // namespace

void add_owner(api::Message& pod, const std::string& job_name, const std::string& job_uid) {
  api::meta::v1::OwnerReference& owner = *api::mutable_metadata_of(pod).add_owner_references();
  owner.set_api_version("batch/v1");
  owner.set_kind("Job");
  owner.set_name(job_name);
  owner.set_uid(job_uid);
  owner.set_controller(true);
  owner.set_block_owner_deletion(true);
}

const api::Outline& pod_outline() {
  using Terminated = core::ContainerStateTerminated;
  static const api::Outline containers = {
      {core::ContainerStatus::kNameFieldNumber},
      {core::ContainerStatus::kRestartCountFieldNumber},
      {core::ContainerStatus::kStateFieldNumber,
       {{core::ContainerState::kTerminatedFieldNumber,
         {{Terminated::kExitCodeFieldNumber}, {Terminated::kFinishedAtFieldNumber}}}}}};
  static const api::Outline outline = {
      {core::Pod::kMetadataFieldNumber,
       {{ObjectMeta::kNameFieldNumber},
        {ObjectMeta::kNamespaceFieldNumber},
        {ObjectMeta::kUidFieldNumber},
        {ObjectMeta::kResourceVersionFieldNumber},
        {ObjectMeta::kCreationTimestampFieldNumber},
        {ObjectMeta::kDeletionTimestampFieldNumber},
        {ObjectMeta::kDeletionGracePeriodSecondsFieldNumber},
        {ObjectMeta::kLabelsFieldNumber},
        {ObjectMeta::kAnnotationsFieldNumber},
        {ObjectMeta::kOwnerReferencesFieldNumber},
        {ObjectMeta::kFinalizersFieldNumber}}},
      {core::Pod::kSpecFieldNumber,
       {{core::PodSpec::kNodeNameFieldNumber},
        {core::PodSpec::kInitContainersFieldNumber,
         {{core::Container::kNameFieldNumber}, {core::Container::kRestartPolicyFieldNumber}}}}},
      {core::Pod::kStatusFieldNumber,
       {{core::PodStatus::kPhaseFieldNumber},
        {core::PodStatus::kConditionsFieldNumber,
         {{core::PodCondition::kTypeFieldNumber},
          {core::PodCondition::kStatusFieldNumber},
          {core::PodCondition::kLastTransitionTimeFieldNumber}}},
        {core::PodStatus::kContainerStatusesFieldNumber, containers},
        {core::PodStatus::kInitContainerStatusesFieldNumber, containers}}}};
  return outline;
}

engine::PodView read_pod(const api::Message& message, std::string_view finalizer) {
  const auto& pod = static_cast<const core::Pod&>(message);
  const ObjectMeta& metadata = pod.metadata();
  engine::PodView view;
  view.uid = metadata.uid();
  view.name = metadata.name();
  view.rv = client::version_number(metadata.resource_version());
  view.phase = read_phase(pod.status().phase());
  view.created = api::time_of(metadata.creation_timestamp());
  if (metadata.has_deletion_timestamp()) {
    view.deletion_time = api::time_of(metadata.deletion_timestamp());
    view.deletion_grace_seconds = metadata.deletion_grace_period_seconds();
  }
  view.has_finalizer = has_finalizer(metadata, finalizer);
  view.has_node = !pod.spec().node_name().empty();
  view.completion_index = annotation(metadata, engine::kCompletionIndexKey);
  view.failure_count = annotation(metadata, engine::kIndexFailureCountKey);
  view.ignored_failure_count = annotation(metadata, engine::kIndexIgnoredFailureCountKey);
  view.dropped = annotation(metadata, engine::kDroppedKey).has_value();
  for (const core::PodCondition& condition : pod.status().conditions()) {
    engine::PodCondition& out = view.conditions.emplace_back();
    out.type = condition.type();
    out.status = read_condition_status(condition.status());
    if (condition.has_last_transition_time()) {
      out.last_transition = api::time_of(condition.last_transition_time());
    }
  }
  read_containers(pod, view.containers);
  return view;
}

std::string owner_job_uid(const api::Message& pod) {
  const auto* owner = owner_job(pod);
  return owner == nullptr ? std::string() : owner->uid();
}

std::string owner_job_name(const api::Message& pod) {
  const auto* owner = owner_job(pod);
  return owner == nullptr ? std::string() : owner->name();
}

bool has_foreign_owner(const api::Message& pod) {
  const auto* owner = controller_of(pod);
  return owner != nullptr && (owner->kind() != "Job" || owner->api_version() != "batch/v1");
}

std::unique_ptr<api::Message> make_pod(const api::Message& message, const engine::PodPlan& plan,
                                       std::string_view finalizer) {
  const auto& job = static_cast<const api::batch::v1::Job&>(message);
  const core::PodTemplateSpec& pod_template = job.spec().template_();
  auto pod = std::make_unique<core::Pod>();
  ObjectMeta& metadata = *pod->mutable_metadata();
  *metadata.mutable_labels() = pod_template.metadata().labels();
  *metadata.mutable_annotations() = pod_template.metadata().annotations();
  *metadata.mutable_finalizers() = pod_template.metadata().finalizers();
  *pod->mutable_spec() = pod_template.spec();
  metadata.set_namespace_(job.metadata().namespace_());
  metadata.set_generate_name(plan.generate_name);
  add_owner(*pod, job.metadata().name(), job.metadata().uid());
  if (!has_finalizer(metadata, finalizer)) {
    metadata.add_finalizers(std::string(finalizer));
  }
  for (const auto& [key, value] : plan.labels) {
    (*metadata.mutable_labels())[std::string(key)] = value;
  }
  for (const auto& [key, value] : plan.annotations) {
    (*metadata.mutable_annotations())[std::string(key)] = value;
  }
  if (!plan.hostname.empty()) {
    pod->mutable_spec()->set_hostname(plan.hostname);
  }
  if (plan.add_index_env) {
    for (core::Container& container : *pod->mutable_spec()->mutable_init_containers()) {
      add_index_variable(container);
    }
    for (core::Container& container : *pod->mutable_spec()->mutable_containers()) {
      add_index_variable(container);
    }
  }
  return pod;
}

bool remove_tracking_finalizer(api::Message& pod, std::string_view finalizer) {
  auto& finalizers = *api::mutable_metadata_of(pod).mutable_finalizers();
  const auto kept = std::remove(finalizers.begin(), finalizers.end(), finalizer);
  const bool found = kept != finalizers.end();
  finalizers.erase(kept, finalizers.end());
  return found;
}

}  // namespace windlass::controllers::job
