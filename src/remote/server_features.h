// What an API server knows of the Job API, read from its OpenAPI document: fields that an older one
// has not got are dropped by it without a word. That a field is there does not mean that its
// feature gate is on. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::remote {

struct ServerFeatures {
  bool managed_by = true;
  bool backoff_limit_per_index = true;  // and FailIndex, status.failedIndexes
  bool pod_replacement_policy = true;   // and status.terminating
  bool success_policy = true;
  bool pod_failure_policy = true;
  bool rule_names = true;  // KEP-4443

  // For people, one line for each that is missing: `spec.managedBy (since 1.30): ...`.
  std::vector<std::string> missing() const;
};

// Of /openapi/v3/apis/batch/v1.
Result<ServerFeatures> read_features(std::string_view openapi_json);

// Of /version: v1.33.1.
Result<std::string> read_version(std::string_view version_json);

}  // namespace windlass::remote
