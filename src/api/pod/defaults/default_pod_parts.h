// The parts of default_pod, one file each: containers, volumes, quantities.
#pragma once

#include <string>

#include "api/string_map.h"

namespace windlass::api::core::v1 {
class Container;
class EphemeralContainerCommon;
class ObjectFieldSelector;
class PodSpec;
class Volume;
}  // namespace windlass::api::core::v1

namespace windlass::api::meta::v1 {
class Quantity;
}

namespace windlass::api {

using ResourceMap = google::protobuf::Map<std::string, meta::v1::Quantity>;

void default_container(core::v1::Container& container);
void default_container(core::v1::EphemeralContainerCommon& container);
void default_volume(core::v1::Volume& volume);
void default_field_ref(core::v1::ObjectFieldSelector& field_ref);  // P16
// Rounds up to thousandths and writes the canonical form (P17).
void default_resources(ResourceMap& resources);
// Of a pod that has spec.resources; its containers have their defaults.
void default_pod_resources(core::v1::PodSpec& spec);
// The canonical form alone. Text that is no quantity stays as it is.
void canonicalize_quantity(meta::v1::Quantity& quantity);

}  // namespace windlass::api
