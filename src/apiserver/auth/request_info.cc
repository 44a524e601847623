#include "apiserver/auth/request_info.h"

#include <algorithm>
#include <span>

namespace windlass::apiserver {
namespace {

std::string lower_case(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return lowered;
}

std::string verb_of_method(std::string_view method) {
  if (method == "POST") {
    return "create";
  }
  if (method == "GET" || method == "HEAD") {
    return "get";
  }
  if (method == "PUT") {
    return "update";
  }
  return lower_case(method);  // patch, delete, and methods that are never allowed
}

// The one value that a field selector asks for (`field` ends in =); "" when it asks for none or for
// several.
std::string selected(const http::Target& target, std::string_view field) {
  std::string value;
  std::string_view selector = target.parameter("fieldSelector").value_or("");
  while (!selector.empty()) {
    const size_t comma = std::min(selector.find(','), selector.size());
    std::string_view term = selector.substr(0, comma);
    selector.remove_prefix(std::min(comma + 1, selector.size()));
    if (term.starts_with(field)) {
      term.remove_prefix(field.size());
      if (term.starts_with('=')) {
        term.remove_prefix(1);
      }
      if (!value.empty() && value != term) {
        return "";
      }
      value = term;
    }
  }
  return value;
}

// What belongs to the object `namespaces/NAME` itself, not to what is in it.
bool is_namespace_subresource(std::string_view segment) {
  return segment == "status" || segment == "finalize";
}

// Reads what follows the version: [namespaces/NS/]RESOURCE[/NAME[/SUBRESOURCE]].
void read_resource(RequestInfo& info, std::span<const std::string> rest) {
  const bool in_namespace = rest.size() > 2 && rest[0] == "namespaces" &&
                            !(info.group.empty() && is_namespace_subresource(rest[2]));
  if (in_namespace) {
    info.ns = rest[1];
    rest = rest.subspan(2);
  }
  info.resource = rest[0];
  if (rest.size() > 1) {
    info.name = rest[1];
    if (!in_namespace && info.group.empty() && info.resource == "namespaces") {
      info.ns = info.name;
    }
  }
  if (rest.size() > 2) {
    info.subresource = rest[2];
  }
  info.has_more_segments = rest.size() > 3;
}

}  // namespace

bool RequestInfo::is_read() const {
  return verb == "get" || verb == "list" || verb == "watch" || (!is_resource && verb == "head");
}

RequestInfo request_info(std::string_view method, const http::Target& target) {
  RequestInfo info;
  info.path = target.path;
  info.verb = lower_case(method);
  std::span<const std::string> segments = target.segments;
  const bool core = segments.size() >= 3 && segments[0] == "api";
  const bool grouped = segments.size() >= 4 && segments[0] == "apis";
  if (!core && !grouped) {
    return info;
  }
  info.is_resource = true;
  info.verb = verb_of_method(method);
  if (grouped) {
    info.group = segments[1];
    segments = segments.subspan(1);
  }
  info.version = segments[1];
  segments = segments.subspan(2);
  // The old form of a watch: /api/v1/watch/namespaces/NS/pods.
  const bool watch_path = segments[0] == "watch" && segments.size() > 1 && info.verb == "get";
  read_resource(info, watch_path ? segments.subspan(1) : segments);

  const bool watch = watch_path || (info.subresource.empty() && target.flag("watch"));
  if (info.verb == "get" && watch) {
    info.verb = "watch";  // also of one object by its name, whatever is then answered
  } else if (info.verb == "get" && info.name.empty()) {
    info.verb = "list";
  } else if (info.verb == "delete" && info.name.empty()) {
    info.verb = "deletecollection";
  }
  if (info.name.empty() && info.verb != "create") {
    info.name = selected(target, "metadata.name=");
    info.selected_node = selected(target, "spec.nodeName=");
  }
  return info;
}

}  // namespace windlass::apiserver
