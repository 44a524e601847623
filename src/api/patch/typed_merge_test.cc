#include "api/patch/typed_merge.h"

#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "api/kind.h"
#include "api/patch/typed_compare.h"

namespace windlass::api {
namespace {

NodeType node_type_of(const Kind& kind) {
  return root_type(json_struct(*kind.prototype().GetDescriptor()));
}

JsonValue tree(std::string_view json) {
  return parse_json_value(json)->value;
}

std::string pod_fields(std::string_view json) {
  return to_fields_v1(fields_of(tree(json), node_type_of(kinds::pod())));
}

TEST(FieldsOf, M102_LeavesItemsAndWhatIsEmpty) {
  EXPECT_EQ(pod_fields(R"({"metadata":{"labels":{"a":"1"},"annotations":{}},)"
                       R"("spec":{"nodeName":null,"containers":[{"name":"c","args":["x"]}]}})"),
            R"({"f:metadata":{"f:annotations":{},"f:labels":{"f:a":{}}},)"
            R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},"f:name":{}}},)"
            R"("f:nodeName":{}}})");
}

TEST(FieldsOf, M104_AnEmptyListSetsNothing) {
  EXPECT_EQ(pod_fields(R"({"metadata":{"finalizers":[]},"spec":{"containers":[]}})"), "{}");
  EXPECT_EQ(pod_fields(R"({"spec":{"containers":[{"name":"c","ports":[],"args":[]}]}})"),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:args":{},)"
            R"("f:name":{}}}}})");
  EXPECT_EQ(pod_fields(R"({"metadata":{"finalizers":null}})"),
            R"({"f:metadata":{"f:finalizers":{}}})");
}

TEST(FieldsOf, M104_SetsKeysAtomics) {
  EXPECT_EQ(pod_fields(R"({"metadata":{"finalizers":["a/b"],)"
                       R"("ownerReferences":[{"uid":"u","name":"n"}]}})"),
            R"({"f:metadata":{"f:finalizers":{"v:\"a/b\"":{}},)"
            R"("f:ownerReferences":{"k:{\"uid\":\"u\"}":{}}}})");
  EXPECT_EQ(pod_fields(R"({"spec":{"tolerations":[{"key":"a"}],"nodeSelector":{"a":"b"},)"
                       R"("containers":[{"name":"c","ports":[{"containerPort":80}]}]}})"),
            R"({"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{},"f:ports":{)"
            R"("k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}}}},)"
            R"("f:nodeSelector":{},"f:tolerations":{}}})");
}

TEST(CompareFields, M105_NewPartsAreOwnedWithAllThatIsInThem) {
  const FieldChanges changes = compare_fields(
      tree(R"({"metadata":{"labels":{"x":"1"}},"spec":{"containers":null,"nodeName":"n"}})"),
      tree(R"({"metadata":{"annotations":{"a":"1"},"labels":{"x":"2"}},)"
           R"("spec":{"containers":[{"name":"c","resources":{}}]}})"),
      node_type_of(kinds::pod()));
  EXPECT_EQ(to_fields_v1(changes.set),
            R"({"f:metadata":{"f:annotations":{".":{},"f:a":{}},"f:labels":{"f:x":{}}},)"
            R"("f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:name":{},)"
            R"("f:resources":{}}}}})");
  EXPECT_EQ(to_fields_v1(changes.removed), R"({"f:spec":{"f:nodeName":{}}})");
}

TEST(CompareFields, EqualTreesDoNotDiffer) {
  const JsonValue pod = tree(R"({"metadata":{"labels":{"x":"1"}},"spec":{"containers":[]}})");
  const FieldChanges changes = compare_fields(pod, pod, node_type_of(kinds::pod()));
  EXPECT_TRUE(changes.set.empty());
  EXPECT_TRUE(changes.removed.empty());
}

std::string typed_merged(std::string_view live, std::string_view config) {
  JsonValue value = tree(live);
  merge_typed(value, tree(config), node_type_of(kinds::pod()));
  return to_json_text(value);
}

TEST(MergeTyped, M104_ItemsMergeByTheirKeys) {
  EXPECT_EQ(typed_merged(R"({"spec":{"containers":[{"name":"a","image":"1"}]}})",
                         R"({"spec":{"containers":[{"name":"b"},{"name":"a","image":"2"}]}})"),
            R"({"spec":{"containers":[{"name":"b"},{"image":"2","name":"a"}]}})");
  EXPECT_EQ(typed_merged(R"({"spec":{"tolerations":[{"key":"a"}],"nodeSelector":{"a":"1"}}})",
                         R"({"spec":{"tolerations":[{"key":"b"}],"nodeSelector":{"b":"1"}}})"),
            R"({"spec":{"nodeSelector":{"b":"1"},"tolerations":[{"key":"b"}]}})");
}

struct OrderCase {
  const char* name;
  const char* live;
  const char* applied;
  const char* result;
};

class MergedOrder : public ::testing::TestWithParam<OrderCase> {};

// The orders that structured-merge-diff 6.3 gives.
TEST_P(MergedOrder, M104) {
  const auto finalizers = [](std::string_view names) {
    std::string json = R"({"metadata":{"finalizers":[)";
    for (const char name : names) {
      json += (json.back() == '[' ? "\"" : ",\"") + std::string(1, name) + "\"";
    }
    return json + "]}}";
  };
  const OrderCase& one = GetParam();
  EXPECT_EQ(typed_merged(finalizers(one.live), finalizers(one.applied)), finalizers(one.result));
}

INSTANTIATE_TEST_SUITE_P(
    Lists, MergedOrder,
    ::testing::Values(OrderCase{"a_new_item_stands_where_it_is_applied", "b", "cb", "cb"},
                      OrderCase{"a_new_item_after_the_shared_one", "b", "bc", "bc"},
                      OrderCase{"items_of_others_come_first", "a", "b", "ab"},
                      OrderCase{"shared_items_take_the_applied_order", "abc", "cba", "cba"},
                      OrderCase{"items_of_others_stay_between", "axb", "ab", "axb"},
                      OrderCase{"items_of_others_come_first_when_the_order_turns", "axb", "ba",
                                "xba"},
                      OrderCase{"a_new_item_between_shared_ones", "ab", "acb", "acb"},
                      OrderCase{"a_new_item_and_one_of_others", "axb", "acb", "axcb"},
                      OrderCase{"an_empty_list_changes_nothing", "ab", "", "ab"},
                      OrderCase{"what_stands_twice_stands_once", "aax", "ac", "acx"},
                      OrderCase{"what_others_have_twice_stays", "xaax", "a", "xax"}),
    [](const auto& one) { return std::string(one.param.name); });

struct PruneCase {
  const char* name;
  const char* live;
  const char* before;
  const char* now;
  const char* others;
  const char* result;
};

class PruneTyped : public ::testing::TestWithParam<PruneCase> {};

TEST_P(PruneTyped, M103) {
  const PruneCase& one = GetParam();
  JsonValue value = tree(one.live);
  prune_typed(
      value,
      {*parse_field_set(one.before), *parse_field_set(one.now), *parse_field_set(one.others)},
      node_type_of(kinds::pod()));
  EXPECT_EQ(to_json_text(value), one.result);
}

constexpr const char* kPod =
    R"({"spec":{"containers":[{"image":"i","name":"a","tty":true},{"name":"b"}]}})";
constexpr const char* kOwnsA =
    R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:image":{},"f:name":{}}}}})";
constexpr const char* kOwnsB =
    R"({"f:spec":{"f:containers":{"k:{\"name\":\"b\"}":{".":{},"f:name":{}}}}})";
constexpr const char* kNothing = "{}";

INSTANTIATE_TEST_SUITE_P(
    All, PruneTyped,
    ::testing::Values(
        PruneCase{"a_leaf_goes", R"({"metadata":{"labels":{"a":"1","b":"2"}}})",
                  R"({"f:metadata":{"f:labels":{"f:a":{}}}})", kNothing,
                  R"({"f:metadata":{"f:labels":{"f:b":{}}}})",
                  R"({"metadata":{"labels":{"b":"2"}}})"},
        PruneCase{"a_shared_leaf_stays", R"({"metadata":{"labels":{"a":"1"}}})",
                  R"({"f:metadata":{"f:labels":{"f:a":{}}}})", kNothing,
                  R"({"f:metadata":{"f:labels":{"f:a":{}}}})",
                  R"({"metadata":{"labels":{"a":"1"}}})"},
        PruneCase{"an_item_goes_with_its_defaults", kPod, kOwnsA, kNothing, kOwnsB,
                  R"({"spec":{"containers":[{"name":"b"}]}})"},
        PruneCase{"an_item_goes_with_what_others_have_set_in_it", kPod, kOwnsA, kOwnsB,
                  R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{"f:tty":{}}}}})",
                  R"({"spec":{"containers":[{"name":"b"}]}})"},
        PruneCase{"an_item_that_others_own_stays", kPod, kOwnsA, kOwnsB,
                  R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}})",
                  R"({"spec":{"containers":[{"name":"a","tty":true},{"name":"b"}]}})"},
        PruneCase{"an_object_goes_with_its_defaults",
                  R"({"spec":{"nodeName":"n","securityContext":{"fsGroup":1,"runAsUser":2}}})",
                  R"({"f:spec":{"f:nodeName":{},"f:securityContext":{"f:runAsUser":{}}}})",
                  R"({"f:spec":{"f:nodeName":{}}})", kNothing, R"({"spec":{"nodeName":"n"}})"},
        PruneCase{"an_object_that_others_use_stays",
                  R"({"spec":{"nodeName":"n","securityContext":{"fsGroup":1,"runAsUser":2}}})",
                  R"({"f:spec":{"f:nodeName":{},"f:securityContext":{"f:runAsUser":{}}}})",
                  R"({"f:spec":{"f:nodeName":{}}})",
                  R"({"f:spec":{"f:securityContext":{"f:fsGroup":{}}}})",
                  R"({"spec":{"nodeName":"n","securityContext":{"fsGroup":1}}})"},
        PruneCase{"a_part_of_an_item_goes", kPod, kOwnsA,
                  R"({"f:spec":{"f:containers":{"k:{\"name\":\"a\"}":{".":{},"f:name":{}}}}})",
                  kNothing, R"({"spec":{"containers":[{"name":"a","tty":true},{"name":"b"}]}})"},
        PruneCase{"a_value_of_a_set_goes", R"({"metadata":{"finalizers":["a","b"]}})",
                  R"({"f:metadata":{"f:finalizers":{"v:\"a\"":{}}}})", kNothing,
                  R"({"f:metadata":{"f:finalizers":{"v:\"b\"":{}}}})",
                  R"({"metadata":{"finalizers":["b"]}})"},
        PruneCase{"what_is_in_an_object_applied_as_null_stays",
                  R"({"spec":{"nodeName":"n","topologySpreadConstraints":[]}})", R"({"f:spec":{}})",
                  R"({"f:spec":{}})", kNothing,
                  R"({"spec":{"nodeName":"n","topologySpreadConstraints":[]}})"},
        PruneCase{"what_was_never_applied_stays", kPod, kNothing, kNothing, kNothing, kPod}),
    [](const auto& one) { return std::string(one.param.name); });

TEST(TypedErrors, M111) {
  const auto errors = [](std::string_view json) {
    return typed_errors(tree(json), node_type_of(kinds::job()));
  };
  EXPECT_EQ(errors(R"({"spec":{"parallelism":2,"suspend":null}})"), "");
  EXPECT_EQ(errors(R"({"spec":{"foo":1}})"), ".spec.foo: field not declared in schema");
  EXPECT_EQ(errors(R"({"spec":{"parallelism":"x"}})"),
            ".spec.parallelism: expected numeric (int or float), got string");
  EXPECT_EQ(errors(R"({"spec":{"suspend":1},"zork":2})"),
            "errors:\n  .spec.suspend: expected boolean, got &value.valueUnstructured{Value:1}\n"
            "  .zork: field not declared in schema");
  EXPECT_EQ(errors(R"({"spec":{"template":{"spec":{"containers":[{"image":"x"}]}}}})"),
            ".spec.template.spec.containers: element 0: associative list with keys has an element "
            "that omits all key fields [\"name\"] (and doesn't have default values for any key "
            "fields)");
  // An item may leave out some of its keys; validation speaks of what is missing.
  EXPECT_EQ(errors(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","ports":)"
                   R"([{"hostPort":80}]}],"topologySpreadConstraints":[{"topologyKey":"k"}]}}}})"),
            "");
  EXPECT_EQ(errors(R"({"spec":{"template":{"spec":{"containers":[null]}}}})"),
            ".spec.template.spec.containers: element 0: associative list with keys may not have a "
            "null element");
  EXPECT_EQ(errors(R"({"spec":{"template":{"spec":{"containers":[{"name":"c"},{"name":"c"}]}}}})"),
            R"(.spec.template.spec.containers: duplicate entries for key [name="c"])");
  EXPECT_EQ(errors(R"({"spec":{"template":{"spec":{"containers":[{"name":"c","x":1}]}}}})"),
            R"(.spec.template.spec.containers[name="c"].x: field not declared in schema)");
  EXPECT_EQ(errors(R"({"metadata":{"labels":{"a":1}}})"),
            ".metadata.labels.a: expected string, got &value.valueUnstructured{Value:1}");
}

TEST(TypedErrors, M111_NamesAreCutAndErrorsCounted) {
  std::string container = R"({"name":")" + std::string(100'000, 'n') + R"(")";
  for (int i = 0; i < 1000; ++i) {
    container += R"(,"unknown)" + std::to_string(i) + R"(":1)";
  }
  const std::string text =
      typed_errors(tree(R"({"spec":{"template":{"spec":{"containers":[)" + container + "}]}}}}"),
                   node_type_of(kinds::job()));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 100);
  EXPECT_LT(text.size(), 40'000U);
}

}  // namespace
}  // namespace windlass::api
