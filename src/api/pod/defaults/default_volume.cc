#include "api/pod/defaults/default_pod_parts.h"
#include "api/pod/image_name.h"
#include "schema/core/v1/volume.pb.h"

namespace windlass::api {
namespace {

constexpr int32_t kDefaultMode = 0644;
constexpr int64_t kTokenLifetimeSeconds = 3600;

template <class Source>
void default_mode(Source& source) {
  if (!source.has_default_mode()) {
    source.set_default_mode(kDefaultMode);
  }
}

template <class Files>
void default_files(Files& files) {
  for (core::v1::DownwardAPIVolumeFile& file : *files.mutable_items()) {
    if (file.has_field_ref()) {
      default_field_ref(*file.mutable_field_ref());
    }
    if (file.has_resource_field_ref() && file.resource_field_ref().has_divisor()) {
      canonicalize_quantity(*file.mutable_resource_field_ref()->mutable_divisor());
    }
  }
}

void default_projected(core::v1::ProjectedVolumeSource& projected) {
  default_mode(projected);
  for (core::v1::VolumeProjection& source : *projected.mutable_sources()) {
    if (source.has_downward_api()) {
      default_files(*source.mutable_downward_api());
    }
    if (source.has_service_account_token() &&
        !source.service_account_token().has_expiration_seconds()) {
      source.mutable_service_account_token()->set_expiration_seconds(kTokenLifetimeSeconds);
    }
  }
}

void default_claim(core::v1::PersistentVolumeClaimSpec& claim) {
  if (!claim.has_volume_mode()) {
    claim.set_volume_mode("Filesystem");
  }
  if (claim.has_resources()) {
    default_resources(*claim.mutable_resources()->mutable_limits());
    default_resources(*claim.mutable_resources()->mutable_requests());
  }
}

void default_files_and_paths(core::v1::VolumeSource& source) {
  if (source.has_host_path() && !source.host_path().has_type()) {
    source.mutable_host_path()->set_type("");
  }
  if (source.has_empty_dir() && source.empty_dir().has_size_limit()) {
    canonicalize_quantity(*source.mutable_empty_dir()->mutable_size_limit());
  }
  if (source.has_secret()) {
    default_mode(*source.mutable_secret());
  }
  if (source.has_config_map()) {
    default_mode(*source.mutable_config_map());
  }
  if (source.has_downward_api()) {
    default_mode(*source.mutable_downward_api());
    default_files(*source.mutable_downward_api());
  }
  if (source.has_projected()) {
    default_projected(*source.mutable_projected());
  }
}

}  // namespace

// P15
void default_volume(core::v1::Volume& volume) {
  // No bytes: no source at all, not even one this schema does not know.
  if (volume.volume_source().ByteSizeLong() == 0) {
    volume.mutable_volume_source()->mutable_empty_dir();
  }
  core::v1::VolumeSource& source = *volume.mutable_volume_source();
  default_files_and_paths(source);
  if (source.has_ephemeral() && source.ephemeral().has_volume_claim_template()) {
    default_claim(*source.mutable_ephemeral()->mutable_volume_claim_template()->mutable_spec());
  }
  if (source.has_image() && source.image().pull_policy().empty()) {
    source.mutable_image()->set_pull_policy(
        image_tag(source.image().reference()) == "latest" ? "Always" : "IfNotPresent");
  }
}

}  // namespace windlass::api
