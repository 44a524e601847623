#include "apiserver/discovery/aggregated.h"

#include "apiserver/discovery/served.h"
#include "base/json_writer.h"

namespace windlass::apiserver {
namespace {

// Group and version are left out where they are those of the enclosing resource.
void add_response_kind(JsonWriter& json, const Served& served) {
  const api::Kind& body = *served.body;
  const bool same = body.group == served.kind->group && body.version == served.kind->version;
  json.key("responseKind").open_object();
  json.member("group", same ? "" : body.group).member("version", same ? "" : body.version);
  json.member("kind", body.kind).close_object();
}

void add_subresources(JsonWriter& json, const ServedVersion& version, const api::Kind& kind) {
  bool any = false;
  for (const Served* served : version.resources) {
    if (served->kind != &kind || served->subresource.empty()) {
      continue;
    }
    if (!any) {
      json.key("subresources").open_list();
      any = true;
    }
    json.open_object().member("subresource", served->subresource);
    add_response_kind(json, *served);
    json.strings("verbs", served->verbs).close_object();
  }
  if (any) {
    json.close_list();
  }
}

void add_resource(JsonWriter& json, const ServedVersion& version, const Served& served) {
  const api::Kind& kind = *served.kind;
  json.open_object().member("resource", kind.plural);
  add_response_kind(json, served);
  json.member("scope", kind.namespaced ? "Namespaced" : "Cluster");
  json.member("singularResource", kind.singular).strings("verbs", served.verbs);
  if (!kind.short_names.empty()) {
    json.strings("shortNames", kind.short_names);
  }
  if (!kind.categories.empty()) {
    json.strings("categories", kind.categories);
  }
  add_subresources(json, version, kind);
  json.close_object();
}

}  // namespace

std::string aggregated_discovery(bool core, bool beta) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("kind", "APIGroupDiscoveryList");
  json.member("apiVersion", beta ? "apidiscovery.k8s.io/v2beta1" : "apidiscovery.k8s.io/v2");
  json.key("metadata").open_object().close_object().key("items").open_list();
  for (const ServedVersion& version : served_versions()) {
    if (version.group.empty() != core) {
      continue;
    }
    json.open_object().key("metadata").open_object();
    if (!core) {
      json.member("name", version.group);
    }
    json.close_object().key("versions").open_list().open_object();
    json.member("version", version.version).key("resources").open_list();
    for (const Served* served : version.resources) {
      if (served->subresource.empty()) {
        add_resource(json, version, *served);
      }
    }
    json.close_list().member("freshness", "Current").close_object().close_list().close_object();
  }
  json.close_list().close_object();
  return text + "\n";
}

}  // namespace windlass::apiserver
