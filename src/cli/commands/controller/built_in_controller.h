#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "client/api_client.h"

namespace windlass::cli {

// A trace of the cluster's built-in Job controller: one of its Jobs whose status it wrote in the
// last minutes, according to managedFields. Two controllers of the same Jobs would count each
// other's pods.
inline constexpr Duration kBuiltInTrace = minutes(5);

struct BuiltInTrace {
  std::string job;     // namespace/name
  std::string writer;  // kube-controller-manager; k3s, kubelite: the program that it is a part of
};

std::optional<BuiltInTrace> find_built_in_trace(const client::ObjectList& jobs, Time now);

// The error text, with the remedy.
std::string built_in_advice(const BuiltInTrace& trace);

}  // namespace windlass::cli
