#include "apiserver/rest/log_options.h"

#include <fmt/format.h>

#include <charconv>

#include "api/field_error.h"
#include "base/quote.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

Result<std::optional<int64_t>> number(const http::Target& target, std::string_view name) {
  const std::string_view text = target.parameter(name).value_or("");
  if (text.empty()) {
    return std::nullopt;
  }
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) {
    return fail(bad_request("strconv.ParseInt: parsing " + quote(text) + ": invalid syntax"));
  }
  return value;
}

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
Result<void> check(const LogRequest& log, std::string_view pod_name) {
  api::FieldErrors errors;
  const auto at_least = [&](const std::optional<int64_t>& value, const char* name, int64_t least) {
    if (value && *value < least) {
      errors.invalid(api::FieldPath(name), api::BadValue::number(*value),
                     least == 0 ? "must be greater than or equal to 0" : "must be greater than 0");
    }
  };
  at_least(log.tail_lines, "tailLines", 0);
  at_least(log.limit_bytes, "limitBytes", 1);
  if (log.since_seconds && !log.since_time.empty()) {
    errors.forbidden(api::FieldPath("[]"),
                     "at most one of `sinceTime` or `sinceSeconds` may be specified");
  } else {
    at_least(log.since_seconds, "sinceSeconds", 1);
  }
  if (errors.empty()) {
    return {};
  }
  return fail(errors.to_status(log_options_kind(), pod_name));
}

}  // namespace

Result<LogRequest> parse_log_query(const http::Target& target, std::string_view pod_name) {
  LogRequest log;
  log.container = target.parameter("container").value_or("");
  log.follow = target.flag("follow");
  log.previous = target.flag("previous");
  log.timestamps = target.flag("timestamps");
  log.since_time = target.parameter("sinceTime").value_or("");
  TRY(log.since_seconds, number(target, "sinceSeconds"));
  TRY(log.tail_lines, number(target, "tailLines"));
  TRY(log.limit_bytes, number(target, "limitBytes"));
  TRY_VOID(check(log, pod_name));
  return log;
}

Result<void> choose_container(LogRequest& request) {
  const api::core::v1::Pod& pod = *request.pod;
  const std::string& name = pod.metadata().name();
  if (request.container.empty()) {
    if (pod.spec().containers_size() == 1) {
      request.container = pod.spec().containers(0).name();
      return {};
    }
    std::string choices = names_of(pod.spec().containers());
    if (!pod.spec().init_containers().empty()) {
      choices += " or one of the init containers: " + names_of(pod.spec().init_containers());
    }
    return fail(bad_request(fmt::format(
        "a container name must be specified for pod {}, choose one of: {}", name, choices)));
  }
  for (const auto& container : pod.spec().containers()) {
    if (container.name() == request.container) {
      return {};
    }
  }
  for (const auto& container : pod.spec().init_containers()) {
    if (container.name() == request.container) {
      return {};
    }
  }
  return fail(
      bad_request(fmt::format("container {} is not valid for pod {}", request.container, name)));
}

}  // namespace windlass::apiserver
