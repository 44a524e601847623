#include <map>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::EnvVar;
using core::v1::EnvVarSource;

constexpr std::string_view kTooManyFields = "may not have more than one field specified at a time";

void validate_config_key(FieldErrors& errors, const FieldPath& path, const std::string& name,
                         const std::string& key) {
  add_problems(errors, path.child("name"), name, check_dns1123_subdomain(name));
  if (key.empty()) {
    errors.required(path.child("key"));
  } else {
    add_problems(errors, path.child("key"), key, check_config_map_key(key));
  }
}

void validate_file_key(FieldErrors& errors, const FieldPath& path,
                       const core::v1::FileKeySelector& reference) {
  if (reference.key().empty()) {
    errors.required(path.child("key"));
  } else {
    add_problems(errors, path.child("key"), reference.key(), check_env_var_name(reference.key()));
  }
  if (reference.volume_name().empty()) {
    errors.required(path.child("volumeName"));
  } else {
    add_problems(errors, path.child("volumeName"), reference.volume_name(),
                 check_dns1123_label(reference.volume_name()));
  }
  if (reference.path().empty()) {
    errors.required(path.child("path"));
  } else {
    validate_no_backsteps(errors, path.child("path"), reference.path());
  }
}

int count_sources(const EnvVarSource& source) {
  return int{source.has_field_ref()} + int{source.has_resource_field_ref()} +
         int{source.has_config_map_key_ref()} + int{source.has_secret_key_ref()} +
         int{source.has_file_key_ref()};
}

void validate_value_from(FieldErrors& errors, const FieldPath& path, const EnvVar& variable) {
  const EnvVarSource& source = variable.value_from();
  if (source.has_field_ref()) {
    validate_field_ref(errors, path.child("fieldRef"), source.field_ref(), DownwardUse::env);
  }
  if (source.has_resource_field_ref()) {
    validate_resource_ref(errors, path.child("resourceFieldRef"), source.resource_field_ref(),
                          DownwardUse::env);
  }
  if (source.has_config_map_key_ref()) {
    validate_config_key(errors, path.child("configMapKeyRef"),
                        source.config_map_key_ref().local_object_reference().name(),
                        source.config_map_key_ref().key());
  }
  if (source.has_secret_key_ref()) {
    validate_config_key(errors, path.child("secretKeyRef"),
                        source.secret_key_ref().local_object_reference().name(),
                        source.secret_key_ref().key());
  }
  if (source.has_file_key_ref()) {
    validate_file_key(errors, path.child("fileKeyRef"), source.file_key_ref());
  }
  const int sources = count_sources(source);
  if (sources == 0) {
    errors.invalid(path, "",
                   "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
                   "`secretKeyRef` or `fileKeyRef`");
  } else if (!variable.value().empty()) {
    errors.invalid(path, "", "may not be specified when `value` is not empty");
  } else if (sources > 1) {
    errors.invalid(path, "", kTooManyFields);
  }
}

void validate_source_name(FieldErrors& errors, const FieldPath& path, const std::string& name) {
  if (name.empty()) {
    errors.required(path.child("name"));
    return;
  }
  // Kubernetes checks these names as prefixes, in which a trailing dash is masked.
  const bool masked = name.size() > 1 && name.ends_with('-');
  add_problems(errors, path.child("name"), name,
               check_dns1123_subdomain(masked ? name.substr(0, name.size() - 2) + "a" : name));
}

using VolumesByName = std::map<std::string_view, const core::v1::Volume*>;

void validate_file_keys_of(FieldErrors& errors, const FieldPath& path,
                           const core::v1::Container& container, const core::v1::PodSpec& spec,
                           VolumesByName& volumes) {
  for (int i = 0; i < container.env_size(); ++i) {
    if (!container.env(i).value_from().has_file_key_ref()) {
      continue;
    }
    if (volumes.empty()) {
      for (const core::v1::Volume& volume : spec.volumes()) {
        volumes[volume.name()] = &volume;
      }
    }
    const std::string& name = container.env(i).value_from().file_key_ref().volume_name();
    const FieldPath env = path.child("env").index(as_index(i));
    const FieldPath name_path = env.child("valueFrom").child("fileKeyRef").child("volumeName");
    const auto found = volumes.find(name);
    if (found == volumes.end()) {
      errors.not_found(name_path, name);
    } else if (!found->second->volume_source().has_empty_dir()) {
      errors.invalid(name_path, name, "referenced volume must be of type emptyDir");
    }
  }
}

}  // namespace

// api.md P34
void validate_env(FieldErrors& errors, const FieldPath& path, const Repeated<EnvVar>& variables) {
  for (int i = 0; i < variables.size(); ++i) {
    const EnvVar& variable = variables[i];
    if (variable.name().empty()) {
      errors.required(path.index(as_index(i)).child("name"));
    } else if (const auto problems = check_env_var_name(variable.name()); !problems.empty()) {
      add_problems(errors, path.index(as_index(i)).child("name"), variable.name(), problems);
    }
    if (variable.has_value_from()) {
      validate_value_from(errors, path.index(as_index(i)).child("valueFrom"), variable);
    }
  }
}

// api.md P35: errors about the number of sources have no index.
void validate_env_from(FieldErrors& errors, const FieldPath& path,
                       const Repeated<core::v1::EnvFromSource>& sources) {
  for (int i = 0; i < sources.size(); ++i) {
    const core::v1::EnvFromSource& source = sources[i];
    const FieldPath item = path.index(as_index(i));
    if (!source.prefix().empty()) {
      add_problems(errors, item.child("prefix"), source.prefix(),
                   check_env_var_name(source.prefix()));
    }
    if (source.has_config_map_ref()) {
      validate_source_name(errors, item.child("configMapRef"),
                           source.config_map_ref().local_object_reference().name());
    }
    if (source.has_secret_ref()) {
      validate_source_name(errors, item.child("secretRef"),
                           source.secret_ref().local_object_reference().name());
    }
    if (!source.has_config_map_ref() && !source.has_secret_ref()) {
      errors.invalid(path, "", "must specify one of: `configMapRef` or `secretRef`");
    } else if (source.has_config_map_ref() && source.has_secret_ref()) {
      errors.invalid(path, "", kTooManyFields);
    }
  }
}

void validate_file_key_volumes(FieldErrors& errors, const FieldPath& path,
                               const core::v1::PodSpec& spec) {
  VolumesByName volumes;  // filled when the first reference is found
  for (int i = 0; i < spec.init_containers_size(); ++i) {
    validate_file_keys_of(errors, path.child("initContainers").index(as_index(i)),
                          spec.init_containers(i), spec, volumes);
  }
  for (int i = 0; i < spec.containers_size(); ++i) {
    validate_file_keys_of(errors, path.child("containers").index(as_index(i)), spec.containers(i),
                          spec, volumes);
  }
}

}  // namespace windlass::api
