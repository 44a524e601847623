// Volumes (api.md P5, P36). Sources that only a cloud or a storage system could serve are counted,
// and otherwise kept as they came.
#include <algorithm>

#include "api/names.h"
#include "api/pod/validate_pod_parts.h"
#include "schema/core/v1/volume.pb.h"

namespace windlass::api {
namespace {

using core::v1::Volume;
using core::v1::VolumeSource;

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
    {"nfs", &VolumeSource::has_nfs, nullptr},
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
    {"csi", &VolumeSource::has_csi, nullptr},
    {"ephemeral", &VolumeSource::has_ephemeral, nullptr},
    {"image", &VolumeSource::has_image, nullptr},
};

void validate_source(FieldErrors& errors, const FieldPath& path, const VolumeSource& source) {
  bool found = false;
  for (const SourceRule& rule : kSources) {
    if (!(source.*rule.has)()) {
      continue;
    }
    if (found) {
      errors.forbidden(path.child(rule.name), "may not specify more than 1 volume type");
    } else if (rule.validate != nullptr) {
      rule.validate(errors, path.child(rule.name), source);
    }
    found = true;
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
                              const Repeated<Volume>& volumes) {
  ValidVolumes valid;
  for (int i = 0; i < volumes.size(); ++i) {
    const Volume& volume = volumes[i];
    const FieldPath item = path.index(as_index(i));
    const size_t errors_before = errors.size();
    validate_source(errors, item, volume.volume_source());
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
  }
  return valid;
}

}  // namespace windlass::api
