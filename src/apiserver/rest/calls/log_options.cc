#include "apiserver/rest/calls/log_options.h"

#include <fmt/format.h>

#include "api/field_error.h"
#include "apiserver/rest/options.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

const api::Kind& log_options_kind() {
  static const api::Kind kind = [] {
    api::Kind made;
    made.kind = "PodLogOptions";
    return made;
  }();
  return kind;
}

// `[a b]`
template <class Containers>
std::string names_of(const Containers& containers) {
  std::string names;
  for (const auto& container : containers) {
    names += (names.empty() ? "" : " ") + container.name();
  }
  return "[" + names + "]";
}

// P103.
Result<void> check(const LogRequest& log, bool names_stream, std::string_view pod_name) {
  api::FieldErrors errors;
  const auto at_least = [&](const std::optional<int64_t>& value, const char* name, int64_t least) {
    if (value && *value < least) {
      errors.invalid(api::FieldPath(name), api::BadValue::number(*value),
                     least == 0 ? "must be greater than or equal to 0" : "must be greater than 0");
    }
  };
  at_least(log.tail_lines, "tailLines", 0);
  at_least(log.limit_bytes, "limitBytes", 1);
  if (log.since_seconds && log.since_time) {
    errors.forbidden(api::FieldPath("[]"),
                     "at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else {
    at_least(log.since_seconds, "sinceSeconds", 1);
  }
  if (names_stream) {
    errors.forbidden(api::FieldPath("stream"), "may not be specified");
  }
  if (errors.empty()) {
    return {};
  }
  return fail(errors.to_status(log_options_kind(), pod_name));
}

}  // namespace

Result<LogRequest> parse_log_query(const http::Target& target, std::string_view pod_name) {
  LogRequest log;
  log.container = text_parameter(target, "container");
  log.follow = target.flag("follow");
  log.previous = target.flag("previous");
  log.timestamps = target.flag("timestamps");
  TRY(log.since_seconds, int_parameter(target, "sinceSeconds"));
  TRY(log.since_time, time_parameter(target, "sinceTime"));
  TRY(log.tail_lines, int_parameter(target, "tailLines"));
  TRY(log.limit_bytes, int_parameter(target, "limitBytes"));
  TRY_VOID(check(log, target.parameter("stream").has_value(), pod_name));
  return log;
}

Result<std::string> choose_container(const api::core::v1::Pod& pod, const std::string& name) {
  const std::string& pod_name = pod.metadata().name();
  if (name.empty()) {
    if (pod.spec().containers_size() == 1) {
      return pod.spec().containers(0).name();
    }
    std::string choices = names_of(pod.spec().containers());
    if (!pod.spec().init_containers().empty()) {
      choices += " or one of the init containers: " + names_of(pod.spec().init_containers());
    }
    return fail(bad_request(fmt::format(
        "a container name must be specified for pod {}, choose one of: {}", pod_name, choices)));
  }
  for (const auto* containers : {&pod.spec().containers(), &pod.spec().init_containers()}) {
    for (const auto& container : *containers) {
      if (container.name() == name) {
        return name;
      }
    }
  }
  return fail(bad_request(fmt::format("container {} is not valid for pod {}", name, pod_name)));
}

}  // namespace windlass::apiserver
