// A filter as a field selector, which is how the API takes it: `job.name=train,exitCode=42`. Pure;
// any thread.
#pragma once

#include <string>
#include <string_view>

#include "ledger/ledger.h"

namespace windlass::ledger {

// The fields: metadata.namespace, metadata.name (the UID of the pod), job.name, job.uid, index,
// indexes (`0-4\,7`), nodeName, exitCode, verdict.counted, verdict.rule, verdict.ruleName, since
// and until (RFC 3339). Only = and ==. The error is a 400.
Result<AttemptFilter> parse_attempt_selector(std::string_view selector);

// parse_attempt_selector() of it gives an equal filter, but for `ns`, which the path has, and for
// fractions of seconds.
std::string attempt_selector(const AttemptFilter& filter);

}  // namespace windlass::ledger
