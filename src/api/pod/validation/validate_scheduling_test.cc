// Tolerations, taints, affinity, topology spread.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/pod/pod_testing.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::api {
namespace {

using ::testing::ElementsAre;
using testing::errors_with;
using testing::from_yaml;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::vector<std::string> toleration_errors(const std::string& toleration) {
  return errors_with("tolerations: [{" + toleration + "}]");
}

std::vector<std::string> required_node_errors(const std::string& expressions) {
  return errors_with(
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [" +
      expressions + "]}]}}}");
}

TEST(TolerationValidation, P42_Good) {
  for (const char* good : {"operator: Exists", "key: a, operator: Exists", "key: a, value: b",
                           "key: a, operator: Equal, value: b, effect: NoExecute, "
                           "tolerationSeconds: 5",
                           "key: a, operator: Exists, effect: PreferNoSchedule"}) {
    EXPECT_THAT(toleration_errors(good), IsEmpty()) << good;
  }
}

TEST(TolerationValidation, P42_Bad) {
  const std::string path = "spec.tolerations[0].";
  EXPECT_THAT(toleration_errors("value: ''"),
              ElementsAre(path + "operator: Invalid value: \"\": operator must be Exists when "
                                 "`key` is empty, which means \"match all values and all keys\""));
  EXPECT_THAT(toleration_errors("key: a, operator: Exists, tolerationSeconds: 5, effect: "
                                "NoSchedule"),
              ElementsAre(path + "effect: Invalid value: \"NoSchedule\": effect must be "
                                 "'NoExecute' when `tolerationSeconds` is set"));
  EXPECT_THAT(toleration_errors("key: a, operator: Exists, value: b"),
              ElementsAre(path + "operator: Invalid value: \"b\": value must be empty when "
                                 "`operator` is 'Exists'"));
  EXPECT_THAT(toleration_errors("key: a, operator: Near"),
              ElementsAre(path + "operator: Unsupported value: \"Near\": supported values: "
                                 "\"Equal\", \"Exists\""));
  EXPECT_THAT(toleration_errors("key: a, operator: Gt, value: '5'"),
              ElementsAre(StartsWith(path + "operator: Unsupported value: \"Gt\"")));
  EXPECT_THAT(toleration_errors("key: a, operator: Exists, effect: Later"),
              ElementsAre(path + "effect: Unsupported value: \"Later\": supported values: "
                                 "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\""));
  EXPECT_THAT(toleration_errors("key: -a, value: $"),
              ElementsAre(StartsWith(path + "key: Invalid value: \"-a\": name part"),
                          StartsWith(path + "operator: Invalid value: \"$\": a valid label")));
}

TEST(TaintValidation, N3_Taints) {
  const auto taint_errors = [](const std::string& taints) {
    FieldErrors errors;
    validate_taints(errors, FieldPath("metadata").child("taints"),
                    from_yaml<core::v1::NodeSpec>("{taints: [" + taints + "]}").taints());
    return testing::error_texts(errors);
  };
  EXPECT_THAT(taint_errors("{key: a, effect: NoSchedule}, {key: a, effect: NoExecute, value: v}"),
              IsEmpty());
  EXPECT_THAT(taint_errors("{key: a}"), ElementsAre("metadata.taints[0].effect: Required value"));
  EXPECT_THAT(taint_errors("{key: -, value: $, effect: X}"),
              ElementsAre(StartsWith("metadata.taints[0].key: Invalid value: \"-\""),
                          StartsWith("metadata.taints[0].value: Invalid value: \"$\""),
                          "metadata.taints[0].effect: Unsupported value: \"X\": supported values: "
                          "\"NoSchedule\", \"PreferNoSchedule\", \"NoExecute\""));
  EXPECT_THAT(taint_errors("{key: x, effect: NoSchedule}, {key: x, effect: NoSchedule}"),
              ElementsAre("metadata.taints[1]: Duplicate value: "
                          "{\"key\":\"x\",\"effect\":\"NoSchedule\"}: taints must be unique by key "
                          "and effect pair"));
}

TEST(AffinityValidation, P45_NodeAffinityOperators) {
  EXPECT_THAT(required_node_errors(
                  "{key: a, operator: In, values: [b]}, {key: a, operator: NotIn, values: [b]}, "
                  "{key: a, operator: Exists}, {key: a, operator: DoesNotExist}, {key: a, "
                  "operator: Gt, values: ['1']}, {key: a, operator: Lt, values: ['1']}"),
              IsEmpty());
  const std::string path =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
      "nodeSelectorTerms[0].matchExpressions[0].";
  EXPECT_THAT(required_node_errors("{key: a, operator: Near}"),
              ElementsAre(path + "operator: Invalid value: \"Near\": not a valid selector "
                                 "operator"));
  EXPECT_THAT(required_node_errors("{key: a, operator: In}"),
              ElementsAre(path + "values: Required value: must be specified when `operator` is "
                                 "'In' or 'NotIn'"));
  EXPECT_THAT(required_node_errors("{key: a, operator: Gt, values: ['1', '2']}"),
              ElementsAre(path + "values: Required value: must be specified single value when "
                                 "`operator` is 'Lt' or 'Gt'"));
  EXPECT_THAT(required_node_errors("{key: a, operator: Exists, values: [b]}"),
              ElementsAre(path + "values: Forbidden: may not be specified when `operator` is "
                                 "'Exists' or 'DoesNotExist'"));
  EXPECT_THAT(required_node_errors("{key: -a, operator: In, values: [$]}"),
              ElementsAre(StartsWith(path + "key: Invalid value: \"-a\""),
                          StartsWith(path + "values[0]: Invalid value: \"$\"")));
}

TEST(AffinityValidation, P45_Terms) {
  const std::string required =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.";
  EXPECT_THAT(errors_with("affinity: {nodeAffinity: "
                          "{requiredDuringSchedulingIgnoredDuringExecution: {}}}"),
              ElementsAre(required + "nodeSelectorTerms: Required value: must have at least one "
                                     "node selector term"));
  EXPECT_THAT(errors_with("affinity: {nodeAffinity: "
                          "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                          "[{matchFields: [{key: metadata.name, operator: In, values: [n1]}, {key: "
                          "spec.x, operator: Exists}]}]}}}"),
              ElementsAre(required + "nodeSelectorTerms[0].matchFields[1].operator: Invalid value: "
                                     "\"Exists\": not a valid selector operator",
                          required + "nodeSelectorTerms[0].matchFields[1].key: Invalid value: "
                                     "\"spec.x\": not a valid field selector key"));
}

TEST(AffinityValidation, P45_PreferredWeight) {
  const auto weight_errors = [](const std::string& weight) {
    return errors_with(
        "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
        "[{weight: " +
        weight +
        ", preference: {matchExpressions: [{key: a, operator: In, values: "
        "['any $ value']}]}}]}}");
  };
  EXPECT_THAT(weight_errors("1"), IsEmpty());
  EXPECT_THAT(weight_errors("100"), IsEmpty());
  for (const char* bad : {"0", "101"}) {
    EXPECT_THAT(weight_errors(bad),
                ElementsAre("spec.affinity.nodeAffinity."
                            "preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid "
                            "value: " +
                            std::string(bad) + ": must be in the range 1-100"));
  }
}

TEST(AffinityValidation, PodAffinity) {
  EXPECT_THAT(errors_with("affinity: {podAntiAffinity: "
                          "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
                          "kubernetes.io/hostname, labelSelector: {matchLabels: {a: b}}}]}}"),
              IsEmpty());
  const std::string path =
      "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].";
  EXPECT_THAT(errors_with("affinity: {podAffinity: "
                          "{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 0, "
                          "podAffinityTerm: {labelSelector: {matchLabels: {a: $}}, namespaces: "
                          "[A]}}]}}"),
              ElementsAre(path + "weight: Invalid value: 0: must be in the range 1-100",
                          StartsWith(path + "podAffinityTerm.labelSelector.matchLabels: Invalid "
                                            "value: \"$\""),
                          StartsWith(path + "podAffinityTerm.namespace: Invalid value: \"A\""),
                          path + "podAffinityTerm.topologyKey: Required value: can not be empty",
                          path + "podAffinityTerm.topologyKey: Invalid value: \"\": name part must "
                                 "be non-empty",
                          StartsWith(path + "podAffinityTerm.topologyKey: Invalid value: \"\": "
                                            "name part must consist")));
}

TEST(AffinityValidation, P45_LabelKeys) {
  const std::string path =
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
  const auto term_errors = [](const std::string& term) {
    return errors_with(
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: zone, " +
        term + "}]}}");
  };
  EXPECT_THAT(term_errors("labelSelector: {}, matchLabelKeys: [app], mismatchLabelKeys: [x]"),
              IsEmpty());
  EXPECT_THAT(term_errors("matchLabelKeys: [app]"),
              ElementsAre(path + ".matchLabelKeys: Forbidden: must not be specified when "
                                 "labelSelector is not set"));
  EXPECT_THAT(term_errors("labelSelector: {}, matchLabelKeys: [b, app], mismatchLabelKeys: [app]"),
              ElementsAre(path + ".matchLabelKeys[1]: Invalid value: \"app\": exists in both "
                                 "matchLabelKeys and mismatchLabelKeys"));
  EXPECT_THAT(term_errors("labelSelector: {}, mismatchLabelKeys: [$]"),
              ElementsAre(StartsWith(path + ".mismatchLabelKeys[0]: Invalid value: \"$\"")));
  EXPECT_THAT(term_errors("labelSelector: {matchLabels: {app: a}, matchExpressions: [{key: app, "
                          "operator: In, values: [a]}]}, matchLabelKeys: [app]"),
              ElementsAre(path + "[0]: Invalid value: \"app\": exists in both matchLabelKeys and "
                                 "labelSelector"));
}

TEST(TopologySpreadValidation, Constraints) {
  EXPECT_THAT(errors_with("topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, "
                          "whenUnsatisfiable: DoNotSchedule, minDomains: 2, labelSelector: "
                          "{matchLabels: {a: b}}}]"),
              IsEmpty());
  const std::string path = "spec.topologySpreadConstraints";
  EXPECT_THAT(errors_with("topologySpreadConstraints: [{maxSkew: 0, whenUnsatisfiable: Never, "
                          "minDomains: 1, nodeTaintsPolicy: X, matchLabelKeys: [a]}]"),
              ElementsAre(path + "[0].maxSkew: Invalid value: 0: must be greater than zero",
                          path + "[0].topologyKey: Required value: can not be empty",
                          path + "[0].whenUnsatisfiable: Unsupported value: \"Never\": supported "
                                 "values: \"DoNotSchedule\", \"ScheduleAnyway\"",
                          path + "[0].minDomains: Invalid value: 1: can only use minDomains if "
                                 "whenUnsatisfiable=DoNotSchedule, not Never",
                          path + "[0].nodeTaintsPolicy: Unsupported value: \"X\": supported "
                                 "values: \"Honor\", \"Ignore\"",
                          path + "[0].matchLabelKeys: Forbidden: must not be specified when "
                                 "labelSelector is not set"));
  const std::string one = "{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}";
  EXPECT_THAT(errors_with("topologySpreadConstraints: [" + one + "," + one + "]"),
              ElementsAre(path + "[0].{topologyKey, whenUnsatisfiable}: Duplicate value: \"{z, "
                                 "DoNotSchedule}\""));
}

}  // namespace
}  // namespace windlass::api
