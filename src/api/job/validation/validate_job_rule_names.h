// The names of pod failure policy rules (KEP-4443, "Validation"; api.md J88). A FailJob rule's name
// becomes the end of the Job's failure reason, `PodFailurePolicy_<name>`, so it must make a valid
// reason that tells one rule from another. Pure; any thread.
#pragma once

#include "api/field_error.h"

namespace windlass::api::batch::v1 {
class PodFailurePolicy;
}

namespace windlass::api {

void validate_rule_names(FieldErrors& errors, const FieldPath& rules,
                         const batch::v1::PodFailurePolicy& policy);

}  // namespace windlass::api
