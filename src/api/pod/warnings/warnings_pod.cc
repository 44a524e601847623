#include "api/pod/warnings/warnings_pod.h"

#include <fmt/format.h>

#include <set>

#include "api/names.h"
#include "api/pod/warnings/warnings_pod_parts.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {

// All about claims comes before all about files, as in Kubernetes.
void warn_about_volumes(PodWarnings& warnings, const FieldPath& spec_path,
                        const core::v1::PodSpec& spec) {
  static const std::string kStorage = "storage";
  for (int i = 0; i < spec.volumes_size(); ++i) {
    const core::v1::EphemeralVolumeSource& ephemeral = spec.volumes(i).volume_source().ephemeral();
    const FieldPath path = spec_path.child("volumes")
                               .index(static_cast<size_t>(i))
                               .child("ephemeral")
                               .child("volumeClaimTemplate")
                               .child("spec")
                               .child("resources");
    const auto& resources = ephemeral.volume_claim_template().spec().resources();
    warn_about_fraction(warnings, path.child("requests"), resources.requests(), kStorage);
    warn_about_fraction(warnings, path.child("limits"), resources.limits(), kStorage);
  }
  for (const core::v1::Volume& volume : spec.volumes()) {
    for (const core::v1::VolumeProjection& source : volume.volume_source().projected().sources()) {
      // No bytes: no source at all, not even one this schema does not know.
      if (source.ByteSizeLong() == 0) {
        warnings.add(
            fmt::format("volume {} (Projected) has no sources provided", go_quote(volume.name())));
      }
    }
  }
}

namespace {

using core::v1::PodSpec;

void warn_about_repeated_names(PodWarnings& warnings, const FieldPath& path, const PodSpec& spec) {
  std::set<std::string_view> addresses;
  for (int i = 0; i < spec.host_aliases_size(); ++i) {
    const std::string& ip = spec.host_aliases(i).ip();
    if (!addresses.insert(ip).second) {
      warnings.add(path.child("hostAliases").index(static_cast<size_t>(i)).child("ip"),
                   fmt::format("duplicate ip {}", go_quote(ip)));
    }
  }
  const FieldPath secrets = path.child("imagePullSecrets");
  std::set<std::string_view> names;
  for (int i = 0; i < spec.image_pull_secrets_size(); ++i) {
    const std::string& name = spec.image_pull_secrets(i).name();
    if (!names.insert(name).second) {
      warnings.add(secrets.index(static_cast<size_t>(i)).child("name"),
                   fmt::format("duplicate name {}", go_quote(name)));
    }
  }
  for (int i = 0; i < spec.image_pull_secrets_size(); ++i) {
    if (spec.image_pull_secrets(i).name().empty()) {
      warnings.add(secrets.index(static_cast<size_t>(i)).child("name"), "invalid empty name \"\"");
    }
  }
}

void warn_about_spec(PodWarnings& warnings, const FieldPath& path, const PodSpec& spec) {
  warn_about_placement(warnings, path, spec);
  warn_about_volumes(warnings, path, spec);
  warn_about_repeated_names(warnings, path, spec);
  warn_about_containers(warnings, path, spec);
  warn_about_ports(warnings, path, spec);
  if (spec.termination_grace_period_seconds() < 0) {
    warnings.add(path.child("terminationGracePeriodSeconds"),
                 "must be >= 0; negative values are invalid and will be treated as 1");
  }
  warn_about_pod_affinity(warnings, path, spec);
}

}  // namespace

std::vector<std::string> pod_warnings(const core::v1::Pod& pod) {
  PodWarnings warnings;
  // P22
  if (const auto problems = check_dns1123_label(pod.metadata().name()); !problems.empty()) {
    warnings.add(FieldPath("metadata").child("name"),
                 fmt::format("this is used in the Pod's hostname, which can result in surprising "
                             "behavior; a DNS label is recommended: [{}]",
                             fmt::join(problems, " ")));
  }
  warn_about_spec(warnings, FieldPath("spec"), pod.spec());
  return warnings.take();
}

std::vector<std::string> pod_template_warnings(const FieldPath& path,
                                               const core::v1::PodTemplateSpec& pod_template) {
  PodWarnings warnings;
  warn_about_spec(warnings, path.child("spec"), pod_template.spec());
  return warnings.take();
}

}  // namespace windlass::api
