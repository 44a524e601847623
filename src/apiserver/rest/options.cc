#include "apiserver/rest/options.h"

#include <charconv>

#include "api/field_error.h"
#include "base/quote.h"

namespace windlass::apiserver {
namespace {

std::string text_of(const http::Target& target, std::string_view name) {
  return std::string(target.parameter(name).value_or(""));
}

// Go's texts for what strconv.ParseInt does not take.
Result<int64_t> parse_int(std::string_view text) {
  int64_t value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
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

Result<std::optional<int64_t>> int_parameter(const http::Target& target, std::string_view name) {
  const std::string_view text = target.parameter(name).value_or("");
  if (text.empty()) {
    return std::nullopt;
  }
  TRY(const int64_t value, parse_int(text));
  return value;
}

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
  if (!match.empty()) {
    if (!query.send_initial_events) {
      errors.forbidden(kMatch,
                       "resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
                       "provided");
    }
    if (!query.continue_token.empty()) {
      errors.forbidden(kMatch, "resourceVersionMatch is forbidden when continue is provided");
    }
  }
  if (query.send_initial_events) {
    if (query.match != VersionMatch::not_older_than) {
      errors.forbidden(kMatch,
                       "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    }
    if (!match.empty() && query.match != VersionMatch::not_older_than) {
      errors.not_supported(kMatch, match, {"NotOlderThan"});
    }
  }
}

}  // namespace

Result<ReadQuery> parse_read_query(const http::Target& target, bool watch) {
  ReadQuery query;
  query.label_selector = text_of(target, "labelSelector");
  query.field_selector = text_of(target, "fieldSelector");
  TRY(const auto limit, int_parameter(target, "limit"));
  query.limit = limit.value_or(0);
  TRY(query.timeout_seconds, int_parameter(target, "timeoutSeconds"));
  query.continue_token = text_of(target, "continue");
  query.version = text_of(target, "resourceVersion");
  query.allow_bookmarks = target.flag("allowWatchBookmarks");
  if (target.parameter("sendInitialEvents")) {
    query.send_initial_events = target.flag("sendInitialEvents");
  }
  const std::string match = text_of(target, "resourceVersionMatch");
  query.match = match == "Exact"          ? VersionMatch::exact
                : match == "NotOlderThan" ? VersionMatch::not_older_than
                                          : VersionMatch::none;
  api::FieldErrors errors;
  if (watch) {
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
  for (const http::Parameter& parameter : target.parameters) {
    if (parameter.name == "dryRun" && !parameter.value.empty()) {
      query.dry_run.push_back(parameter.value);
    }
  }
  query.field_manager = text_of(target, "fieldManager");
  query.field_validation = text_of(target, "fieldValidation");
  if (target.parameter("force")) {
    query.force = target.flag("force");
  }
  query.user_agent = http::find_header(headers, "User-Agent").value_or("");
  return query;
}

}  // namespace windlass::apiserver
