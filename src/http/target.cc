#include "http/target.h"

#include <algorithm>

#include "http/characters.h"

namespace windlass::http {

namespace {

bool has_control_character(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

Result<std::vector<std::string>> split_path(std::string_view path) {
  std::vector<std::string> segments;
  path.remove_prefix(1);
  if (path.size() > 1 && path.ends_with('/')) {
    path.remove_suffix(1);
  }
  while (!path.empty()) {
    const size_t slash = std::min(path.find('/'), path.size());
    TRY(std::string segment, percent_decode(path.substr(0, slash), PlusSign::literal));
    if (segment.empty() || segment == "." || segment == ".." ||
        segment.find('/') != std::string::npos || has_control_character(segment)) {
      return fail(bad_request("the request path has a segment that is not a name"));
    }
    if (segments.size() == kMaxPathSegments) {
      return fail(bad_request("the request path has too many segments"));
    }
    segments.push_back(std::move(segment));
    if (slash + 1 == path.size()) {
      return fail(bad_request("the request path has a segment that is not a name"));
    }
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return segments;
}

Result<std::vector<Parameter>> split_query(std::string_view query) {
  std::vector<Parameter> parameters;
  while (!query.empty()) {
    const size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) {
      continue;
    }
    if (parameters.size() == kMaxQueryParameters) {
      return fail(bad_request("the request has too many query parameters"));
    }
    const size_t equals = std::min(pair.find('='), pair.size());
    TRY(std::string name, percent_decode(pair.substr(0, equals), PlusSign::blank));
    TRY(std::string value,
        percent_decode(pair.substr(std::min(equals + 1, pair.size())), PlusSign::blank));
    parameters.push_back({std::move(name), std::move(value)});
  }
  return parameters;
}

}  // namespace

std::optional<std::string_view> Target::parameter(std::string_view name) const {
  for (const Parameter& one : parameters) {
    if (one.name == name) {
      return one.value;
    }
  }
  return std::nullopt;
}

bool Target::flag(std::string_view name) const {
  const auto value = parameter(name);
  if (!value) {
    return false;
  }
  return *value != "0" && !same_ignoring_case(*value, "false");
}

Result<Target> parse_target(std::string_view target) {
  if (!target.starts_with('/')) {
    return fail(bad_request("the request target is not a path"));
  }
  const size_t question = std::min(target.find('?'), target.size());
  Target parsed;
  parsed.path = target.substr(0, question);
  TRY(parsed.segments, split_path(parsed.path));
  TRY(parsed.parameters, split_query(target.substr(std::min(question + 1, target.size()))));
  return parsed;
}

Result<std::string> percent_decode(std::string_view text, PlusSign plus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == PlusSign::blank) {
      decoded += ' ';
    } else if (text[i] != '%') {
      decoded += text[i];
    } else {
      if (i + 2 >= text.size() || !is_hex_digit(text[i + 1]) || !is_hex_digit(text[i + 2])) {
        return fail(bad_request("the request target has an escape that is not %XX"));
      }
      decoded += static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2]));
      i += 2;
    }
  }
  return decoded;
}

namespace {

// Of a container: its connection is used for as long as the client likes.
bool asks_for_streams(std::string_view path) {
  return path.ends_with("/exec") || path.ends_with("/attach") || path.ends_with("/portforward");
}

}  // namespace

RequestClass classify(const Request& request) {
  if (request.method != "GET" && request.method != "HEAD") {
    return RequestClass::mutating;
  }
  const std::string_view target = request.target;
  const size_t query = target.find('?');
  // Most reads have no query worth parsing.
  const bool may_stay =
      target.find("/watch/") != std::string_view::npos ||
      asks_for_streams(target.substr(0, query)) ||
      (query != std::string_view::npos && (target.find("watch", query) != std::string_view::npos ||
                                           target.find("follow", query) != std::string_view::npos ||
                                           target.find('%', query) != std::string_view::npos));
  if (!may_stay) {
    return RequestClass::read;
  }
  const auto parsed = parse_target(target);
  if (!parsed) {
    return RequestClass::read;
  }
  const auto& segments = parsed->segments;
  const size_t version_at = !segments.empty() && segments[0] == "apis" ? 3 : 2;
  const bool watch_path = segments.size() > version_at && segments[version_at] == "watch";
  const bool log = !segments.empty() && segments.back() == "log";
  const bool streams = !segments.empty() && asks_for_streams("/" + segments.back());
  return parsed->flag("watch") || watch_path || (log && parsed->flag("follow")) || streams
             ? RequestClass::long_running
             : RequestClass::read;
}

}  // namespace windlass::http
