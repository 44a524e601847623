#include "apiserver/verbs/finalizer_patch.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <set>

#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

constexpr std::string_view kDirective = "$deleteFromPrimitiveList/finalizers";

bool is_text(const api::JsonValue& value) {
  return value.is_string() && !value.text.empty();
}

bool is_texts(const api::JsonValue& value) {
  return value.is_array() && std::all_of(value.items.begin(), value.items.end(), is_text);
}

// Nothing but conditions and that directive.
bool only_takes_finalizers_off(const api::JsonValue& metadata) {
  return metadata.is_object() &&
         std::all_of(metadata.members.begin(), metadata.members.end(), [](const auto& member) {
           const auto& [name, value] = member;
           return name == kDirective
                      ? is_texts(value)
                      : (name == "uid" || name == "resourceVersion") && is_text(value);
         });
}

}  // namespace

std::unique_ptr<api::Message> without_finalizers(const api::Message& object,
                                                 const api::JsonTree& patch) {
  if (!patch.duplicates.empty() || patch.value.members.size() != 1) {
    return nullptr;
  }
  const api::JsonValue* change = patch.value.find("metadata");
  if (change == nullptr || change->find(kDirective) == nullptr ||
      !only_takes_finalizers_off(*change)) {
    return nullptr;
  }
  std::unique_ptr<api::Message> patched(object.New());
  patched->CopyFrom(object);
  api::meta::v1::ObjectMeta& metadata = api::mutable_metadata_of(*patched);
  for (const auto& [name, value] : change->members) {
    if (name == "uid") {
      metadata.set_uid(value.text);
    } else if (name == "resourceVersion") {
      metadata.set_resource_version(value.text);
    } else {
      std::set<std::string_view> named;
      for (const api::JsonValue& item : value.items) {
        named.insert(item.text);
      }
      auto& finalizers = *metadata.mutable_finalizers();
      finalizers.erase(
          std::remove_if(finalizers.begin(), finalizers.end(),
                         [&](const std::string& finalizer) { return named.contains(finalizer); }),
          finalizers.end());
    }
  }
  return patched;
}

}  // namespace windlass::apiserver
