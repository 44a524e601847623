// What a request for a pod's log asks for, and the rules about it (api.md P100-P103). Pure.
#pragma once

#include "apiserver/rest/hooks.h"
#include "base/result.h"
#include "http/target.h"

namespace windlass::apiserver {

// Everything but the pod. 400 for what is no number, 422 for what is out of range.
Result<LogRequest> parse_log_query(const http::Target& target, std::string_view pod_name);
// Fills in the only container of the pod, or says why there is none to take (P101).
Result<void> choose_container(LogRequest& request);

}  // namespace windlass::apiserver
