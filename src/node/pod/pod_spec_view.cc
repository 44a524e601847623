#include "node/pod/pod_spec_view.h"

#include <algorithm>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/quantity.h"
#include "base/time.h"
#include "placement/needs.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::node {

namespace {

namespace core = api::core::v1;
using QuantityMap = google::protobuf::Map<std::string, api::meta::v1::Quantity>;

// More can be counted on top of what a client wrote there.
constexpr int kMaxSeenRestarts = 1'000'000'000;

// A quantity that cannot be read counts as nothing: the API server has validated it.
int64_t milli(const api::meta::v1::Quantity& quantity) {
  const Result<Quantity> parsed = Quantity::parse(quantity.string());
  return parsed ? parsed->milli_value() : 0;
}

MilliAmounts read_amounts(const QuantityMap& map) {
  MilliAmounts amounts;
  for (const auto& [name, quantity] : map) {
    amounts.emplace(name, milli(quantity));
  }
  return amounts;
}

// A client may write any year: not before 1970, and not so late that a span after it leaves the
// clock's range.
Time bounded_time(Time time) {
  constexpr Duration kLatest = Duration::max() - seconds(kMaxBoundedSeconds);
  return std::clamp(time, Time(), Time(kLatest));
}

template <class Message>
Time time_in(const Message& message) {
  return bounded_time(api::time_of(message));
}

EnvironmentEntry read_variable(const core::EnvVar& variable) {
  using Source = EnvironmentEntry::Source;
  EnvironmentEntry entry;
  entry.name = variable.name();
  const core::EnvVarSource& from = variable.value_from();
  if (from.has_field_ref()) {
    entry.source = Source::field;
    entry.text = from.field_ref().field_path();
  } else if (from.has_resource_field_ref()) {
    entry.source = Source::resource;
    entry.text = from.resource_field_ref().resource();
    entry.container = from.resource_field_ref().container_name();
    const int64_t divisor = milli(from.resource_field_ref().divisor());
    entry.milli_divisor = divisor > 0 ? divisor : 1000;
  } else if (from.has_config_map_key_ref()) {
    entry.source = Source::config_map;
    entry.text = from.config_map_key_ref().local_object_reference().name();
    entry.key = from.config_map_key_ref().key();
    entry.optional = from.config_map_key_ref().optional();
  } else if (from.has_secret_key_ref()) {
    entry.source = Source::secret;
    entry.text = from.secret_key_ref().local_object_reference().name();
    entry.key = from.secret_key_ref().key();
    entry.optional = from.secret_key_ref().optional();
  } else if (from.has_file_key_ref()) {
    entry.source = Source::file;
    entry.text = from.file_key_ref().volume_name();
  } else {
    entry.text = variable.value();
  }
  return entry;
}

EnvironmentBatch read_batch(const core::EnvFromSource& from) {
  EnvironmentBatch batch;
  batch.prefix = from.prefix();
  if (from.has_secret_ref()) {
    batch.object = {ObjectName::Kind::secret, from.secret_ref().local_object_reference().name()};
    batch.optional = from.secret_ref().optional();
  } else {
    batch.object = {ObjectName::Kind::config_map,
                    from.config_map_ref().local_object_reference().name()};
    batch.optional = from.config_map_ref().optional();
  }
  return batch;
}

MountPlan read_mount(const core::VolumeMount& mount) {
  return {mount.name(), mount.mount_path(), mount.sub_path(), mount.sub_path_expr(),
          mount.read_only()};
}

// What the container says comes before what the pod says.
IdentityPlan read_identity(const core::SecurityContext& own, const core::PodSecurityContext& pod) {
  IdentityPlan identity;
  if (own.has_run_as_user() || pod.has_run_as_user()) {
    identity.user =
        static_cast<uint32_t>(own.has_run_as_user() ? own.run_as_user() : pod.run_as_user());
  }
  if (own.has_run_as_group() || pod.has_run_as_group()) {
    identity.group =
        static_cast<uint32_t>(own.has_run_as_group() ? own.run_as_group() : pod.run_as_group());
  }
  for (const int64_t group : pod.supplemental_groups()) {
    identity.more_groups.push_back(static_cast<uint32_t>(group));
  }
  if (pod.has_fs_group()) {
    identity.more_groups.push_back(static_cast<uint32_t>(pod.fs_group()));
  }
  identity.privileged = own.privileged();
  identity.non_root = own.has_run_as_non_root() ? own.run_as_non_root() : pod.run_as_non_root();
  return identity;
}

env::ContainerConfinement read_confinement(const core::SecurityContext& own,
                                           const core::PodSpec& spec) {
  env::ContainerConfinement confinement;
  confinement.read_only_root = own.read_only_root_filesystem();
  confinement.add_capabilities.assign(own.capabilities().add().begin(),
                                      own.capabilities().add().end());
  confinement.drop_capabilities.assign(own.capabilities().drop().begin(),
                                       own.capabilities().drop().end());
  for (const core::Sysctl& sysctl : spec.security_context().sysctls()) {
    confinement.sysctls.push_back(api::sysctl_name(sysctl.name()) + "=" + sysctl.value());
  }
  confinement.host_pid = spec.host_pid();
  confinement.host_ipc = spec.host_ipc();
  return confinement;
}

// Unless a container has a profile, its pod's is its own.
std::string seccomp_type(const core::SecurityContext& own, const core::PodSecurityContext& pod) {
  return own.has_seccomp_profile() ? own.seccomp_profile().type() : pod.seccomp_profile().type();
}

std::optional<DnsPlan> read_dns(const core::PodSpec& spec) {
  const bool alone = spec.dns_policy() == "None";
  if (!alone && !spec.has_dns_config()) {
    return std::nullopt;
  }
  DnsPlan dns;
  dns.alone = alone;
  const core::PodDNSConfig& config = spec.dns_config();
  dns.nameservers.assign(config.nameservers().begin(), config.nameservers().end());
  dns.searches.assign(config.searches().begin(), config.searches().end());
  for (const core::PodDNSConfigOption& option : config.options()) {
    dns.options.emplace_back(option.name(),
                             option.has_value() ? std::optional(option.value()) : std::nullopt);
  }
  return dns;
}

PullPolicy read_pull_policy(const std::string& policy) {
  if (policy == "Always") {
    return PullPolicy::always;
  }
  return policy == "Never" ? PullPolicy::never : PullPolicy::if_not_present;
}

ContainerSpecView read_container(const core::Container& container, const core::PodSpec& spec,
                                 bool init) {
  ContainerSpecView view;
  view.name = container.name();
  view.image = container.image();
  view.command.assign(container.command().begin(), container.command().end());
  view.args.assign(container.args().begin(), container.args().end());
  view.working_dir = container.working_dir();
  for (const core::EnvVar& variable : container.env()) {
    view.environment.push_back(read_variable(variable));
  }
  for (const core::EnvFromSource& from : container.env_from()) {
    view.environment_from.push_back(read_batch(from));
  }
  for (const core::VolumeMount& mount : container.volume_mounts()) {
    view.mounts.push_back(read_mount(mount));
  }
  view.identity = read_identity(container.security_context(), spec.security_context());
  view.limits = read_amounts(container.resources().limits());
  view.requests = read_amounts(container.resources().requests());
  const auto& limits = container.resources().limits();
  if (const auto storage = limits.find("ephemeral-storage"); storage != limits.end()) {
    view.storage_limit = storage->second.string();
  }
  view.message_path = container.termination_message_path();
  view.message_from_log = container.termination_message_policy() == "FallbackToLogsOnError";
  view.pull_policy = read_pull_policy(container.image_pull_policy());
  view.sidecar = init && container.restart_policy() == "Always";
  view.restart = api::read_own_restart(container);
  view.checks = read_checks(container);
  view.confinement = read_confinement(container.security_context(), spec);
  const std::string seccomp = seccomp_type(container.security_context(), spec.security_context());
  view.boundary.unfiltered = seccomp == "Unconfined";
  view.asks_for_filter = seccomp == "RuntimeDefault";
  view.boundary.unmasked_proc = container.security_context().proc_mount() == "Unmasked";
  return view;
}

QosClass read_qos_class(const std::string& name) {
  if (name == "BestEffort") {
    return QosClass::best_effort;
  }
  return name == "Guaranteed" ? QosClass::guaranteed : QosClass::burstable;
}

Terminated read_ended(const core::ContainerStateTerminated& terminated) {
  Terminated ended;
  ended.exit_code = terminated.exit_code();
  ended.reason = terminated.reason();
  ended.message = terminated.message();
  if (terminated.has_started_at()) {
    ended.started_at = time_in(terminated.started_at());
  }
  if (terminated.has_finished_at()) {
    ended.finished_at = time_in(terminated.finished_at());
  }
  ended.container_id = terminated.container_id();
  return ended;
}

std::vector<std::string> read_gates(const core::Pod& pod) {
  std::vector<std::string> gates;
  for (const core::PodReadinessGate& gate : pod.spec().readiness_gates()) {
    std::string& status = gates.emplace_back();
    for (const core::PodCondition& condition : pod.status().conditions()) {
      if (condition.type() == gate.condition_type()) {
        status = condition.status();
      }
    }
  }
  return gates;
}

SeenContainer read_status(const core::ContainerStatus& status) {
  SeenContainer seen;
  seen.name = status.name();
  if (status.state().has_terminated()) {
    seen.state = read_ended(status.state().terminated());
  } else if (status.state().has_running()) {
    seen.state = Running{time_in(status.state().running().started_at())};
  } else {
    seen.state = Waiting{status.state().waiting().reason(), status.state().waiting().message()};
  }
  if (status.last_state().has_terminated()) {
    seen.last = read_ended(status.last_state().terminated());
  }
  seen.restarts = std::clamp(status.restart_count(), 0, kMaxSeenRestarts);
  seen.container_id = status.container_id();
  seen.started = status.started();
  seen.ready = status.ready();
  seen.image_id = status.image_id();
  return seen;
}

}  // namespace

bool is_terminal_phase(std::string_view phase) {
  return phase == "Succeeded" || phase == "Failed";
}

PodSpecView read_spec(const api::Message& message) {
  const auto& pod = static_cast<const core::Pod&>(message);
  PodSpecView view;
  view.ns = pod.metadata().namespace_();
  view.name = pod.metadata().name();
  view.uid = pod.metadata().uid();
  view.labels.insert(pod.metadata().labels().begin(), pod.metadata().labels().end());
  view.annotations.insert(pod.metadata().annotations().begin(), pod.metadata().annotations().end());
  view.node_name = pod.spec().node_name();
  view.service_account = pod.spec().service_account_name();
  view.priority = pod.spec().priority();
  view.qos_class = read_qos_class(pod.status().qos_class());
  view.hostname = pod.spec().hostname().empty() ? view.name : pod.spec().hostname();
  view.restart_policy = api::read_restart_policy(pod.spec().restart_policy());
  if (pod.spec().has_termination_grace_period_seconds()) {
    view.grace = bounded_seconds(pod.spec().termination_grace_period_seconds());
  }
  if (pod.spec().has_active_deadline_seconds()) {
    view.active_deadline = bounded_seconds(pod.spec().active_deadline_seconds());
  }
  view.operating_system = pod.spec().os().name();
  view.needs = placement::read_needs(pod);
  if (pod.spec().security_context().has_fs_group()) {
    view.fs_group = static_cast<uint32_t>(pod.spec().security_context().fs_group());
  }
  for (const core::HostAlias& alias : pod.spec().host_aliases()) {
    view.host_aliases.push_back({alias.ip(), {alias.hostnames().begin(), alias.hostnames().end()}});
  }
  view.dns = read_dns(pod.spec());
  view.volumes = read_volumes(pod.spec());
  for (const core::LocalObjectReference& secret : pod.spec().image_pull_secrets()) {
    view.pull_secrets.push_back(secret.name());
  }
  view.unsupported = api::unsupported_fields(api::FieldPath("spec"), pod.spec());
  for (const core::Container& container : pod.spec().init_containers()) {
    view.init_containers.push_back(read_container(container, pod.spec(), true));
  }
  for (const core::Container& container : pod.spec().containers()) {
    view.containers.push_back(read_container(container, pod.spec(), false));
  }
  return view;
}

PodSeen read_seen(const api::Message& message) {
  const auto& pod = static_cast<const core::Pod&>(message);
  PodSeen seen;
  seen.phase = pod.status().phase();
  seen.deleting = pod.metadata().has_deletion_timestamp();
  seen.deletion_grace = bounded_seconds(pod.metadata().deletion_grace_period_seconds());
  seen.created = time_in(pod.metadata().creation_timestamp());
  if (pod.status().has_start_time()) {
    seen.start_time = time_in(pod.status().start_time());
  }
  seen.generation = pod.metadata().generation();
  seen.gates = read_gates(pod);
  for (const core::PodCondition& condition : pod.status().conditions()) {
    seen.ready = seen.ready || (condition.type() == "Ready" && condition.status() == "True");
  }
  for (const core::ContainerStatus& status : pod.status().init_container_statuses()) {
    seen.containers.push_back(read_status(status));
  }
  for (const core::ContainerStatus& status : pod.status().container_statuses()) {
    seen.containers.push_back(read_status(status));
  }
  return seen;
}

}  // namespace windlass::node
