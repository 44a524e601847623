// Query parameters of one type, as kube-apiserver converts them into options. A parameter that is
// there counts, also with an empty value; of one given twice the first counts, in a list all do.
// What cannot be converted is a 400 in Go's words, and never taken for absent. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "http/target.h"

namespace windlass::apiserver {

// Empty where there is no such parameter.
std::string text_parameter(const http::Target& target, std::string_view name);
// Switches have values of their own: see http::Target::flag.
std::optional<bool> flag_parameter(const http::Target& target, std::string_view name);
// An empty value is no number.
Result<std::optional<int64_t>> int_parameter(const http::Target& target, std::string_view name);
// Empty and `null` are the beginning of time, as older clients write it.
Result<std::optional<Time>> time_parameter(const http::Target& target, std::string_view name);
std::vector<std::string> list_parameter(const http::Target& target, std::string_view name);

// The time that a client gives a request that does not stream. It is checked alone: no request here
// waits for anything that takes long.
Result<void> check_timeout_parameter(const http::Target& target);

}  // namespace windlass::apiserver
