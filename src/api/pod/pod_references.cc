#include "api/pod/pod_references.h"

#include <algorithm>

#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::api {
namespace {

using core::v1::PodSpec;

// Of the two kinds, what a source of variables or files names; "" is nothing.
struct ConfigMaps {
  static std::string_view of(const core::v1::EnvVarSource& source) {
    return source.config_map_key_ref().local_object_reference().name();
  }
  static std::string_view of(const core::v1::EnvFromSource& source) {
    return source.config_map_ref().local_object_reference().name();
  }
  static std::string_view of(const core::v1::Volume& volume) {
    return volume.volume_source().config_map().local_object_reference().name();
  }
  static std::string_view of(const core::v1::VolumeProjection& source) {
    return source.config_map().local_object_reference().name();
  }
};

struct Secrets {
  static std::string_view of(const core::v1::EnvVarSource& source) {
    return source.secret_key_ref().local_object_reference().name();
  }
  static std::string_view of(const core::v1::EnvFromSource& source) {
    return source.secret_ref().local_object_reference().name();
  }
  static std::string_view of(const core::v1::Volume& volume) {
    return volume.volume_source().secret().secret_name();
  }
  static std::string_view of(const core::v1::VolumeProjection& source) {
    return source.secret().local_object_reference().name();
  }
};

template <class Kind, class Containers>
bool containers_name(const Containers& containers, std::string_view name) {
  return std::any_of(containers.begin(), containers.end(), [name](const auto& container) {
    return std::any_of(container.env().begin(), container.env().end(),
                       [name](const auto& one) { return Kind::of(one.value_from()) == name; }) ||
           std::any_of(container.env_from().begin(), container.env_from().end(),
                       [name](const auto& one) { return Kind::of(one) == name; });
  });
}

template <class Kind>
bool volumes_name(const PodSpec& spec, std::string_view name) {
  return std::any_of(spec.volumes().begin(), spec.volumes().end(), [name](const auto& volume) {
    const auto& sources = volume.volume_source().projected().sources();
    return Kind::of(volume) == name ||
           std::any_of(sources.begin(), sources.end(),
                       [name](const auto& source) { return Kind::of(source) == name; });
  });
}

template <class Kind>
bool spec_names(const PodSpec& spec, std::string_view name) {
  return !name.empty() &&
         (volumes_name<Kind>(spec, name) || containers_name<Kind>(spec.containers(), name) ||
          containers_name<Kind>(spec.init_containers(), name));
}

}  // namespace

bool names_config_map(const PodSpec& spec, std::string_view name) {
  return spec_names<ConfigMaps>(spec, name);
}

bool names_secret(const PodSpec& spec, std::string_view name) {
  const auto& pulls = spec.image_pull_secrets();
  return spec_names<Secrets>(spec, name) ||
         (!name.empty() && std::any_of(pulls.begin(), pulls.end(), [name](const auto& secret) {
           return secret.name() == name;
         }));
}

}  // namespace windlass::api
