// What is left in a namespace that is being deleted, and what the namespace's status says of it, in
// the words of Kubernetes. Plain data and pure functions; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/time.h"

namespace windlass::api::core::v1 {
class Namespace;
}

namespace windlass::controllers::namespaces {

struct Leftovers {
  std::map<std::string, size_t> objects = {};     // how many, by resource and group: `jobs.batch`
  std::map<std::string, size_t> finalizers = {};  // on how many objects
  std::vector<std::string> errors = {};           // one per kind that could not be emptied
};

// All five conditions of a deletion. The time of transition moves with the status alone. False when
// nothing changed.
bool set_deletion_conditions(api::core::v1::Namespace& ns, const Leftovers& left, Time now);

}  // namespace windlass::controllers::namespaces
