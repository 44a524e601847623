// Volumes (api.md P5, P36). Sources that only a cloud or a storage system of their own could serve
// are counted, and otherwise kept as they came.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/core/v1/volume.pb.h"

namespace windlass::api {
namespace {

using core::v1::Pod;
using core::v1::Volume;
using core::v1::VolumeSource;

constexpr size_t kMaxDriverName = 63;
constexpr std::string_view kEphemeral = "ephemeral";
constexpr std::string_view kImage = "image";

// The claim that is made for an ephemeral volume.
std::string created_claim(const Pod& pod, const Volume& volume) {
  return pod.metadata().name() + "-" + volume.name();
}

std::set<std::string> created_claims(const Repeated<Volume>& volumes, const Pod* pod) {
  std::set<std::string> claims;
  if (pod != nullptr && !pod->metadata().name().empty()) {
    for (const Volume& volume : volumes) {
      if (volume.volume_source().has_ephemeral()) {
        claims.insert(created_claim(*pod, volume));
      }
    }
  }
  return claims;
}

void validate_empty_dir(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  if (source.empty_dir().size_limit().string().starts_with('-')) {
    errors.forbidden(path.child("sizeLimit"), "SizeLimit field must be a valid resource quantity");
  }
}

void validate_host_path(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  static const std::vector<std::string_view> kTypes = {
      "",     "BlockDevice",  "CharDevice", "Directory", "DirectoryOrCreate",
      "File", "FileOrCreate", "Socket"};
  const core::v1::HostPathVolumeSource& host_path = source.host_path();
  if (host_path.path().empty()) {
    errors.required(path.child("path"));
    return;
  }
  validate_no_backsteps(errors, path.child("path"), host_path.path());
  if (std::find(kTypes.begin(), kTypes.end(), host_path.type()) == kTypes.end()) {
    errors.not_supported(path.child("type"), host_path.type(), kTypes);
  }
}

template <class Source>
void validate_mode_and_items(FieldErrors& errors, const FieldPath& path, const Source& source) {
  if (source.has_default_mode()) {
    validate_file_mode(errors, path.child("defaultMode"), source.default_mode());
  }
  for (int i = 0; i < source.items_size(); ++i) {
    validate_key_to_path(errors, path.child("items").index(as_index(i)), source.items(i));
  }
}

void validate_secret(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  if (source.secret().secret_name().empty()) {
    errors.required(path.child("secretName"));
  }
  validate_mode_and_items(errors, path, source.secret());
}

void validate_config_map(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  if (source.config_map().local_object_reference().name().empty()) {
    errors.required(path.child("name"));
  }
  validate_mode_and_items(errors, path, source.config_map());
}

void validate_claim(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  if (source.persistent_volume_claim().claim_name().empty()) {
    errors.required(path.child("claimName"));
  }
}

// Errors of the files are at the source's own path, without an index.
void validate_downward(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  if (source.downward_api().has_default_mode()) {
    validate_file_mode(errors, path.child("defaultMode"), source.downward_api().default_mode());
  }
  for (const core::v1::DownwardAPIVolumeFile& file : source.downward_api().items()) {
    validate_downward_file(errors, path, file);
  }
}

void validate_projected(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  validate_projected_volume(errors, path, source.projected());
}

void validate_nfs(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  const core::v1::NFSVolumeSource& nfs = source.nfs();
  if (nfs.server().empty()) {
    errors.required(path.child("server"));
  }
  if (nfs.path().empty()) {
    errors.required(path.child("path"));
  }
  if (!nfs.path().starts_with('/')) {
    errors.invalid(path.child("path"), nfs.path(), "must be an absolute path");
  }
}

void validate_csi_driver(FieldErrors& errors, const FieldPath& path, const std::string& driver) {
  if (driver.empty()) {
    errors.required(path);
    return;
  }
  if (driver.size() > kMaxDriverName) {
    errors.too_long(path, kMaxDriverName);
  }
  std::string lower = driver;
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  add_problems(errors, path, driver, check_dns1123_subdomain(lower));
}

void validate_csi(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  validate_csi_driver(errors, path.child("driver"), source.csi().driver());
  if (!source.csi().has_node_publish_secret_ref()) {
    return;
  }
  const std::string& name = source.csi().node_publish_secret_ref().name();
  if (name.empty()) {
    errors.required(path.child("nodePublishSecretRef").child("name"));
  } else {
    // The path is the one that Kubernetes gives.
    add_problems(errors, path.child("name"), name, check_dns1123_subdomain(name));
  }
}

struct SourceRule {
  std::string_view name;
  bool (VolumeSource::*has)() const;
  void (*validate)(FieldErrors&, const FieldPath&, const VolumeSource&);
};

// In the order in which Kubernetes looks for a second source.
constexpr SourceRule kSources[] = {
    {"emptyDir", &VolumeSource::has_empty_dir, validate_empty_dir},
    {"hostPath", &VolumeSource::has_host_path, validate_host_path},
    {"gitRepo", &VolumeSource::has_git_repo, nullptr},
    {"gcePersistentDisk", &VolumeSource::has_gce_persistent_disk, nullptr},
    {"awsElasticBlockStore", &VolumeSource::has_aws_elastic_block_store, nullptr},
    {"secret", &VolumeSource::has_secret, validate_secret},
    {"nfs", &VolumeSource::has_nfs, validate_nfs},
    {"iscsi", &VolumeSource::has_iscsi, nullptr},
    {"glusterfs", &VolumeSource::has_glusterfs, nullptr},
    {"flocker", &VolumeSource::has_flocker, nullptr},
    {"persistentVolumeClaim", &VolumeSource::has_persistent_volume_claim, validate_claim},
    {"rbd", &VolumeSource::has_rbd, nullptr},
    {"cinder", &VolumeSource::has_cinder, nullptr},
    {"cephFS", &VolumeSource::has_cephfs, nullptr},
    {"quobyte", &VolumeSource::has_quobyte, nullptr},
    {"downwardAPI", &VolumeSource::has_downward_api, validate_downward},
    {"fc", &VolumeSource::has_fc, nullptr},
    {"flexVolume", &VolumeSource::has_flex_volume, nullptr},
    {"configMap", &VolumeSource::has_config_map, validate_config_map},
    {"azureFile", &VolumeSource::has_azure_file, nullptr},
    {"vsphereVolume", &VolumeSource::has_vsphere_volume, nullptr},
    {"photonPersistentDisk", &VolumeSource::has_photon_persistent_disk, nullptr},
    {"portworxVolume", &VolumeSource::has_portworx_volume, nullptr},
    {"azureDisk", &VolumeSource::has_azure_disk, nullptr},
    {"storageos", &VolumeSource::has_storageos, nullptr},
    {"projected", &VolumeSource::has_projected, validate_projected},
    {"scaleIO", &VolumeSource::has_scale_io, nullptr},
    {"csi", &VolumeSource::has_csi, validate_csi},
    {kEphemeral, &VolumeSource::has_ephemeral, nullptr},
    {kImage, &VolumeSource::has_image, nullptr},
};

void validate_ephemeral(FieldErrors& errors, const FieldPath& path, const Volume& volume,
                        const Pod* pod) {
  validate_ephemeral_volume(errors, path.child("ephemeral"), volume.volume_source().ephemeral());
  if (pod == nullptr || pod->metadata().name().empty() || volume.name().empty()) {
    return;
  }
  const std::string claim = created_claim(*pod, volume);
  for (const std::string& problem : check_dns1123_subdomain(claim)) {
    errors.invalid(path.child("name"), volume.name(),
                   fmt::format("PVC name {}: {}", go_quote(claim), problem));
  }
}

void validate_image(FieldErrors& errors, const FieldPath& path,
                    const core::v1::ImageVolumeSource& image, const Pod* pod) {
  if (pod != nullptr && image.reference().empty()) {
    errors.required(path.child("reference"));
  }
  validate_pull_policy(errors, path.child("pullPolicy"), image.pull_policy());
}

void validate_source(FieldErrors& errors, const FieldPath& path, const Volume& volume,
                     const Pod* pod) {
  const VolumeSource& source = volume.volume_source();
  std::string_view found;
  for (const SourceRule& rule : kSources) {
    if (!(source.*rule.has)()) {
      continue;
    }
    if (!found.empty()) {
      errors.forbidden(path.child(rule.name), "may not specify more than 1 volume type");
      continue;
    }
    found = rule.name;
    if (rule.validate != nullptr) {
      rule.validate(errors, path.child(rule.name), source);
    }
  }
  // These two ask for the pod, too.
  if (found == kEphemeral) {
    validate_ephemeral(errors, path, volume, pod);
  } else if (found == kImage) {
    validate_image(errors, path.child(kImage), source.image(), pod);
  }
}

}  // namespace

const Volume* ValidVolumes::find(std::string_view name) const {
  const auto found = volumes_.find(name);
  return found == volumes_.end() ? nullptr : found->second;
}

void ValidVolumes::add(const Volume& volume) {
  volumes_.emplace(volume.name(), &volume);
}

ValidVolumes validate_volumes(FieldErrors& errors, const FieldPath& path,
                              const Repeated<Volume>& volumes, const Pod* pod) {
  const std::set<std::string> created = created_claims(volumes, pod);
  ValidVolumes valid;
  for (int i = 0; i < volumes.size(); ++i) {
    const Volume& volume = volumes[i];
    const FieldPath item = path.index(as_index(i));
    const size_t errors_before = errors.size();
    validate_source(errors, item, volume, pod);
    if (volume.name().empty()) {
      errors.required(item.child("name"));
    } else if (const auto problems = check_dns1123_label(volume.name()); !problems.empty()) {
      add_problems(errors, item.child("name"), volume.name(), problems);
    }
    if (valid.find(volume.name()) != nullptr) {
      errors.duplicate(item.child("name"), volume.name());
    }
    if (errors.size() == errors_before) {
      valid.add(volume);
    }
    const std::string& claim = volume.volume_source().persistent_volume_claim().claim_name();
    if (created.contains(claim)) {
      errors.invalid(item.child("persistentVolumeClaim").child("claimName"), claim,
                     "must not reference a PVC that gets created for an ephemeral volume");
    }
  }
  return valid;
}

}  // namespace windlass::api
