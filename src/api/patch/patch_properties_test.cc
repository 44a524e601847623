// What holds for every patch, whatever is in it.
#include <google/protobuf/message.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "api/kind.h"
#include "api/patch/json_patch.h"
#include "api/patch/merge_patch.h"
#include "api/patch/strategic_merge.h"
#include "api/patch/typed_compare.h"
#include "api/patch/typed_merge.h"

namespace windlass::api {
namespace {

constexpr size_t kSmall = 4;

// A pod with some of the lists, maps and scalars that merge in different ways.
rc::Gen<std::vector<std::pair<std::string, std::string>>> names_and_values() {
  return rc::gen::mapcat(rc::gen::inRange<size_t>(0, kSmall), [](size_t count) {
    return rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
        count, rc::gen::pair(rc::gen::element<std::string>("a", "b", "c", "d"),
                             rc::gen::element<std::string>("1", "2", "3")));
  });
}

JsonValue member(std::string name, JsonValue value) {
  JsonValue object = JsonValue::object();
  object.members.emplace(std::move(name), std::move(value));
  return object;
}

JsonValue random_pod() {
  JsonValue labels = JsonValue::object();
  for (const auto& [name, value] : *names_and_values()) {
    labels.members[name] = JsonValue::string(value);
  }
  JsonValue finalizers = JsonValue::array();
  JsonValue containers = JsonValue::array();
  std::map<std::string, std::string> unique;
  for (const auto& [name, value] : *names_and_values()) {
    unique.emplace(name, value);
  }
  for (const auto& [name, value] : unique) {
    finalizers.items.push_back(JsonValue::string(name));
    JsonValue container = member("name", JsonValue::string(name));
    container.members["image"] = JsonValue::string(value);
    containers.items.push_back(std::move(container));
  }
  if (*rc::gen::arbitrary<bool>()) {
    std::reverse(containers.items.begin(), containers.items.end());
  }
  JsonValue metadata = member("labels", std::move(labels));
  metadata.members["finalizers"] = std::move(finalizers);
  JsonValue pod = member("metadata", std::move(metadata));
  pod.members["spec"] = member("containers", std::move(containers));
  return pod;
}

const JsonStruct& pod_struct() {
  return json_struct(*kinds::pod().prototype().GetDescriptor());
}

// Turns `from` into `to`: what kubectl works out before it sends a strategic merge patch.
JsonValue strategic_diff(const JsonValue& from, const JsonValue& to) {
  JsonValue labels = JsonValue::object();
  for (const auto& [name, value] : from.find("metadata")->find("labels")->members) {
    labels.members[name] = JsonValue();
  }
  for (const auto& [name, value] : to.find("metadata")->find("labels")->members) {
    labels.members[name] = value;
  }
  const JsonValue& before = *from.find("metadata")->find("finalizers");
  const JsonValue& after = *to.find("metadata")->find("finalizers");
  JsonValue gone = JsonValue::array();
  for (const JsonValue& value : before.items) {
    const bool stays = std::any_of(after.items.begin(), after.items.end(),
                                   [&](const auto& kept) { return json_equal(kept, value); });
    if (!stays) {
      gone.items.push_back(value);
    }
  }
  JsonValue metadata = member("labels", std::move(labels));
  metadata.members["finalizers"] = after;
  metadata.members["$setElementOrder/finalizers"] = after;
  metadata.members["$deleteFromPrimitiveList/finalizers"] = std::move(gone);

  JsonValue containers = *to.find("spec")->find("containers");
  JsonValue order = JsonValue::array();
  std::set<std::string> kept;
  for (const JsonValue& container : containers.items) {
    order.items.push_back(member("name", *container.find("name")));
    kept.insert(container.find("name")->text);
  }
  for (const JsonValue& container : from.find("spec")->find("containers")->items) {
    if (!kept.contains(container.find("name")->text)) {
      JsonValue deleted = member("name", *container.find("name"));
      deleted.members["$patch"] = JsonValue::string("delete");
      containers.items.push_back(std::move(deleted));
    }
  }
  JsonValue spec = member("containers", std::move(containers));
  spec.members["$setElementOrder/containers"] = std::move(order);
  JsonValue patch = member("metadata", std::move(metadata));
  patch.members["spec"] = std::move(spec);
  return patch;
}

RC_GTEST_PROP(PatchProperty, M93_AStrategicDiffGivesTheOtherObject, ()) {
  const JsonValue from = random_pod();
  const JsonValue to = random_pod();
  JsonValue patched = from;
  RC_ASSERT(apply_strategic_merge(patched, strategic_diff(from, to), pod_struct()).has_value());
  RC_ASSERT(to_json_text(patched) == to_json_text(to));
}

RC_GTEST_PROP(PatchProperty, M92_AnObjectIsItsOwnMergePatch, ()) {
  const JsonValue pod = random_pod();
  JsonValue patched = pod;
  RC_ASSERT(apply_merge_patch(patched, pod).has_value());
  RC_ASSERT(apply_merge_patch(patched, JsonValue::object()).has_value());
  RC_ASSERT(json_equal(patched, pod));
  JsonValue made = JsonValue::object();
  RC_ASSERT(apply_merge_patch(made, pod).has_value());
  RC_ASSERT(json_equal(made, pod));
}

RC_GTEST_PROP(PatchProperty, M91_ReplacingTheDocumentGivesTheOtherOne, ()) {
  JsonValue document = random_pod();
  const JsonValue to = random_pod();
  const std::string patch = R"([{"op":"test","path":"","value":)" + to_json_text(document) +
                            R"(},{"op":"replace","path":"","value":)" + to_json_text(to) + "}]";
  RC_ASSERT(apply_json_patch(document, parse_json_value(patch)->value).has_value());
  RC_ASSERT(json_equal(document, to));
}

RC_GTEST_PROP(PatchProperty, M103_ApplyIsIdempotentAndUndoneByApplyingNothing, ()) {
  const NodeType type = root_type(pod_struct());
  const JsonValue live = random_pod();
  const JsonValue config = random_pod();
  const FieldSet owned = fields_of(config, type);
  JsonValue once = live;
  merge_typed(once, config, type);
  JsonValue twice = once;
  merge_typed(twice, config, type);
  prune_typed(twice, {owned, owned, {}}, type);
  RC_ASSERT(json_equal(once, twice));

  // Earlier content has another owner and stays; content of the configuration alone goes.
  JsonValue undone = once;
  prune_typed(undone, {owned, {}, fields_of(live, type)}, type);
  FieldChanges left = compare_fields(live, undone, type);
  // What has become empty is null or gone, also where it was empty before.
  const FieldSet empty =
      *parse_field_set(R"({"f:metadata":{".":{},"f:finalizers":{},"f:labels":{}},)"
                       R"("f:spec":{".":{},"f:containers":{}}})");
  subtract(left.removed, empty);
  subtract(left.set, empty);
  RC_ASSERT(left.removed.empty());
  RC_ASSERT(intersection(left.set, fields_of(live, type)) == left.set);
}

RC_GTEST_PROP(PatchProperty, M102_WhatDiffersIsWhatComparingFinds, ()) {
  const NodeType type = root_type(pod_struct());
  const JsonValue from = random_pod();
  const JsonValue to = random_pod();
  const FieldChanges changes = compare_fields(from, to, type);
  FieldSet all = fields_of(from, type);
  subtract(all, changes.removed);
  unite(all, changes.set);
  FieldSet expected = fields_of(to, type);
  // What has become empty is told by what went out of it.
  subtract(expected, *parse_field_set(R"({"f:metadata":{"f:finalizers":{},"f:labels":{}},)"
                                      R"("f:spec":{"f:containers":{}}})"));
  subtract(expected, all);
  RC_ASSERT(expected.empty());
}

}  // namespace
}  // namespace windlass::api
