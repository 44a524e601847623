// What an apply is told about fields that others own (api.md M102), and the one excuse there is.
// Pure.
#pragma once

#include <string_view>
#include <vector>

#include "api/object.h"
#include "apiserver/field_manager/managed_fields.h"
#include "base/status.h"

namespace windlass::apiserver {

struct ApplyConflict {
  FieldOwner owner;
  api::FieldSet fields;
};

// `Apply failed with 1 conflict: conflict with "M" using batch/v1: .spec.parallelism`
Status apply_conflict(const std::vector<ApplyConflict>& conflicts);

// kubectl applied on its own before it let the server do it: what its annotation says it has set
// is not contested by it.
void excuse_client_side_apply(std::string_view manager, const api::Message& live,
                              std::vector<ApplyConflict>& conflicts);

inline constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";
inline constexpr const char* kKubectl = "kubectl";

}  // namespace windlass::apiserver
