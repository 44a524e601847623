#include "apiserver/discovery/discovery.h"

#include <fmt/format.h>

#include "apiserver/discovery/served.h"
#include "base/hash.h"
#include "base/json_writer.h"

namespace windlass::apiserver {

namespace {

std::string group_version(std::string_view group, std::string_view version) {
  return group.empty() ? std::string(version) : fmt::format("{}/{}", group, version);
}

std::string core_versions_document(std::string_view address) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("kind", "APIVersions").key("versions").open_list().string("v1");
  json.close_list().key("serverAddressByClientCIDRs").open_list().open_object();
  json.member("clientCIDR", "0.0.0.0/0").member("serverAddress", address);
  json.close_object().close_list().close_object();
  return text + "\n";
}

// Everything of an APIGroup but its type.
void add_group(JsonWriter& json, const ServedVersion& served) {
  const std::string gv = group_version(served.group, served.version);
  const auto add_version = [&] {
    json.open_object().member("groupVersion", gv).member("version", served.version).close_object();
  };
  json.member("name", served.group).key("versions").open_list();
  add_version();
  json.close_list().key("preferredVersion");
  add_version();
}

std::string groups_document(bool with_ledger) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("kind", "APIGroupList").member("apiVersion", "v1");
  json.key("groups").open_list();
  for (const ServedVersion& served : served_versions(with_ledger)) {
    if (!served.group.empty()) {
      json.open_object();
      add_group(json, served);
      json.close_object();
    }
  }
  json.close_list().close_object();
  return text + "\n";
}

std::string group_document(const ServedVersion& served) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("kind", "APIGroup").member("apiVersion", "v1");
  add_group(json, served);
  json.close_object();
  return text + "\n";
}

void add_resource(JsonWriter& json, const Served& served) {
  const api::Kind& kind = *served.kind;
  const bool sub = !served.subresource.empty();
  json.open_object();
  json.member("name", sub ? fmt::format("{}/{}", kind.plural, served.subresource) : kind.plural);
  json.member("singularName", sub ? "" : kind.singular);
  json.key("namespaced").boolean(kind.namespaced);
  if (served.body->group != kind.group || served.body->version != kind.version) {
    json.member("group", served.body->group).member("version", served.body->version);
  }
  json.member("kind", served.answer_kind()).strings("verbs", served.verbs);
  if (!sub && !kind.short_names.empty()) {
    json.strings("shortNames", kind.short_names);
  }
  if (!sub && !kind.categories.empty()) {
    json.strings("categories", kind.categories);
  }
  json.close_object();
}

std::string resources_document(const ServedVersion& served) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("kind", "APIResourceList");
  if (!served.group.empty()) {
    json.member("apiVersion", "v1");
  }
  json.member("groupVersion", group_version(served.group, served.version));
  json.key("resources").open_list();
  for (const Served* resource : served.resources) {
    add_resource(json, *resource);
  }
  json.close_list().close_object();
  return text + "\n";
}

}  // namespace

Discovery::Discovery(std::string address, bool with_ledger)
    : address_(std::move(address)), groups_(groups_document(with_ledger)) {
  for (const ServedVersion& served : served_versions(with_ledger)) {
    if (!served.group.empty()) {
      group_[std::string(served.group)] = group_document(served);
    }
    resources_[fmt::format("{}/{}", served.group, served.version)] = resources_document(served);
  }
  for (const bool core : {false, true}) {
    for (const bool beta : {false, true}) {
      aggregated_[core][beta] = aggregated_discovery(core, beta, with_ledger);
      etags_[core][beta] = fmt::format("\"{:016X}\"", stable_hash(aggregated_[core][beta]));
    }
  }
}

std::string Discovery::core_versions(std::string_view reached) const {
  return core_versions_document(reached.empty() ? address_ : reached);
}

const std::string* Discovery::group(std::string_view name) const {
  const auto found = group_.find(name);
  return found == group_.end() ? nullptr : &found->second;
}

const std::string* Discovery::resources(std::string_view group, std::string_view version) const {
  const auto found = resources_.find(fmt::format("{}/{}", group, version));
  return found == resources_.end() ? nullptr : &found->second;
}

namespace {

// Group and version are left out where they are those of the enclosing resource.
void add_response_kind(JsonWriter& json, const Served& served) {
  const api::Kind& body = *served.body;
  const bool same = body.group == served.kind->group && body.version == served.kind->version;
  json.key("responseKind").open_object();
  json.member("group", same ? "" : body.group).member("version", same ? "" : body.version);
  json.member("kind", served.answer_kind()).close_object();
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

std::string aggregated_discovery(bool core, bool beta, bool with_ledger) {
  std::string text;
  JsonWriter json(text);
  json.open_object().member("kind", "APIGroupDiscoveryList");
  json.member("apiVersion", beta ? "apidiscovery.k8s.io/v2beta1" : "apidiscovery.k8s.io/v2");
  json.key("metadata").open_object().close_object().key("items").open_list();
  for (const ServedVersion& version : served_versions(with_ledger)) {
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
