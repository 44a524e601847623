#include "api/pod/warnings/unsupported_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/quote.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::PodSecurityContext;
using core::v1::PodSpec;
using core::v1::SecurityContext;
using Effect = UnsupportedField::Effect;

constexpr const char* kUnconfined = "Unconfined";
constexpr const char* kGeneralReason = "UnsupportedSecurityContext";

class Table {
 public:
  void ignore(bool asked, const FieldPath& path, std::string_view why) {
    if (asked) {
      fields_.push_back({path.text(), Effect::ignored, std::string(why), ""});
    }
  }
  void refuse(bool asked, const FieldPath& path, std::string_view why,
              std::string_view reason = kGeneralReason) {
    if (asked) {
      fields_.push_back({path.text(), Effect::refused, std::string(why), std::string(reason)});
    }
  }
  void refuse_unless_user_namespaces(bool asked, const FieldPath& path, std::string_view why) {
    if (asked) {
      fields_.push_back({path.text(), Effect::refused, std::string(why), kGeneralReason,
                         UnsupportedField::Unless::user_namespaces});
    }
  }
  std::vector<UnsupportedField> take() { return std::move(fields_); }

 private:
  std::vector<UnsupportedField> fields_;
};

bool restarts_all(const Container& container) {
  const auto& rules = container.restart_policy_rules();
  return std::any_of(rules.begin(), rules.end(), [](const core::v1::ContainerRestartRule& rule) {
    return rule.action() == "RestartAllContainers";
  });
}

void add_profiles(Table& table, const FieldPath& path, const Container& container,
                  const FieldPath& pod_path, const PodSecurityContext& pod) {
  const SecurityContext& own = container.security_context();
  // A privileged container has no profile, whatever it names.
  if (own.privileged()) {
    return;
  }
  // What the container says comes before what the pod says.
  const bool own_seccomp = own.has_seccomp_profile();
  const auto& seccomp = own_seccomp ? own.seccomp_profile() : pod.seccomp_profile();
  table.refuse(seccomp.type() == "Localhost",
               (own_seccomp ? path : pod_path).child("seccompProfile"),
               "profiles of the node are not read, so this one cannot be enforced; set type: "
               "RuntimeDefault, which is what containers without a profile have",
               "Seccomp");
  const bool own_armor = own.has_app_armor_profile();
  const auto& armor = own_armor ? own.app_armor_profile() : pod.app_armor_profile();
  table.refuse((own_armor || pod.has_app_armor_profile()) && armor.type() != kUnconfined,
               (own_armor ? path : pod_path).child("appArmorProfile"),
               fmt::format("AppArmor profiles are not applied, so {} cannot be enforced; take it "
                           "out, or set type: Unconfined",
                           quote(armor.type())),
               "AppArmor");
  const bool own_labels = own.has_se_linux_options();
  table.refuse(own_labels || pod.has_se_linux_options(),
               (own_labels ? path : pod_path).child("seLinuxOptions"),
               "SELinux labels are not set; take it out", "SELinux");
}

void add_container(Table& table, const FieldPath& path, const Container& container) {
  table.ignore(container.stdin(), path.child("stdin"), "a container reads from /dev/null");
  table.ignore(container.tty(), path.child("tty"), "a container has no terminal");
  table.refuse(container.volume_devices_size() > 0, path.child("volumeDevices"),
               "there are no block devices for containers", "UnsupportedVolumeDevices");
  table.ignore(container.lifecycle().has_stop_signal(), path.child("lifecycle").child("stopSignal"),
               "containers are stopped with SIGTERM");
  table.ignore(restarts_all(container), path.child("restartPolicyRules"),
               "RestartAllContainers restarts the container alone, by its restartPolicy");
  for (const auto& [name, probe] : {std::pair("startupProbe", &container.startup_probe()),
                                    std::pair("livenessProbe", &container.liveness_probe()),
                                    std::pair("readinessProbe", &container.readiness_probe())}) {
    table.ignore(!probe->handler().grpc().mode().empty(),
                 path.child(name).child("grpc").child("mode"),
                 "the probe is left out: there is one way to connect");
  }
  for (int i = 0; i < container.volume_mounts_size(); ++i) {
    const auto& mount = container.volume_mounts(i);
    table.ignore(mount.has_mount_propagation() && mount.mount_propagation() != "None",
                 path.child("volumeMounts").index(static_cast<size_t>(i)).child("mountPropagation"),
                 "mounts that are made later are not passed on");
  }
  table.ignore(container.security_context().has_windows_options(),
               path.child("securityContext").child("windowsOptions"), "the node runs Linux");
}

void add_sysctls(Table& table, const FieldPath& path, const PodSpec& spec) {
  for (int i = 0; i < spec.security_context().sysctls_size(); ++i) {
    const std::string name = sysctl_name(spec.security_context().sysctls(i).name());
    const FieldPath item = path.index(static_cast<size_t>(i));
    table.refuse(!is_namespaced_sysctl(name), item,
                 fmt::format("{} is a setting of the whole machine, whose network pods share; only "
                             "kernel.shm*, kernel.msg*, kernel.sem and fs.mqueue.* can be set",
                             quote(name)),
                 "SysctlForbidden");
    table.refuse(is_namespaced_sysctl(name) && spec.host_ipc(), item,
                 fmt::format("{} is not allowed with hostIPC", quote(name)), "SysctlForbidden");
  }
}

}  // namespace

std::string UnsupportedField::text() const {
  return fmt::format("{} {}: {}", path,
                     effect == Effect::ignored ? "is ignored" : "cannot be honoured", why);
}

std::string sysctl_name(std::string_view name) {
  std::string dotted(name);
  std::replace(dotted.begin(), dotted.end(), '/', '.');
  return dotted;
}

bool is_namespaced_sysctl(std::string_view name) {
  return name.starts_with("kernel.shm") || name.starts_with("kernel.msg") || name == "kernel.sem" ||
         name.starts_with("fs.mqueue.");
}

std::vector<UnsupportedField> unsupported_fields(const FieldPath& path, const PodSpec& spec) {
  Table table;
  table.ignore(spec.share_process_namespace(), path.child("shareProcessNamespace"),
               "each container has a process namespace of its own");
  table.ignore(spec.set_hostname_as_fqdn(), path.child("setHostnameAsFQDN"),
               "pods have no domain of their own");
  table.refuse_unless_user_namespaces(
      spec.has_host_users() && !spec.host_users(), path.child("hostUsers"),
      "containers have the users of the machine; take it out, or run windlass as an ordinary user");
  const FieldPath security = path.child("securityContext");
  table.ignore(spec.security_context().has_windows_options(), security.child("windowsOptions"),
               "the node runs Linux");
  add_sysctls(table, security.child("sysctls"), spec);
  for (const auto& [name, list] : {std::pair("initContainers", &spec.init_containers()),
                                   std::pair("containers", &spec.containers())}) {
    for (int i = 0; i < list->size(); ++i) {
      const FieldPath item = path.child(name).index(static_cast<size_t>(i));
      add_container(table, item, list->at(i));
      add_profiles(table, item.child("securityContext"), list->at(i), security,
                   spec.security_context());
    }
  }
  std::vector<UnsupportedField> fields = table.take();
  // What the pod says for all of its containers is said once.
  std::set<std::string> paths;
  std::erase_if(fields,
                [&](const UnsupportedField& field) { return !paths.insert(field.path).second; });
  return fields;
}

}  // namespace windlass::api
