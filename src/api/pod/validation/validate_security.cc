// Security contexts (api.md P46): what they ask for is accepted, what makes no sense is not.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::AppArmorProfile;
using core::v1::PodSecurityContext;
using core::v1::PodSpec;
using core::v1::SeccompProfile;
using core::v1::SecurityContext;

constexpr int64_t kMaxId = 2147483647;
constexpr size_t kMaxAppArmorProfile = 4095;
constexpr size_t kMaxSysctl = 253;

void validate_id(FieldErrors& errors, const FieldPath& path, int64_t id) {
  if (id < 0 || id > kMaxId) {
    errors.invalid(path, BadValue::number(id), "must be between 0 and 2147483647, inclusive");
  }
}

void validate_seccomp(FieldErrors& errors, const FieldPath& path, const SeccompProfile& profile) {
  const std::string& type = profile.type();
  if (type.empty()) {
    errors.required(path.child("type"), "type is required when seccompProfile is set");
  } else if (type != "Localhost" && type != "RuntimeDefault" && type != "Unconfined") {
    errors.not_supported(path.child("type"), type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
  if (type != "Localhost") {
    if (profile.has_localhost_profile()) {
      errors.invalid(path.child("localhostProfile"), BadValue::message(profile),
                     "can only be set when seccomp type is Localhost");
    }
  } else if (!profile.has_localhost_profile()) {
    errors.required(path.child("localhostProfile"), "must be set when seccomp type is Localhost");
  } else {
    validate_descending_path(errors, path.child("localhostProfile"), profile.localhost_profile());
  }
}

void validate_local_app_armor(FieldErrors& errors, const FieldPath& path,
                              const AppArmorProfile& profile) {
  constexpr std::string_view kNeeded = "must be set when AppArmor type is Localhost";
  constexpr std::string_view kBlanks = " \t\n\v\f\r";
  const std::string& name = profile.localhost_profile();
  if (!profile.has_localhost_profile()) {
    errors.required(path, kNeeded);
    return;
  }
  if (name.empty()) {
    errors.required(path, kNeeded);
  } else if (kBlanks.find(name.front()) != std::string_view::npos ||
             kBlanks.find(name.back()) != std::string_view::npos) {
    errors.invalid(path, name, "must not be padded with whitespace");
  }
  if (name.size() > kMaxAppArmorProfile) {
    errors.too_long(path, kMaxAppArmorProfile);
  }
}

void validate_app_armor(FieldErrors& errors, const FieldPath& path,
                        const AppArmorProfile& profile) {
  const std::string& type = profile.type();
  if (type == "Localhost") {
    validate_local_app_armor(errors, path.child("localhostProfile"), profile);
  } else if (type == "RuntimeDefault" || type == "Unconfined") {
    if (profile.has_localhost_profile()) {
      errors.invalid(path.child("localhostProfile"), profile.localhost_profile(),
                     "can only be set when AppArmor type is Localhost");
    }
  } else if (type.empty()) {
    errors.required(path.child("type"), "type is required when appArmorProfile is set");
  } else {
    errors.not_supported(path.child("type"), type, {"Localhost", "RuntimeDefault", "Unconfined"});
  }
}

bool is_sysctl_name(std::string_view name) {
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  bool segment_open = false;  // the last character may end a segment
  bool segment_begun = false;
  for (const char c : name) {
    if (alnum(c)) {
      segment_begun = true;
      segment_open = true;
    } else if (c == '-' || c == '_') {
      if (!segment_begun) {
        return false;
      }
      segment_open = false;
    } else if ((c == '.' || c == '/') && segment_open) {
      segment_begun = false;
      segment_open = false;
    } else {
      return false;
    }
  }
  return segment_open && name.size() <= kMaxSysctl;
}

// kernel.shmmax. In a name whose first separator is a slash, slashes and dots have changed places.
std::string dotted_sysctl(std::string name) {
  const size_t first = name.find_first_of("./");
  if (first != std::string::npos && name[first] == '/') {
    std::ranges::replace(name, '.', '\n');
    std::ranges::replace(name, '/', '.');
    std::ranges::replace(name, '\n', '/');
  }
  return name;
}

bool is_ipc_sysctl(std::string_view dotted) {
  static constexpr std::string_view kNames[] = {
      "kernel.sem", "kernel.shmall", "kernel.shmmax", "kernel.shmmni", "kernel.shm_rmid_forced",
      "kernel.shm", "kernel.msgmax", "kernel.msgmnb", "kernel.msgmni", "kernel.msg"};
  return dotted.starts_with("fs.mqueue.") || std::ranges::find(kNames, dotted) != std::end(kNames);
}

// A pod that shares a namespace with its node would change the node's own parameters.
void validate_host_sysctl(FieldErrors& errors, const FieldPath& path, const std::string& name,
                          const PodSpec& spec) {
  const std::string dotted = dotted_sysctl(name);
  if (spec.host_network() && dotted.starts_with("net.")) {
    errors.invalid(path, name, "may not be specified when 'hostNetwork' is true");
  } else if (spec.host_ipc() && is_ipc_sysctl(dotted)) {
    errors.invalid(path, name, "may not be specified when 'hostIPC' is true");
  }
}

void validate_sysctls(FieldErrors& errors, const FieldPath& path, const PodSpec& spec) {
  const PodSecurityContext& security = spec.security_context();
  std::set<std::string_view> names;
  for (int i = 0; i < security.sysctls_size(); ++i) {
    const std::string& name = security.sysctls(i).name();
    const FieldPath item = path.index(as_index(i)).child("name");
    if (name.empty()) {
      errors.required(item);
    } else if (!is_sysctl_name(name)) {
      errors.invalid(item, name,
                     fmt::format("must have at most {} characters and match regex "
                                 "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*"
                                 "[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
                                 kMaxSysctl));
    } else if (names.contains(name)) {
      errors.duplicate(item, name);
    }
    validate_host_sysctl(errors, item, name, spec);
    names.insert(name);
  }
}

void validate_ids(FieldErrors& errors, const FieldPath& path, const PodSecurityContext& security) {
  if (security.has_fs_group()) {
    validate_id(errors, path.child("fsGroup"), security.fs_group());
  }
  if (security.has_run_as_user()) {
    validate_id(errors, path.child("runAsUser"), security.run_as_user());
  }
  if (security.has_run_as_group()) {
    validate_id(errors, path.child("runAsGroup"), security.run_as_group());
  }
  for (int i = 0; i < security.supplemental_groups_size(); ++i) {
    validate_id(errors, path.child("supplementalGroups").index(as_index(i)),
                security.supplemental_groups(i));
  }
}

void validate_policies(FieldErrors& errors, const FieldPath& path,
                       const PodSecurityContext& security) {
  const std::string& groups = security.supplemental_groups_policy();
  if (security.has_supplemental_groups_policy() && groups != "Merge" && groups != "Strict") {
    errors.not_supported(path.child("supplementalGroupsPolicy"), groups, {"Merge", "Strict"});
  }
  const std::string& labels = security.se_linux_change_policy();
  if (security.has_se_linux_change_policy() && labels != "MountOption" && labels != "Recursive") {
    errors.not_supported(path.child("seLinuxChangePolicy"), labels, {"MountOption", "Recursive"});
  }
}

void validate_escalation(FieldErrors& errors, const FieldPath& path,
                         const SecurityContext& security) {
  if (!security.has_allow_privilege_escalation() || security.allow_privilege_escalation()) {
    return;
  }
  if (security.privileged()) {
    errors.invalid(path, BadValue::message(security),
                   "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
  }
  // Said once, however often it is added: the error prints the whole context.
  const auto& added = security.capabilities().add();
  if (std::find(added.begin(), added.end(), "CAP_SYS_ADMIN") != added.end()) {
    errors.invalid(path, BadValue::message(security),
                   "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` "
                   "CAP_SYS_ADMIN");
  }
}

void validate_proc_mount(FieldErrors& errors, const FieldPath& path, const std::string& type,
                         bool host_users) {
  if (type.empty()) {
    errors.required(path);
  } else if (type != "Default" && type != "Unmasked") {
    errors.not_supported(path, type, {"Default", "Unmasked"});
  }
  if (host_users && type == "Unmasked") {
    errors.invalid(path, type, "`hostUsers` must be false to use `Unmasked`");
  }
}

}  // namespace

void validate_container_security(FieldErrors& errors, const FieldPath& path,
                                 const SecurityContext& security, bool host_users) {
  if (security.has_run_as_user()) {
    validate_id(errors, path.child("runAsUser"), security.run_as_user());
  }
  if (security.has_run_as_group()) {
    validate_id(errors, path.child("runAsGroup"), security.run_as_group());
  }
  if (security.has_proc_mount()) {
    validate_proc_mount(errors, path.child("procMount"), security.proc_mount(), host_users);
  }
  if (security.has_seccomp_profile()) {
    validate_seccomp(errors, path.child("seccompProfile"), security.seccomp_profile());
  }
  validate_escalation(errors, path, security);
  if (security.has_app_armor_profile()) {
    validate_app_armor(errors, path.child("appArmorProfile"), security.app_armor_profile());
  }
}

void validate_pod_security(FieldErrors& errors, const FieldPath& path,
                           const core::v1::PodSpec& spec) {
  const PodSecurityContext& security = spec.security_context();
  validate_ids(errors, path, security);
  if (spec.host_pid() && spec.share_process_namespace()) {
    errors.invalid(path.child("shareProcessNamespace"), BadValue::json("true"),
                   "ShareProcessNamespace and HostPID cannot both be enabled");
  }
  if (!security.sysctls().empty()) {
    validate_sysctls(errors, path.child("sysctls"), spec);
  }
  const std::string& change = security.fs_group_change_policy();
  if (security.has_fs_group_change_policy() && change != "Always" && change != "OnRootMismatch") {
    errors.not_supported(path.child("fsGroupChangePolicy"), change, {"Always", "OnRootMismatch"});
  }
  if (security.has_seccomp_profile()) {
    validate_seccomp(errors, path.child("seccompProfile"), security.seccomp_profile());
  }
  if (security.has_app_armor_profile()) {
    validate_app_armor(errors, path.child("appArmorProfile"), security.app_armor_profile());
  }
  validate_policies(errors, path, security);
}

}  // namespace windlass::api
