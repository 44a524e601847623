#include <fmt/format.h>

#include "api/pod/warnings/warnings_pod_parts.h"
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

}  // namespace windlass::api
