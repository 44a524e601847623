#include "api/patch/strategic_merge.h"

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include "api/kind.h"

namespace windlass::api {
namespace {

const JsonStruct& type_of(const Kind& kind) {
  return json_struct(*kind.prototype().GetDescriptor());
}

std::string merged(const Kind& kind, std::string_view target, std::string_view patch) {
  JsonValue object = parse_json_value(target)->value;
  const auto done = apply_strategic_merge(object, parse_json_value(patch)->value, type_of(kind));
  return done
             ? to_json_text(object)
             : std::to_string(done.error().code) + " " + done.error().reason + done.error().message;
}

struct MergeCase {
  const char* name;
  const char* target;
  const char* patch;
  const char* result;
};

class PodPatch : public ::testing::TestWithParam<MergeCase> {};

TEST_P(PodPatch, M93_M94) {
  EXPECT_EQ(merged(kinds::pod(), GetParam().target, GetParam().patch), GetParam().result);
}

constexpr const char* kTwo = R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b"}]}})";
constexpr const char* kFinalizers = R"({"metadata":{"finalizers":["a","b"]}})";

INSTANTIATE_TEST_SUITE_P(
    Maps, PodPatch,
    ::testing::Values(
        MergeCase{"null_deletes", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                  R"({"metadata":{"labels":{"a":null,"c":"3","d":null}}})",
                  R"({"metadata":{"labels":{"b":"2","c":"3"}}})"},
        MergeCase{"replace", R"({"metadata":{"labels":{"a":"1"}}})",
                  R"({"metadata":{"labels":{"$patch":"replace","c":"3"}}})",
                  R"({"metadata":{"labels":{"c":"3"}}})"},
        MergeCase{"delete", R"({"metadata":{"labels":{"a":"1"}}})",
                  R"({"metadata":{"labels":{"$patch":"delete"}}})",
                  R"({"metadata":{"labels":{}}})"},
        MergeCase{"unknown_directive", R"({"metadata":{"labels":{"a":"1"}}})",
                  R"({"metadata":{"labels":{"$patch":"zork"}}})",
                  "500 unknown patch type: zork in map: map[$patch:zork]"},
        MergeCase{"new_objects_have_no_nulls", "{}",
                  R"({"spec":{"securityContext":{"runAsUser":null}}})",
                  R"({"spec":{"securityContext":{}}})"},
        MergeCase{"retain_keys", R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
                  R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name","hostPath"],)"
                  R"("hostPath":{"path":"/"}}]}})",
                  R"({"spec":{"volumes":[{"hostPath":{"path":"/"},"name":"v"}]}})"},
        MergeCase{"both_sources_without_retain_keys",
                  R"({"spec":{"volumes":[{"name":"v","emptyDir":{}}]}})",
                  R"({"spec":{"volumes":[{"name":"v","hostPath":{"path":"/"}}]}})",
                  R"({"spec":{"volumes":[{"emptyDir":{},"hostPath":{"path":"/"},"name":"v"}]}})"},
        MergeCase{"retain_keys_must_cover_the_patch", R"({"spec":{"volumes":[{"name":"v"}]}})",
                  R"({"spec":{"volumes":[{"name":"v","$retainKeys":["name"],"emptyDir":{}}]}})",
                  "400 BadRequestinvalid patch format of retainKeys"},
        MergeCase{"retain_keys_is_a_list", R"({"spec":{"volumes":[{"name":"v"}]}})",
                  R"({"spec":{"volumes":[{"name":"v","$retainKeys":"name"}]}})",
                  "400 BadRequestinvalid patch format of retainKeys"},
        MergeCase{"directives_need_something_to_direct", "{}",
                  R"({"spec":{"securityContext":{"$patch":"replace","runAsUser":1}}})",
                  R"({"spec":{}})"},
        MergeCase{"type_changes", R"({"spec":{"nodeName":"n"}})", R"({"spec":"x"})",
                  R"({"spec":"x"})"}),
    [](const auto& one) { return std::string(one.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Lists, PodPatch,
    ::testing::Values(
        MergeCase{"merge_by_key", kTwo, R"({"spec":{"containers":[{"name":"a","image":"2"}]}})",
                  R"({"spec":{"containers":[{"image":"2","name":"a"},{"name":"b"}]}})"},
        MergeCase{
            "new_items_come_first", kTwo, R"({"spec":{"containers":[{"name":"c"}]}})",
            R"({"spec":{"containers":[{"name":"c"},{"image":"1","name":"a"},{"name":"b"}]}})"},
        MergeCase{"existing_keep_their_place", kTwo,
                  R"({"spec":{"containers":[{"name":"b","image":"3"}]}})",
                  R"({"spec":{"containers":[{"image":"1","name":"a"},{"image":"3","name":"b"}]}})"},
        MergeCase{"order_of_the_patch", kTwo,
                  R"({"spec":{"containers":[{"name":"b"},{"name":"a"}]}})",
                  R"({"spec":{"containers":[{"name":"b"},{"image":"1","name":"a"}]}})"},
        MergeCase{"delete_item", kTwo,
                  R"({"spec":{"containers":[{"name":"a","$patch":"delete"}]}})",
                  R"({"spec":{"containers":[{"name":"b"}]}})"},
        MergeCase{"replace_list", kTwo,
                  R"({"spec":{"containers":[{"$patch":"replace"},{"name":"z"}]}})",
                  R"({"spec":{"containers":[{"name":"z"}]}})"},
        MergeCase{"merge_directive", kTwo, R"({"spec":{"containers":[{"$patch":"merge"}]}})",
                  "500 merging lists cannot yet be specified in the patch"},
        MergeCase{"no_key", kTwo, R"({"spec":{"containers":[{"image":"x"}]}})",
                  "500 map: map[image:x] does not contain declared merge key: name"},
        MergeCase{
            "no_object", kTwo, R"({"spec":{"containers":["x"]}})",
            "500 list element types are not identical: [[map[image:1 name:a] map[name:b]] [x]]"},
        MergeCase{"no_key_in_a_new_list", R"({"metadata":{}})",
                  R"({"metadata":{"ownerReferences":[{"name":"x"}]}})",
                  R"({"metadata":{"ownerReferences":[{"name":"x"}]}})"},
        MergeCase{"no_key_in_an_old_list", R"({"metadata":{"ownerReferences":[{"uid":"u"}]}})",
                  R"({"metadata":{"ownerReferences":[{"name":"x"}]}})",
                  "500 map: map[name:x] does not contain declared merge key: uid"},
        MergeCase{"lists_in_a_list", R"({"metadata":{"finalizers":[]}})",
                  R"({"metadata":{"finalizers":[["a"]]}})",
                  "422 Invalidthe server rejected our request due to an error in our request"},
        MergeCase{"numeric_key",
                  R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80}]}]}})",
                  R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"x"},)"
                  R"({"containerPort":81}]}]}})",
                  R"({"spec":{"containers":[{"name":"a","ports":[{"containerPort":80,"name":"x"},)"
                  R"({"containerPort":81}]}]}})"},
        MergeCase{"atomic", R"({"spec":{"tolerations":[{"key":"a"}]}})",
                  R"({"spec":{"tolerations":[{"key":"b"}]}})",
                  R"({"spec":{"tolerations":[{"key":"b"}]}})"},
        MergeCase{"null_list", kTwo, R"({"spec":{"containers":null}})", R"({"spec":{}})"},
        MergeCase{
            "list_from_nothing", "{}",
            R"({"spec":{"containers":[{"name":"a","env":[{"name":"x","$patch":"delete"}]}]}})",
            R"({"spec":{"containers":[{"env":[],"name":"a"}]}})"},
        MergeCase{
            "set_element_order", kTwo,
            R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"c"},{"name":"a"}],)"
            R"("containers":[{"name":"c"}]}})",
            R"({"spec":{"containers":[{"name":"b"},{"name":"c"},{"image":"1","name":"a"}]}})"},
        MergeCase{"order_alone", kTwo,
                  R"({"spec":{"$setElementOrder/containers":[{"name":"b"},{"name":"a"}]}})",
                  R"({"spec":{"containers":[{"name":"b"},{"image":"1","name":"a"}]}})"},
        MergeCase{"order_of_nothing", "{}",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"b"}]}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"b"}]}})"},
        MergeCase{"order_of_no_list", R"({"spec":{}})",
                  R"({"spec":{"$setElementOrder/containers":[{"name":"b"}]}})", R"({"spec":{}})"},
        MergeCase{"order_and_deletion", kTwo,
                  R"({"spec":{"$setElementOrder/containers":[{"name":"b"}],)"
                  R"("containers":[{"name":"a","$patch":"delete"}]}})",
                  R"({"spec":{"containers":[{"name":"b"}]}})"},
        MergeCase{"order_must_fit_the_patch", kTwo,
                  R"({"spec":{"$setElementOrder/containers":[{"name":"a"}],)"
                  R"("containers":[{"name":"b"}]}})",
                  "500 The order in patch list:\n[map[name:b]]\n doesn't match $setElementOrder "
                  "list:\n[map[name:a]]\n"},
        MergeCase{"order_of_an_atomic_list", R"({"spec":{}})",
                  R"({"spec":{"$setElementOrder/tolerations":[]}})",
                  "400 BadRequestinvalid patch format of setElementOrder list"}),
    [](const auto& one) { return std::string(one.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Values, PodPatch,
    ::testing::Values(
        MergeCase{"new_values_come_first", kFinalizers, R"({"metadata":{"finalizers":["c"]}})",
                  R"({"metadata":{"finalizers":["c","a","b"]}})"},
        MergeCase{"known_values", kFinalizers, R"({"metadata":{"finalizers":["b","a"]}})",
                  R"({"metadata":{"finalizers":["b","a"]}})"},
        MergeCase{"deleted", kFinalizers,
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a","z"]}})",
                  R"({"metadata":{"finalizers":["b"]}})"},
        MergeCase{"deleted_from_nothing", R"({"metadata":{}})",
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":["a"]}})",
                  R"({"metadata":{}})"},
        MergeCase{"order_and_delete", kFinalizers,
                  R"({"metadata":{"$setElementOrder/finalizers":["c","b"],)"
                  R"("$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["c"]}})",
                  R"({"metadata":{"finalizers":["c","b"]}})"},
        MergeCase{"bad_delete", kFinalizers, R"({"metadata":{"$deleteFromPrimitiveList":["a"]}})",
                  "400 BadRequestinvalid patch format of primitive list"},
        MergeCase{"delete_without_a_list", kFinalizers,
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":"a"}})", kFinalizers},
        MergeCase{"delete_null", kFinalizers,
                  R"({"metadata":{"$deleteFromPrimitiveList/finalizers":null}})",
                  R"({"metadata":{}})"},
        MergeCase{"directive_among_values", kFinalizers,
                  R"({"metadata":{"finalizers":[{"$patch":"replace"}]}})",
                  "500 list element types are not identical: [[a b] [map[$patch:replace]]]"},
        MergeCase{"directive_for_no_values", R"({"metadata":{}})",
                  R"({"metadata":{"finalizers":[{"$patch":"replace"}]}})",
                  R"({"metadata":{"finalizers":[]}})"},
        MergeCase{"objects_among_values", kFinalizers, R"({"metadata":{"finalizers":[{}]}})",
                  "500 list element types are not identical: [[a b] [map[]]]"}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(StrategicMerge, M94_KeysOfEachList) {
  const auto merges_by = [](const Kind& kind, std::string before, std::string key,
                            std::string after) {
    const auto list = [&](std::string items) { return before + "[" + items + "]" + after; };
    const std::string one = R"({")" + key + R"(":"1"})";
    const std::string two = R"({")" + key + R"(":"2"})";
    return merged(kind, list(one), list(two)) ==
           to_json_text(parse_json_value(list(two + "," + one))->value);
  };
  const Kind& pod = kinds::pod();
  const auto in_spec = [&](std::string list, std::string key) {
    return merges_by(pod, R"({"spec":{")" + list + R"(":)", std::move(key), "}}");
  };
  const auto in_container = [&](std::string list, std::string key) {
    return merges_by(pod, R"({"spec":{"initContainers":[{")" + list + R"(":)", std::move(key),
                     R"(,"name":"c"}]}})");
  };
  EXPECT_TRUE(in_spec("containers", "name"));
  EXPECT_TRUE(in_spec("initContainers", "name"));
  EXPECT_TRUE(in_spec("volumes", "name"));
  EXPECT_TRUE(in_spec("imagePullSecrets", "name"));
  EXPECT_TRUE(in_spec("schedulingGates", "name"));
  EXPECT_TRUE(in_spec("resourceClaims", "name"));
  EXPECT_TRUE(in_spec("hostAliases", "ip"));
  EXPECT_TRUE(in_spec("topologySpreadConstraints", "topologyKey"));
  EXPECT_TRUE(in_container("env", "name"));
  EXPECT_TRUE(in_container("volumeMounts", "mountPath"));
  EXPECT_TRUE(in_container("volumeDevices", "devicePath"));
  EXPECT_TRUE(in_container("ports", "containerPort"));
  EXPECT_TRUE(merges_by(pod, R"({"status":{"conditions":)", "type", "}}"));  // P65
  EXPECT_TRUE(merges_by(pod, R"({"status":{"podIPs":)", "ip", "}}"));
  EXPECT_TRUE(merges_by(pod, R"({"status":{"hostIPs":)", "ip", "}}"));
  EXPECT_TRUE(merges_by(pod, R"({"metadata":{"ownerReferences":)", "uid", "}}"));
  EXPECT_TRUE(merges_by(kinds::job(), R"({"status":{"conditions":)", "type", "}}"));
  EXPECT_TRUE(merges_by(kinds::node(), R"({"status":{"conditions":)", "type", "}}"));
  EXPECT_TRUE(merges_by(kinds::node(), R"({"status":{"addresses":)", "type", "}}"));
  EXPECT_FALSE(merges_by(kinds::node(), R"({"spec":{"taints":)", "key", "}}"));  // N4
  EXPECT_FALSE(merges_by(pod, R"({"status":{"containerStatuses":)", "name", "}}"));
  EXPECT_FALSE(in_container("envFrom", "prefix"));
  EXPECT_FALSE(in_spec("readinessGates", "conditionType"));
}

TEST(StrategicMerge, ASelectorOfABudgetIsReplaced) {
  EXPECT_EQ(merged(*find_kind("policy/v1", "PodDisruptionBudget"),
                   R"({"spec":{"selector":{"matchLabels":{"a":"1"}}}})",
                   R"({"spec":{"selector":{"matchLabels":{"b":"1"}}}})"),
            R"({"spec":{"selector":{"matchLabels":{"b":"1"}}}})");
}

TEST(StrategicMerge, M93_WrongShapes) {
  const auto wrong = [](std::string_view json) {
    return wrong_shape(parse_json_value(json)->value, type_of(kinds::pod()));
  };
  EXPECT_EQ(wrong(R"({"spec":"x"})"), "cannot restore struct from: string");
  EXPECT_EQ(wrong(R"({"spec":{"containers":[1]}})"), "cannot restore struct from: int64");
  EXPECT_EQ(wrong(R"({"spec":{"containers":{}}})"), "cannot restore slice from map");
  EXPECT_EQ(wrong(R"({"metadata":{"labels":[]}})"), "cannot restore map from slice");
  EXPECT_EQ(wrong(R"({"spec":{"containers":null,"zork":1},"metadata":{"labels":{}}})"), "");
}

}  // namespace
}  // namespace windlass::api
