#include "apiserver/table/columns.h"

#include "api/codec/wire_time.h"
#include "schema/core/v1/pod_spec.pb.h"
#include "schema/meta/v1/meta.pb.h"
#include "schema/meta/v1/time.pb.h"

namespace windlass::apiserver {

std::string since(const api::meta::v1::Time& time, Time now) {
  if (time.seconds() == 0 && time.nanos() == 0) {
    return "<unknown>";
  }
  return human_duration(now - api::time_of(time));
}

std::string age_of(const api::Message& object, Time now) {
  const auto& metadata = api::metadata_of(object);
  return metadata.has_creation_timestamp() ? since(metadata.creation_timestamp(), now)
                                           : "<unknown>";
}

std::string_view or_none(std::string_view text) {
  return text.empty() ? "<none>" : text;
}

void append_container_cells(const api::core::v1::PodSpec& spec, JsonWriter& json) {
  std::string names;
  std::string images;
  for (const auto& container : spec.containers()) {
    const char* comma = names.empty() ? "" : ",";
    names.append(comma).append(container.name());
    images.append(comma).append(container.image());
  }
  json.string(names).string(images);
}

}  // namespace windlass::apiserver
