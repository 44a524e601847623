// The kinds this program knows, each registered once: names, scope, and the message that holds it.
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
  std::string_view plural;    // jobs
  std::string_view singular;  // job
  bool namespaced = true;
  std::vector<std::string_view> short_names;
  std::vector<std::string_view> categories;
  const Message& (*prototype)() = nullptr;

  std::string api_version() const;  // batch/v1, or v1 for core
  TypeMeta type_meta() const;
  std::unique_ptr<Message> make() const;
};

// All registered kinds, in discovery order.
std::span<const Kind> all_kinds();
// nullptr when there is no such kind.
const Kind* find_kind(std::string_view api_version, std::string_view kind);
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
}  // namespace kinds

}  // namespace windlass::api
