#include "apiserver/rest/options.h"

#include <charconv>

#include "api/field_error.h"
#include "base/quote.h"

namespace windlass::apiserver {

namespace {

const api::Kind& list_options_kind() {
  static const api::Kind kind = [] {
    api::Kind made;
    made.group = "meta.k8s.io";
    made.kind = "ListOptions";
    return made;
  }();
  return kind;
}

const api::FieldPath kMatch("resourceVersionMatch");
const api::FieldPath kInitial("sendInitialEvents");

void check_list(const ReadQuery& query, const std::string& match, api::FieldErrors& errors) {
  if (!match.empty()) {
    if (query.version.empty()) {
      errors.forbidden(kMatch,
                       "resourceVersionMatch is forbidden unless resourceVersion is provided");
    }
    if (!query.continue_token.empty()) {
      errors.forbidden(kMatch, "resourceVersionMatch is forbidden when continue is provided");
    }
    if (query.match == VersionMatch::none) {
      errors.not_supported(kMatch, match, {"Exact", "NotOlderThan", ""});
    }
    if (query.match == VersionMatch::exact && query.version == "0") {
      errors.forbidden(kMatch,
                       "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
  }
  if (query.send_initial_events) {
    errors.forbidden(kInitial, "sendInitialEvents is forbidden for list");
  }
}

void check_watch(const ReadQuery& query, const std::string& match, api::FieldErrors& errors) {
  const bool not_older = query.match == VersionMatch::not_older_than;
  if (query.send_initial_events && !not_older) {
    errors.forbidden(kMatch,
                     "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match.empty()) {
    return;
  }
  if (!query.send_initial_events) {
    errors.forbidden(kMatch,
                     "resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
                     "provided");
  }
  if (!not_older) {
    errors.not_supported(kMatch, match, {"NotOlderThan"});
  }
  if (!query.continue_token.empty()) {
    errors.forbidden(kMatch, "resourceVersionMatch is forbidden when continue is provided");
  }
}

}  // namespace

Result<ReadQuery> parse_read_query(const http::Target& target, bool watch) {
  ReadQuery query;
  query.label_selector = text_parameter(target, "labelSelector");
  query.field_selector = text_parameter(target, "fieldSelector");
  TRY(const auto limit, int_parameter(target, "limit"));
  query.limit = limit.value_or(0);
  TRY(query.timeout_seconds, int_parameter(target, "timeoutSeconds"));
  query.continue_token = text_parameter(target, "continue");
  query.version = text_parameter(target, "resourceVersion");
  query.allow_bookmarks = target.flag("allowWatchBookmarks");
  query.send_initial_events = flag_parameter(target, "sendInitialEvents");
  std::string match = text_parameter(target, "resourceVersionMatch");
  // A plain watch without a version begins with all objects: that is what it asks for, and what
  // its other parameters must agree with.
  const bool any_version = query.version.empty() || query.version == "0";
  const bool asks_for_watch = target.flag("watch");  // the older paths of a watch do without it
  if (asks_for_watch && any_version && !query.send_initial_events && match.empty()) {
    query.send_initial_events = true;
    match = "NotOlderThan";
  }
  query.match = match == "Exact"          ? VersionMatch::exact
                : match == "NotOlderThan" ? VersionMatch::not_older_than
                                          : VersionMatch::none;
  api::FieldErrors errors;
  if (asks_for_watch) {
    check_watch(query, match, errors);
  } else {
    check_list(query, match, errors);
  }
  if (!errors.empty()) {
    return fail(errors.to_status(list_options_kind(), ""));
  }
  // M67. 0 asks for nothing, and some clients send it with every page.
  if (!watch && !query.continue_token.empty() && !query.version.empty() && query.version != "0") {
    return fail(bad_request("specifying resource version is not allowed when using continue"));
  }
  return query;
}

Result<store::Revision> parse_version(const std::string& text, bool list) {
  if (text.empty()) {
    return 0;
  }
  store::Revision value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc() && stop == end) {
    return value;
  }
  const std::string why = error == std::errc::result_out_of_range && stop == end
                              ? "value out of range"
                              : "invalid syntax";
  const std::string message = "resourceVersion: Invalid value: " + quote(text) +
                              ": strconv.ParseUint: parsing " + quote(text) + ": " + why;
  return fail(list ? bad_request("invalid resource version: " + message) : plain_error(message));
}

WriteQuery parse_write_query(const http::Target& target, const http::Headers& headers) {
  WriteQuery query;
  query.dry_run = list_parameter(target, "dryRun");
  query.field_manager = text_parameter(target, "fieldManager");
  query.field_validation = text_parameter(target, "fieldValidation");
  query.force = flag_parameter(target, "force");
  query.user_agent = http::find_header(headers, "User-Agent").value_or("");
  return query;
}

namespace {

// As strconv.ParseInt: one sign, then digits.
Result<int64_t> parse_int(std::string_view text) {
  int64_t value = 0;
  const bool plus = text.starts_with('+') && !text.starts_with("+-");
  const char* begin = text.data() + (plus ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range && stop == end) {
    return fail(bad_request("strconv.ParseInt: parsing " + quote(text) + ": value out of range"));
  }
  if (error != std::errc() || stop != end) {
    return fail(bad_request("strconv.ParseInt: parsing " + quote(text) + ": invalid syntax"));
  }
  return value;
}

}  // namespace

std::string text_parameter(const http::Target& target, std::string_view name) {
  return std::string(target.parameter(name).value_or(""));
}

std::optional<bool> flag_parameter(const http::Target& target, std::string_view name) {
  return target.parameter(name) ? std::optional(target.flag(name)) : std::nullopt;
}

Result<std::optional<int64_t>> int_parameter(const http::Target& target, std::string_view name) {
  const auto text = target.parameter(name);
  if (!text) {
    return std::nullopt;
  }
  TRY(const int64_t value, parse_int(*text));
  return value;
}

Result<std::optional<Time>> time_parameter(const http::Target& target, std::string_view name) {
  const auto text = target.parameter(name);
  if (!text) {
    return std::nullopt;
  }
  if (text->empty() || *text == "null") {
    return Time::min();
  }
  const Result<UnixTime> time = parse_unix_rfc3339(*text);
  if (!time) {
    return fail(bad_request(time.error().message));
  }
  return to_time(*time);
}

std::vector<std::string> list_parameter(const http::Target& target, std::string_view name) {
  std::vector<std::string> values;
  for (const http::Parameter& parameter : target.parameters) {
    if (parameter.name == name) {
      values.push_back(parameter.value);
    }
  }
  return values;
}

Result<void> check_timeout_parameter(const http::Target& target) {
  const std::string text = text_parameter(target, "timeout");
  if (text.empty()) {
    return {};
  }
  if (const Result<Duration> timeout = parse_duration(text); !timeout) {
    return fail(
        bad_request("invalid timeout specified in the request URL - " + timeout.error().message));
  }
  return {};
}

}  // namespace windlass::apiserver
