// The kinds this program knows, each registered once: names, scope, and the message that holds it.
// Constant after the first use; any thread. What a kind means (defaults, validation) is elsewhere.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"

namespace windlass::api {

struct Kind {
  std::string_view group;  // "" for core
  std::string_view version;
  std::string_view kind;      // Job
  std::string_view plural;    // jobs; "" for the body of a request or answer (Eviction, Status)
  std::string_view singular;  // job
  bool namespaced = true;
  std::vector<std::string_view> short_names;
  std::vector<std::string_view> categories;
  const Message& (*prototype)() = nullptr;
  const Message& (*list_prototype)() = nullptr;  // null where nothing is ever listed

  std::string api_version() const;  // batch/v1, or v1 for core
  TypeMeta type_meta() const;
  TypeMeta list_type_meta() const;  // JobList
  std::unique_ptr<Message> make() const;
  std::unique_ptr<Message> make_list()
      const;  // {metadata, items}; only where list_prototype is set
};

// All kinds that are resources, in discovery order; without the recorded ones.
std::span<const Kind> all_kinds();
// Those that are only read: they come from the ledger, and no client can make them.
std::span<const Kind> recorded_kinds();
// Also finds recorded kinds, and what has no resource. DeleteOptions goes by the group and version
// of the resource that is deleted (api.md M6), Eviction also by policy/v1beta1 (P90). nullptr when
// there is no such kind.
const Kind* find_kind(std::string_view api_version, std::string_view kind);
// nullptr when there is no such resource.
const Kind* find_resource(std::string_view group, std::string_view version,
                          std::string_view plural);

// The kinds the program itself works with.
namespace kinds {
const Kind& job();
const Kind& pod();
const Kind& node();
const Kind& event();
const Kind& lease();
const Kind& namespace_();
const Kind& config_map();
const Kind& secret();
const Kind& attempt();  // recorded
}  // namespace kinds

}  // namespace windlass::api
