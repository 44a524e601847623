#include "remote/server_features.h"

#include "api/codec/json/json_value.h"

namespace windlass::remote {
namespace {

using api::JsonValue;

const JsonValue* at(const JsonValue* value, std::string_view name) {
  return value == nullptr ? nullptr : value->find(name);
}

bool has_property(const JsonValue* schemas, std::string_view message, std::string_view property) {
  const std::string name = "io.k8s.api.batch.v1." + std::string(message);
  return at(at(at(schemas, name), "properties"), property) != nullptr;
}

}  // namespace

std::vector<std::string> ServerFeatures::missing() const {
  const struct {
    bool there;
    const char* text;
  } lines[] = {
      {managed_by, "spec.managedBy (since 1.30): no Job can name a controller"},
      {pod_failure_policy, "spec.podFailurePolicy (since 1.25): every failure counts"},
      {backoff_limit_per_index,
       "spec.backoffLimitPerIndex, maxFailedIndexes (since 1.28): no retries per index"},
      {pod_replacement_policy,
       "spec.podReplacementPolicy, status.terminating (since 1.28): replacements do not wait for "
       "the end of terminating pods"},
      {success_policy, "spec.successPolicy (since 1.30)"},
      {rule_names,
       "spec.podFailurePolicy.rules[].name (Windlass alone): names come from the annotation "
       "windlass.dev/failure-rule-names, which `windlass annotate` makes"},
  };
  std::vector<std::string> missing;
  for (const auto& line : lines) {
    if (!line.there) {
      missing.emplace_back(line.text);
    }
  }
  return missing;
}

Result<ServerFeatures> read_features(std::string_view openapi_json) {
  TRY(const api::JsonTree tree, api::parse_json_value(openapi_json));
  const JsonValue* schemas = at(tree.value.find("components"), "schemas");
  if (!has_property(schemas, "JobSpec", "template")) {
    return fail(plain_error("the OpenAPI document does not describe Jobs"));
  }
  ServerFeatures features;
  features.managed_by = has_property(schemas, "JobSpec", "managedBy");
  features.pod_failure_policy = has_property(schemas, "JobSpec", "podFailurePolicy");
  features.backoff_limit_per_index = has_property(schemas, "JobSpec", "backoffLimitPerIndex") &&
                                     has_property(schemas, "JobStatus", "failedIndexes");
  features.pod_replacement_policy = has_property(schemas, "JobSpec", "podReplacementPolicy") &&
                                    has_property(schemas, "JobStatus", "terminating");
  features.success_policy = has_property(schemas, "JobSpec", "successPolicy");
  features.rule_names = has_property(schemas, "PodFailurePolicyRule", "name");
  return features;
}

Result<std::string> read_version(std::string_view version_json) {
  TRY(const api::JsonTree tree, api::parse_json_value(version_json));
  const JsonValue* version = tree.value.find("gitVersion");
  if (version == nullptr || !version->is_string()) {
    return fail(plain_error("the server does not say its version"));
  }
  return version->text;
}

}  // namespace windlass::remote
