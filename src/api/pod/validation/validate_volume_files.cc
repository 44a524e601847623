// What volumes put into files: items, downward API files, projected sources, and their paths.
#include <set>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/volume_config.pb.h"

namespace windlass::api {
namespace {

constexpr int32_t kMaxMode = 0777;
constexpr int64_t kMinTokenSeconds = 600;
constexpr int64_t kMaxTokenSeconds = int64_t{1} << 32;

// A descending path whose first name does not begin with two dots.
void validate_file_path(FieldErrors& errors, const FieldPath& path, std::string_view target) {
  validate_descending_path(errors, path, target);
  if (target.starts_with("..") && !target.starts_with("../")) {
    errors.invalid(path, target, "must not start with '..'");
  }
}

// The paths of all sources of one projected volume.
class ProjectedPaths {
 public:
  ProjectedPaths(FieldErrors& errors, const FieldPath& path) : errors_(errors), path_(path) {}

  // `value` is what the error prints.
  void add(const std::string& target, const std::string& value) {
    if (!target.empty() && !seen_.insert(target).second) {
      errors_.invalid(path_, value, "conflicting duplicate paths");
    }
  }

 private:
  FieldErrors& errors_;
  const FieldPath& path_;
  std::set<std::string_view> seen_;
};

template <class Source>
void validate_items(FieldErrors& errors, const FieldPath& path, const Source& source,
                    ProjectedPaths& paths) {
  const std::string& name = source.local_object_reference().name();
  if (name.empty()) {
    errors.required(path.child("name"));
  }
  for (int i = 0; i < source.items_size(); ++i) {
    validate_key_to_path(errors, path.child("items").index(as_index(i)), source.items(i));
    paths.add(source.items(i).path(), name);
  }
}

void validate_token(FieldErrors& errors, const FieldPath& path, const FieldPath& volume_path,
                    const core::v1::ServiceAccountTokenProjection& token) {
  if (token.expiration_seconds() < kMinTokenSeconds) {
    errors.invalid(path.child("expirationSeconds"), BadValue::number(token.expiration_seconds()),
                   "may not specify a duration less than 10 minutes");
  }
  if (token.expiration_seconds() > kMaxTokenSeconds) {
    errors.invalid(path.child("expirationSeconds"), BadValue::number(token.expiration_seconds()),
                   "may not specify a duration larger than 2^32 seconds");
  }
  if (token.path().empty()) {
    errors.required(volume_path.child("path"));
  } else {
    validate_file_path(errors, volume_path.child("path"), token.path());
  }
}

int count_sources(const core::v1::VolumeProjection& source) {
  return int{source.has_secret()} + int{source.has_config_map()} + int{source.has_downward_api()} +
         int{source.has_service_account_token()} + int{source.has_cluster_trust_bundle()} +
         int{source.has_pod_certificate()};
}

}  // namespace

void validate_no_backsteps(FieldErrors& errors, const FieldPath& path, std::string_view target) {
  std::string_view rest = target;
  while (true) {
    const size_t slash = rest.find('/');
    if (rest.substr(0, slash) == "..") {
      errors.invalid(path, target, "must not contain '..'");
      return;
    }
    if (slash == std::string_view::npos) {
      return;
    }
    rest.remove_prefix(slash + 1);
  }
}

void validate_descending_path(FieldErrors& errors, const FieldPath& path, std::string_view target) {
  if (target.starts_with('/')) {
    errors.invalid(path, target, "must be a relative path");
  }
  validate_no_backsteps(errors, path, target);
}

void validate_file_mode(FieldErrors& errors, const FieldPath& path, int32_t mode) {
  if (mode < 0 || mode > kMaxMode) {
    errors.invalid(path, BadValue::number(mode),
                   "must be a number between 0 and 0777 (octal), both inclusive");
  }
}

void validate_key_to_path(FieldErrors& errors, const FieldPath& path,
                          const core::v1::KeyToPath& item) {
  if (item.key().empty()) {
    errors.required(path.child("key"));
  }
  if (item.path().empty()) {
    errors.required(path.child("path"));
  }
  validate_file_path(errors, path.child("path"), item.path());
  if (item.has_mode()) {
    validate_file_mode(errors, path.child("mode"), item.mode());
  }
}

void validate_downward_file(FieldErrors& errors, const FieldPath& path,
                            const core::v1::DownwardAPIVolumeFile& file) {
  if (file.path().empty()) {
    errors.required(path.child("path"));
  }
  validate_file_path(errors, path.child("path"), file.path());
  if (file.has_field_ref()) {
    validate_field_ref(errors, path.child("fieldRef"), file.field_ref(), DownwardUse::volume);
    if (file.has_resource_field_ref()) {
      errors.invalid(path, "resource",
                     "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (file.has_resource_field_ref()) {
    validate_resource_ref(errors, path.child("resourceFieldRef"), file.resource_field_ref(),
                          DownwardUse::volume);
  } else {
    errors.required(path, "one of fieldRef and resourceFieldRef is required");
  }
  if (file.has_mode()) {
    validate_file_mode(errors, path.child("mode"), file.mode());
  }
}

void validate_projected_volume(FieldErrors& errors, const FieldPath& path,
                               const core::v1::ProjectedVolumeSource& projected) {
  if (projected.has_default_mode()) {
    validate_file_mode(errors, path.child("defaultMode"), projected.default_mode());
  }
  ProjectedPaths paths(errors, path);
  for (int i = 0; i < projected.sources_size(); ++i) {
    const core::v1::VolumeProjection& source = projected.sources(i);
    const FieldPath item = path.child("sources").index(as_index(i));
    if (source.has_secret()) {
      validate_items(errors, item.child("secret"), source.secret(), paths);
    }
    if (source.has_config_map()) {
      validate_items(errors, item.child("configMap"), source.config_map(), paths);
    }
    for (const core::v1::DownwardAPIVolumeFile& file : source.downward_api().items()) {
      validate_downward_file(errors, item.child("downwardAPI"), file);
      paths.add(file.path(), file.path());
    }
    if (source.has_service_account_token()) {
      validate_token(errors, item.child("serviceAccountToken"), path,
                     source.service_account_token());
    }
    if (count_sources(source) > 1) {
      errors.forbidden(item, "may not specify more than 1 volume type per source");
    }
  }
}

}  // namespace windlass::api
