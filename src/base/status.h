// The error of this program is the Kubernetes Status: what fails deep inside validation is already
// the answer the client gets. Plain data; the wire form lives in api.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace windlass {

struct StatusCause {
  std::string reason;   // FieldValueInvalid, FieldValueRequired, ...
  std::string message;  // `Invalid value: -1: must be greater than or equal to 0`
  std::string field;    // spec.parallelism

  bool operator==(const StatusCause&) const = default;
};

struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;  // plural resource, except for Invalid, where it is the Kind (api.md M21)
  std::string uid;
  std::vector<StatusCause> causes;
  int32_t retry_after_seconds = 0;

  bool operator==(const StatusDetails&) const = default;
};

struct Status {
  int code = 500;
  std::string reason;  // NotFound, Conflict, Invalid, ...; empty for a plain error
  std::string message;
  StatusDetails details;

  bool operator==(const Status&) const = default;
};

// What a Status is about: `jobs.batch "x"`.
struct ResourceName {
  std::string_view group;     // "" for core
  std::string_view resource;  // plural, lower case
  std::string_view name;
};

Status bad_request(std::string message);
Status unauthorized();
Status forbidden(const ResourceName& about, std::string_view why);
Status not_found(const ResourceName& about);
Status already_exists(const ResourceName& about);
Status conflict(const ResourceName& about, std::string_view why);
Status gone(std::string message);
Status unsupported_media_type(std::string message);
Status internal_error(std::string_view why);
// A failure without a Kubernetes reason, e.g. of a file or a process.
Status plain_error(std::string message);

inline bool is_not_found(const Status& status) {
  return status.reason == "NotFound";
}
inline bool is_conflict(const Status& status) {
  return status.reason == "Conflict";
}
inline bool is_already_exists(const Status& status) {
  return status.reason == "AlreadyExists";
}
inline bool is_gone(const Status& status) {
  return status.code == 410;
}

}  // namespace windlass
