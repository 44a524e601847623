#include "node/volumes/volume_plan.h"

#include <google/protobuf/message.h>
#include <algorithm>

#include "base/quantity.h"
#include "schema/core/v1/pod_spec.pb.h"
#include "schema/core/v1/volume.pb.h"
#include "schema/core/v1/volume_config.pb.h"

namespace windlass::node {
namespace {

namespace core = api::core::v1;

constexpr unsigned kDefaultMode = 0644;
constexpr int64_t kWholeUnits = 1000;

int64_t divisor_of(const core::ResourceFieldSelector& selector) {
  const Result<Quantity> parsed = Quantity::parse(selector.divisor().string());
  return parsed && parsed->milli_value() > 0 ? parsed->milli_value() : kWholeUnits;
}

template <class Message>
unsigned mode_of(const Message& message, unsigned otherwise) {
  return message.has_default_mode() ? static_cast<unsigned>(message.default_mode()) : otherwise;
}

template <class Items>
void read_items(const Items& items, FileSource& source) {
  for (const core::KeyToPath& item : items) {
    source.items.push_back(
        {item.key(), item.path(),
         item.has_mode() ? static_cast<unsigned>(item.mode()) : source.default_mode});
  }
}

template <class Message>
FileSource object_source(ObjectName object, const Message& message, unsigned mode) {
  FileSource source;
  source.object = std::move(object);
  source.optional = message.optional();
  source.default_mode = mode;
  read_items(message.items(), source);
  return source;
}

template <class Items>
FileSource downward_source(const Items& items, unsigned mode) {
  FileSource source;
  source.kind = FileSource::Kind::downward;
  source.default_mode = mode;
  for (const core::DownwardAPIVolumeFile& file : items) {
    FileSource::Item item{file.field_ref().field_path(), file.path(),
                          file.has_mode() ? static_cast<unsigned>(file.mode()) : mode};
    if (file.has_resource_field_ref()) {
      item.resource = file.resource_field_ref().resource();
      item.container = file.resource_field_ref().container_name();
      item.milli_divisor = divisor_of(file.resource_field_ref());
    }
    source.items.push_back(std::move(item));
  }
  return source;
}

void read_projected(const core::ProjectedVolumeSource& projected, VolumePlan& plan) {
  const unsigned mode = mode_of(projected, kDefaultMode);
  plan.kind = VolumePlan::Kind::files;
  for (const core::VolumeProjection& each : projected.sources()) {
    if (each.has_config_map()) {
      plan.sources.push_back(object_source(
          {ObjectName::Kind::config_map, each.config_map().local_object_reference().name()},
          each.config_map(), mode));
    } else if (each.has_secret()) {
      plan.sources.push_back(
          object_source({ObjectName::Kind::secret, each.secret().local_object_reference().name()},
                        each.secret(), mode));
    } else if (each.has_downward_api()) {
      plan.sources.push_back(downward_source(each.downward_api().items(), mode));
    } else {
      plan.kind = VolumePlan::Kind::unsupported;
      plan.text = each.has_service_account_token() ? "projected serviceAccountToken" : "projected";
    }
  }
}

// The name of the one field that is set.
std::string source_name(const core::VolumeSource& source) {
  std::vector<const google::protobuf::FieldDescriptor*> set;
  source.GetReflection()->ListFields(source, &set);
  return set.empty() ? "of no kind" : set.front()->json_name();
}

VolumePlan read_volume(const core::Volume& volume) {
  VolumePlan plan;
  plan.name = volume.name();
  const core::VolumeSource& source = volume.volume_source();
  if (source.has_empty_dir()) {
    plan.kind = VolumePlan::Kind::empty_dir;
    plan.size_limit = source.empty_dir().size_limit().string();
    plan.in_memory = source.empty_dir().medium() == "Memory";
  } else if (source.has_host_path()) {
    plan.kind = VolumePlan::Kind::host_path;
    plan.text = source.host_path().path();
    plan.path_type = source.host_path().type();
  } else if (source.has_config_map()) {
    plan.kind = VolumePlan::Kind::files;
    plan.sources.push_back(object_source(
        {ObjectName::Kind::config_map, source.config_map().local_object_reference().name()},
        source.config_map(), mode_of(source.config_map(), kDefaultMode)));
  } else if (source.has_secret()) {
    plan.kind = VolumePlan::Kind::files;
    plan.sources.push_back(object_source({ObjectName::Kind::secret, source.secret().secret_name()},
                                         source.secret(), mode_of(source.secret(), kDefaultMode)));
  } else if (source.has_downward_api()) {
    plan.kind = VolumePlan::Kind::files;
    plan.sources.push_back(downward_source(source.downward_api().items(),
                                           mode_of(source.downward_api(), kDefaultMode)));
  } else if (source.has_projected()) {
    read_projected(source.projected(), plan);
  } else {
    plan.kind = VolumePlan::Kind::unsupported;
    plan.text = source_name(source);
  }
  return plan;
}

}  // namespace

bool has_objects_in_volumes(const std::vector<VolumePlan>& volumes) {
  return std::any_of(volumes.begin(), volumes.end(), [](const VolumePlan& volume) {
    return std::any_of(volume.sources.begin(), volume.sources.end(), [](const FileSource& source) {
      return source.kind == FileSource::Kind::object;
    });
  });
}

std::vector<VolumePlan> read_volumes(const core::PodSpec& spec) {
  std::vector<VolumePlan> volumes;
  for (const core::Volume& volume : spec.volumes()) {
    volumes.push_back(read_volume(volume));
  }
  return volumes;
}

}  // namespace windlass::node
