// Ephemeral volumes: the claim that is made for a pod and goes with it (api.md P36).
#include <algorithm>
#include <array>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "api/select/label_selector.h"
#include "api/validate_metadata.h"
#include "base/quantity.h"
#include "schema/core/v1/volume.pb.h"

namespace windlass::api {
namespace {

using core::v1::PersistentVolumeClaimSpec;
using meta::v1::ObjectMeta;

constexpr std::string_view kOncePod = "ReadWriteOncePod";

// A claim takes its labels and annotations from here, and all else from its pod. The names are
// those of Kubernetes' errors.
void forbid_other_metadata(FieldErrors& errors, const FieldPath& path, const ObjectMeta& metadata) {
  const std::array<std::pair<std::string_view, bool>, 13> fields = {{
      {"name", !metadata.name().empty()},
      {"generateName", !metadata.generate_name().empty()},
      {"namespace", !metadata.namespace_().empty()},
      {"selfLink", !metadata.self_link().empty()},
      {"uID", !metadata.uid().empty()},
      {"resourceVersion", !metadata.resource_version().empty()},
      {"generation", metadata.generation() != 0},
      {"creationTimestamp", metadata.has_creation_timestamp()},
      {"deletionTimestamp", metadata.has_deletion_timestamp()},
      {"deletionGracePeriodSeconds", metadata.has_deletion_grace_period_seconds()},
      {"ownerReferences", !metadata.owner_references().empty()},
      {"finalizers", !metadata.finalizers().empty()},
      {"managedFields", !metadata.managed_fields().empty()},
  }};
  for (const auto& [name, is_set] : fields) {
    if (is_set) {
      errors.forbidden(path.child(name), "cannot be set");
    }
  }
}

void validate_access_modes(FieldErrors& errors, const FieldPath& path,
                           const PersistentVolumeClaimSpec& claim) {
  static const std::vector<std::string_view> kModes = {"ReadOnlyMany", "ReadWriteMany",
                                                       "ReadWriteOnce", kOncePod};
  bool once_pod = false;
  bool other = false;
  for (const std::string& mode : claim.access_modes()) {
    const bool known = std::ranges::find(kModes, mode) != kModes.end();
    if (!known) {
      errors.not_supported(path, mode, kModes);
    }
    once_pod = once_pod || mode == kOncePod;
    other = other || (known && mode != kOncePod);
  }
  if (once_pod && other) {
    errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
  }
}

void validate_storage(FieldErrors& errors, const FieldPath& path,
                      const PersistentVolumeClaimSpec& claim) {
  const auto& requests = claim.resources().requests();
  const auto storage = requests.find("storage");
  if (storage == requests.end()) {
    errors.required(path);
    return;
  }
  const Quantity amount = Quantity::parse(storage->second.string()).value_or(Quantity());
  if (amount.sign() <= 0) {
    errors.invalid(path, amount.to_string(), "must be greater than zero");
  }
}

// dataSource and dataSourceRef.
template <class Reference>
void validate_data_source(FieldErrors& errors, const FieldPath& path, const Reference& reference) {
  if (reference.name().empty()) {
    errors.required(path.child("name"));
  }
  if (reference.kind().empty()) {
    errors.required(path.child("kind"));
  }
  if (reference.api_group().empty()) {
    if (reference.kind() != "PersistentVolumeClaim") {
      errors.invalid(path, reference.kind(),
                     "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
    }
    return;
  }
  add_problems(errors, path.child("apiGroup"), reference.api_group(),
               check_dns1123_subdomain(reference.api_group()));
}

void validate_data_sources(FieldErrors& errors, const FieldPath& path,
                           const PersistentVolumeClaimSpec& claim) {
  const auto& source = claim.data_source();
  const auto& reference = claim.data_source_ref();
  if (claim.has_data_source()) {
    validate_data_source(errors, path.child("dataSource"), source);
  }
  if (claim.has_data_source_ref()) {
    validate_data_source(errors, path.child("dataSourceRef"), reference);
    if (!reference.namespace_().empty()) {
      add_problems(errors, path.child("dataSourceRef").child("namespace"), reference.namespace_(),
                   check_dns1123_label(reference.namespace_()));
    }
  }
  if (!claim.has_data_source() || !claim.has_data_source_ref()) {
    return;
  }
  // Kubernetes prints a path in place of the value, and that has no JSON.
  if (!reference.namespace_().empty()) {
    errors.invalid(path, BadValue::json("{}"),
                   "may not be specified when dataSourceRef.namespace is specified");
  } else if (source.has_api_group() != reference.has_api_group() ||
             source.api_group() != reference.api_group() || source.kind() != reference.kind() ||
             source.name() != reference.name()) {
    errors.invalid(path, BadValue::json("{}"), "must match dataSourceRef");
  }
}

void validate_class_name(FieldErrors& errors, const FieldPath& path, const std::string& name) {
  if (!name.empty()) {
    add_problems(errors, path, name, check_dns1123_subdomain(name));
  }
}

void validate_claim_spec(FieldErrors& errors, const FieldPath& path,
                         const PersistentVolumeClaimSpec& claim) {
  if (claim.access_modes().empty()) {
    errors.required(path.child("accessModes"), "at least 1 access mode is required");
  }
  if (claim.has_selector()) {
    validate_label_selector(errors, path.child("selector"), claim.selector());
  }
  validate_access_modes(errors, path.child("accessModes"), claim);
  validate_storage(errors, path.child("resources").key("storage"), claim);
  validate_class_name(errors, path.child("storageClassName"), claim.storage_class_name());
  const std::string& mode = claim.volume_mode();
  if (claim.has_volume_mode() && mode != "Block" && mode != "Filesystem") {
    errors.not_supported(path.child("volumeMode"), mode, {"Block", "Filesystem"});
  }
  validate_data_sources(errors, path, claim);
  validate_class_name(errors, path.child("volumeAttributesClassName"),
                      claim.volume_attributes_class_name());
}

}  // namespace

void validate_ephemeral_volume(FieldErrors& errors, const FieldPath& path,
                               const core::v1::EphemeralVolumeSource& ephemeral) {
  const FieldPath claim_path = path.child("volumeClaimTemplate");
  if (!ephemeral.has_volume_claim_template()) {
    errors.required(claim_path);
    return;
  }
  const core::v1::PersistentVolumeClaimTemplate& claim = ephemeral.volume_claim_template();
  const FieldPath metadata_path = claim_path.child("metadata");
  validate_annotations(errors, metadata_path.child("annotations"), claim.metadata().annotations());
  validate_labels(errors, metadata_path.child("labels"), claim.metadata().labels());
  forbid_other_metadata(errors, metadata_path, claim.metadata());
  validate_claim_spec(errors, claim_path.child("spec"), claim.spec());
}

}  // namespace windlass::api
