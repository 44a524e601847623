// What is served: every resource and subresource with its verbs, worked out once from the kinds and
// their strategies. Routing, discovery and OpenAPI all follow this one table, so a client is never
// told of a verb that is then refused. Constant after the first use; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "api/kind.h"

namespace windlass::apiserver {

struct Served {
  const api::Kind* kind = nullptr;
  std::string_view subresource = {};
  std::vector<std::string_view> verbs = {};
  const api::Kind* body = nullptr;  // what is sent and answered; for an object its own kind
  // Of what is neither, but streams: the kind of its options, which are in the query.
  std::string_view options_kind = {};

  bool allows(std::string_view verb) const;
  std::string_view answer_kind() const { return options_kind.empty() ? body->kind : options_kind; }
};

// In discovery order; subresources follow their resource.
const std::vector<Served>& all_served();
// nullptr when there is no such thing.
const Served* find_served(std::string_view group, std::string_view version,
                          std::string_view resource, std::string_view subresource);

struct ServedVersion {
  std::string_view group;
  std::string_view version;
  std::vector<const Served*> resources;
};
// By group, in discovery order; every group here has one version. A server without a ledger has no
// attempts.
const std::vector<ServedVersion>& served_versions(bool with_ledger);
// That group and version.
bool is_ledger(std::string_view group, std::string_view version);
const ServedVersion* find_served_version(std::string_view group, std::string_view version);

// Resources that some clients list and nothing here ever has (api.md E5): the kind of their list,
// or nullptr.
struct EmptyResource {
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  std::string_view kind;
};
const EmptyResource* find_empty_resource(std::string_view group, std::string_view version,
                                         std::string_view plural);

}  // namespace windlass::apiserver
