// What a request for a pod's log asks for, and the rules about it (api.md P100-P103). Pure.
#pragma once

#include "apiserver/rest/hooks.h"
#include "base/result.h"
#include "http/target.h"

namespace windlass::apiserver {

// Everything but the pod. 400 for what is no number, 422 for what is out of range.
Result<LogRequest> parse_log_query(const http::Target& target, std::string_view pod_name);
// The container of that name, or the only one of the pod for ""; or why there is none to take
// (P101).
Result<std::string> choose_container(const api::core::v1::Pod& pod, const std::string& name);

}  // namespace windlass::apiserver
