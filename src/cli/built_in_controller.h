#pragma once

#include <string>

#include "base/time.h"
#include "client/api_client.h"

namespace windlass::cli {

// A trace of the cluster's own Job controller at work in the last minutes: the Job whose status it
// has written, by what the API server notes of writers; "" for none. Two controllers of the same
// Jobs would count each other's pods.
inline constexpr Duration kBuiltInTrace = minutes(5);
std::string find_built_in_trace(const client::ObjectList& jobs, Time now);

// What to do about it.
std::string built_in_advice(const std::string& job);

}  // namespace windlass::cli
