#include "apiserver/table/container_cells.h"

#include "schema/core/v1/pod_spec.pb.h"

namespace windlass::apiserver {

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
