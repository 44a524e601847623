// volumeMounts and volumeDevices of one container (api.md P37).
#include <set>

#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/container.pb.h"
#include "schema/core/v1/volume.pb.h"

namespace windlass::api {
namespace {

using core::v1::Container;
using core::v1::VolumeDevice;
using core::v1::VolumeMount;

// The names and paths of the other list of the container, which this one must not repeat.
struct Taken {
  std::set<std::string_view> names;
  std::set<std::string_view> paths;
};

Taken taken_by_devices(const Container& container) {
  Taken taken;
  for (const VolumeDevice& device : container.volume_devices()) {
    taken.names.insert(device.name());
    taken.paths.insert(device.device_path());
  }
  return taken;
}

Taken taken_by_mounts(const Container& container) {
  Taken taken;
  for (const VolumeMount& mount : container.volume_mounts()) {
    taken.names.insert(mount.name());
    taken.paths.insert(mount.mount_path());
  }
  return taken;
}

void validate_propagation(FieldErrors& errors, const FieldPath& path, const VolumeMount& mount,
                          const Container& container) {
  const std::string& mode = mount.mount_propagation();
  if (mode != "Bidirectional" && mode != "HostToContainer" && mode != "None") {
    errors.not_supported(path, mode, {"Bidirectional", "HostToContainer", "None"});
  }
  if (mode == "Bidirectional" && !container.security_context().privileged()) {
    errors.forbidden(path,
                     "Bidirectional mount propagation is available only to privileged containers");
  }
}

void validate_recursive_read_only(FieldErrors& errors, const FieldPath& path,
                                  const VolumeMount& mount) {
  const std::string& mode = mount.recursive_read_only();
  if (mode == "Disabled") {
    return;
  }
  if (mode != "Enabled" && mode != "IfPossible") {
    errors.not_supported(path, mode, {"Disabled", "Enabled", "IfPossible"});
    return;
  }
  if (!mount.read_only()) {
    errors.forbidden(path, "may only be specified when readOnly is true");
  }
  if (mount.has_mount_propagation() && mount.mount_propagation() != "None") {
    errors.forbidden(path, "may only be specified when mountPropagation is None or not specified");
  }
}

// Errors of the optional fields have no index.
void validate_mount_options(FieldErrors& errors, const FieldPath& path, const FieldPath& item,
                            const VolumeMount& mount, const Container& container) {
  if (!mount.sub_path().empty()) {
    validate_descending_path(errors, path.child("subPath"), mount.sub_path());
  }
  if (!mount.sub_path_expr().empty()) {
    if (!mount.sub_path().empty()) {
      errors.invalid(item.child("subPathExpr"), mount.sub_path_expr(),
                     "subPathExpr and subPath are mutually exclusive");
    }
    validate_descending_path(errors, path.child("subPathExpr"), mount.sub_path_expr());
  }
  if (mount.has_mount_propagation()) {
    validate_propagation(errors, path.child("mountPropagation"), mount, container);
  }
  if (mount.has_recursive_read_only()) {
    validate_recursive_read_only(errors, path.child("recursiveReadOnly"), mount);
  }
}

void validate_mounts(FieldErrors& errors, const FieldPath& path, const Container& container,
                     const ValidVolumes& volumes) {
  const Taken devices = taken_by_devices(container);
  std::set<std::string_view> mount_paths;
  for (int i = 0; i < container.volume_mounts_size(); ++i) {
    const VolumeMount& mount = container.volume_mounts(i);
    const FieldPath item = path.index(as_index(i));
    if (mount.name().empty()) {
      errors.required(item.child("name"));
    }
    if (volumes.find(mount.name()) == nullptr) {
      errors.not_found(item.child("name"), mount.name());
    }
    if (mount.mount_path().empty()) {
      errors.required(item.child("mountPath"));
    }
    if (!mount_paths.insert(mount.mount_path()).second) {
      errors.invalid(item.child("mountPath"), mount.mount_path(), "must be unique");
    }
    if (devices.names.contains(mount.name())) {
      errors.invalid(item.child("name"), mount.name(), "must not already exist in volumeDevices");
    }
    if (devices.paths.contains(mount.mount_path())) {
      errors.invalid(item.child("mountPath"), mount.mount_path(),
                     "must not already exist as a path in volumeDevices");
    }
    validate_mount_options(errors, path, item, mount, container);
  }
}

void validate_device_name(FieldErrors& errors, const FieldPath& path, const VolumeDevice& device,
                          bool repeated, const ValidVolumes& volumes) {
  const core::v1::Volume* volume = volumes.find(device.name());
  if (device.name().empty()) {
    errors.required(path);
  }
  if (repeated) {
    errors.invalid(path, device.name(), "must be unique");
  }
  if (volume == nullptr) {
    errors.not_found(path, device.name());
  } else if (!volume->volume_source().has_persistent_volume_claim() &&
             !volume->volume_source().has_ephemeral()) {
    errors.invalid(path, device.name(),
                   "can only use volume source type of PersistentVolumeClaim or Ephemeral for "
                   "block mode");
  }
}

void validate_devices(FieldErrors& errors, const FieldPath& path, const Container& container,
                      const ValidVolumes& volumes) {
  const Taken mounts = taken_by_mounts(container);
  std::set<std::string_view> names;
  std::set<std::string_view> device_paths;
  for (int i = 0; i < container.volume_devices_size(); ++i) {
    const VolumeDevice& device = container.volume_devices(i);
    const FieldPath item = path.index(as_index(i));
    validate_device_name(errors, item.child("name"), device, names.contains(device.name()),
                         volumes);
    if (device.device_path().empty()) {
      errors.required(item.child("devicePath"));
    }
    if (device_paths.contains(device.device_path())) {
      errors.invalid(item.child("devicePath"), device.device_path(), "must be unique");
    }
    FieldErrors backsteps;
    validate_no_backsteps(backsteps, item, device.device_path());
    if (!backsteps.empty()) {
      errors.invalid(item.child("devicePath"), device.device_path(),
                     "can not contain backsteps ('..')");
    } else {
      device_paths.insert(device.device_path());
    }
    if (mounts.names.contains(device.name())) {
      errors.invalid(item.child("name"), device.name(), "must not already exist in volumeMounts");
    }
    if (mounts.paths.contains(device.device_path())) {
      errors.invalid(item.child("devicePath"), device.device_path(),
                     "must not already exist as a path in volumeMounts");
    }
    if (!device.name().empty()) {
      names.insert(device.name());
    }
  }
}

}  // namespace

void validate_mounts_and_devices(FieldErrors& errors, const FieldPath& path,
                                 const Container& container, const ValidVolumes& volumes) {
  if (!container.volume_mounts().empty()) {
    validate_mounts(errors, path.child("volumeMounts"), container, volumes);
  }
  if (!container.volume_devices().empty()) {
    validate_devices(errors, path.child("volumeDevices"), container, volumes);
  }
}

}  // namespace windlass::api
