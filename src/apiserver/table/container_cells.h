// Names and images of a pod's containers, as wide tables show them. Pure.
#pragma once

#include "base/json_writer.h"

namespace windlass::api::core::v1 {
class PodSpec;
}

namespace windlass::apiserver {

// Two cells: a,b and image-a,image-b.
void append_container_cells(const api::core::v1::PodSpec& spec, JsonWriter& json);

}  // namespace windlass::apiserver
