// The ConfigMaps and Secrets that a pod names, as they were when they were read. Plain values and
// pure functions; pod_setup.h reads them from the API server.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "api/object.h"
#include "base/result.h"
#include "node/pod/pod_spec_view.h"

namespace windlass::node {

using ObjectData = std::map<std::string, std::string, std::less<>>;  // by key
// One that does not exist is not in it.
using PodObjects = std::map<ObjectName, ObjectData>;

// Everything that volumes and environments of the pod take from objects.
std::set<ObjectName> named_objects(const PodSpecView& spec);

ObjectData read_object(ObjectName::Kind kind, const api::Message& object);

// `configmap "settings" not found` (disruption.md K-18).
Status missing_object(const ObjectName& object);

// Null when it is not there and need not be; an error when it has to be.
Result<const ObjectData*> find_object(const PodObjects& objects, const ObjectName& name,
                                      bool optional);

}  // namespace windlass::node
