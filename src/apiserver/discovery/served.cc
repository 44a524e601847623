#include "apiserver/discovery/served.h"

#include <algorithm>
#include <array>

#include "apiserver/strategies/strategy.h"
#include "base/check.h"

namespace windlass::apiserver {
namespace {

using Verbs = std::vector<std::string_view>;

const Verbs kObjectVerbs = {"create", "delete", "deletecollection", "get",
                            "list",   "patch",  "update",           "watch"};

void add_pod_subresources(std::vector<Served>& all, const api::Kind& pod) {
  all.push_back({&pod, "binding", {"create"}, api::find_kind("v1", "Binding")});
  all.push_back({&pod, "eviction", {"create"}, api::find_kind("policy/v1", "Eviction")});
  all.push_back({&pod, "exec", {"create", "get"}, &pod, "PodExecOptions"});
  all.push_back({&pod, "log", {"get"}, &pod});
}

void add_stored(std::vector<Served>& all, const api::Kind& kind, const Strategy& strategy) {
  Verbs verbs = kObjectVerbs;
  const bool is_namespace = &kind == &api::kinds::namespace_();
  if (is_namespace) {  // api.md N14
    std::erase(verbs, "deletecollection");
  }
  all.push_back({&kind, "", verbs, &kind});
  if (&kind == &api::kinds::pod()) {
    add_pod_subresources(all, kind);
  }
  if (is_namespace) {
    all.push_back({&kind, "finalize", {"update"}, &kind});
  }
  if (strategy.traits().has_status) {
    all.push_back({&kind, "status", {"get", "patch", "update"}, &kind});
  }
}

std::vector<Served> make_served() {
  std::vector<Served> all;
  for (const api::Kind& kind : api::all_kinds()) {
    if (const Strategy* strategy = find_strategy(kind)) {
      add_stored(all, kind, *strategy);
    } else if (kind.list_prototype == nullptr) {
      all.push_back({&kind, "", {"create"}, &kind});  // posted and answered
    }
  }
  for (const api::Kind& kind : api::recorded_kinds()) {
    all.push_back({&kind, "", {"get", "list"}, &kind});
  }
  return all;
}

std::vector<ServedVersion> make_versions(bool with_ledger) {
  std::vector<ServedVersion> versions;
  for (const Served& served : all_served()) {
    if (!with_ledger && is_ledger(served.kind->group, served.kind->version)) {
      continue;
    }
    const auto found = std::ranges::find_if(versions, [&](const ServedVersion& version) {
      return version.group == served.kind->group && version.version == served.kind->version;
    });
    if (found != versions.end()) {
      found->resources.push_back(&served);
    } else {
      versions.push_back({served.kind->group, served.kind->version, {&served}});
    }
  }
  return versions;
}

}  // namespace

bool Served::allows(std::string_view verb) const {
  return std::ranges::find(verbs, verb) != verbs.end();
}

const std::vector<Served>& all_served() {
  static const std::vector<Served> all = make_served();
  return all;
}

const Served* find_served(std::string_view group, std::string_view version,
                          std::string_view resource, std::string_view subresource) {
  for (const Served& served : all_served()) {
    if (served.kind->plural == resource && served.kind->group == group &&
        served.kind->version == version && served.subresource == subresource) {
      return &served;
    }
  }
  return nullptr;
}

const std::vector<ServedVersion>& served_versions(bool with_ledger) {
  static const std::vector<ServedVersion> all = make_versions(true);
  static const std::vector<ServedVersion> without = make_versions(false);
  return with_ledger ? all : without;
}

bool is_ledger(std::string_view group, std::string_view version) {
  const api::Kind& attempt = api::kinds::attempt();
  return group == attempt.group && version == attempt.version;
}

const ServedVersion* find_served_version(std::string_view group, std::string_view version) {
  for (const ServedVersion& served : served_versions(true)) {
    if (served.group == group && served.version == version) {
      return &served;
    }
  }
  return nullptr;
}

const EmptyResource* find_empty_resource(std::string_view group, std::string_view version,
                                         std::string_view plural) {
  static constexpr std::array<EmptyResource, 4> kEmpty = {{
      {"", "v1", "replicationcontrollers", "ReplicationController"},
      {"apps", "v1", "replicasets", "ReplicaSet"},
      {"apps", "v1", "daemonsets", "DaemonSet"},
      // kubectl looks here for a kind that it does not find in the OpenAPI document, before it says
      // that there is none. It applies no document of a file when it gets no list.
      {"apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition"},
  }};
  for (const EmptyResource& resource : kEmpty) {
    if (resource.group == group && resource.version == version && resource.plural == plural) {
      return &resource;
    }
  }
  return nullptr;
}

}  // namespace windlass::apiserver
