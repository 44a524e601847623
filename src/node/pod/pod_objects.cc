#include "node/pod/pod_objects.h"

#include <fmt/format.h>

#include "schema/core/v1/config_map.pb.h"

namespace windlass::node {
namespace {

namespace core = api::core::v1;

void add_names(const ContainerSpecView& container, std::set<ObjectName>& names) {
  for (const EnvironmentBatch& batch : container.environment_from) {
    names.insert(batch.object);
  }
  for (const EnvironmentEntry& entry : container.environment) {
    if (entry.source == EnvironmentEntry::Source::config_map) {
      names.insert({ObjectName::Kind::config_map, entry.text});
    } else if (entry.source == EnvironmentEntry::Source::secret) {
      names.insert({ObjectName::Kind::secret, entry.text});
    }
  }
}

}  // namespace

std::set<ObjectName> named_objects(const PodSpecView& spec) {
  std::set<ObjectName> names;
  for (const VolumePlan& volume : spec.volumes) {
    for (const FileSource& source : volume.sources) {
      if (source.kind == FileSource::Kind::object) {
        names.insert(source.object);
      }
    }
  }
  for (const auto* list : {&spec.init_containers, &spec.containers}) {
    for (const ContainerSpecView& container : *list) {
      add_names(container, names);
    }
  }
  return names;
}

ObjectData read_object(ObjectName::Kind kind, const api::Message& object) {
  ObjectData data;
  if (kind == ObjectName::Kind::secret) {
    const auto& secret = static_cast<const core::Secret&>(object);
    data.insert(secret.data().begin(), secret.data().end());
    return data;
  }
  const auto& map = static_cast<const core::ConfigMap&>(object);
  data.insert(map.data().begin(), map.data().end());
  data.insert(map.binary_data().begin(), map.binary_data().end());
  return data;
}

Status missing_object(const ObjectName& object) {
  const bool secret = object.kind == ObjectName::Kind::secret;
  return {404,
          "NotFound",
          fmt::format("{} \"{}\" not found", secret ? "secret" : "configmap", object.name),
          {}};
}

Result<const ObjectData*> find_object(const PodObjects& objects, const ObjectName& name,
                                      bool optional) {
  const auto found = objects.find(name);
  if (found != objects.end()) {
    return &found->second;
  }
  return optional ? Result<const ObjectData*>(nullptr) : fail(missing_object(name));
}

}  // namespace windlass::node
