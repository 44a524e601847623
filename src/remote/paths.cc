#include <fmt/format.h>

#include "remote/wire.h"

namespace windlass::remote {
namespace {

void add_parameter(std::string& query, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    query += fmt::format("{}{}={}", query.empty() ? '?' : '&', name, percent_encode(value));
  }
}

std::string selectors(const client::Collection& collection) {
  std::string query;
  add_parameter(query, "labelSelector", collection.label_selector);
  add_parameter(query, "fieldSelector", collection.field_selector);
  return query;
}

}  // namespace

std::string percent_encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string collection_path(const api::Kind& kind, std::string_view ns) {
  std::string path = kind.group.empty() ? fmt::format("/api/{}", kind.version)
                                        : fmt::format("/apis/{}/{}", kind.group, kind.version);
  if (kind.namespaced && !ns.empty()) {
    path += "/namespaces/" + percent_encode(ns);
  }
  return path.append("/").append(kind.plural);
}

std::string object_path(const client::ObjectRef& ref, std::string_view subresource) {
  std::string path = collection_path(*ref.kind, ref.ns) + "/" + percent_encode(ref.name);
  return subresource.empty() ? path : path.append("/").append(subresource);
}

std::string list_query(const client::Collection& collection, const client::ListOptions& options) {
  std::string query = selectors(collection);
  add_parameter(query, "limit", options.limit == 0 ? "" : std::to_string(options.limit));
  add_parameter(query, "continue", options.continue_token);
  return query;
}

std::string watch_query(const client::Collection& collection, std::string_view resource_version,
                        int64_t timeout_seconds) {
  std::string query = selectors(collection);
  add_parameter(query, "watch", "true");
  add_parameter(query, "allowWatchBookmarks", "true");
  add_parameter(query, "resourceVersion", resource_version);
  add_parameter(query, "timeoutSeconds", std::to_string(timeout_seconds));
  return query;
}

}  // namespace windlass::remote
