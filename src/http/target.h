// A request target as the parts it is made of: the path's segments and the query's parameters,
// percent-decoded exactly once. Code that decides about a request (authorization, routing) reads
// these and never the text, so that no two of them can read it differently. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"

namespace windlass::http {

// More than these is no request of any client there is.
inline constexpr size_t kMaxPathSegments = 32;
inline constexpr size_t kMaxQueryParameters = 256;

struct Parameter {
  std::string name;
  std::string value;

  bool operator==(const Parameter&) const = default;
};

struct Target {
  std::string path;                   // as sent, without the query
  std::vector<std::string> segments;  // `/api/v1/pods` is api, v1, pods; `/` is none
  std::vector<Parameter> parameters;  // in the order sent; a name may come again

  // The first of that name, as Go's url.Values.Get has it.
  std::optional<std::string_view> parameter(std::string_view name) const;
  // Whether a switch is on: `watch=true`, `watch=1`; what is not a boolean counts as on, as in
  // Kubernetes' conversion of query parameters.
  bool flag(std::string_view name) const;
};

// Fails (400) for what has no one meaning: an escape that is cut off, a control character, a
// segment that is `.` or `..` or holds a slash, an empty segment in the middle. One slash at the
// end is dropped.
Result<Target> parse_target(std::string_view target);

// `%2F` to `/`. In a query, `+` is a blank.
enum class PlusSign { literal, blank };
Result<std::string> percent_decode(std::string_view text, PlusSign plus);

// Which of the transport's limits a request counts against. Pure; any thread.

// Long-running: watches, followed logs, and the streams of containers. They have no time limit and
// a cap of their own, as in kube-apiserver.
enum class RequestClass { read, mutating, long_running };
inline constexpr size_t kRequestClasses = 3;

RequestClass classify(const Request& request);

}  // namespace windlass::http
