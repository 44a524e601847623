// What `windlass explain` prints of attempts: of a Job that is gone, of one cause, of two attempts.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "cli/commands/explain/explain.h"
#include "explain/attempt_digest.h"

namespace windlass::cli {

// `--attempts A,B` as two names.
Result<std::vector<explain::AttemptName>> compared_attempts(const ExplainOptions& options);

struct AttemptReport {
  const ExplainOptions& options;
  const explain::AttemptDigest& digest;
  size_t earlier_jobs = 0;  // of the same name
  bool gone = false;        // the Job is
  bool from_pods = false;   // attempts of deleted pods are missing
  Time now;
};

// What the options ask for, as text or JSON. The error is for the user.
Result<std::string> report_attempts(const AttemptReport& report);

// `Failures by cause` with its block; "" without failures.
std::string causes_section(const explain::AttemptDigest& digest, bool from_pods);

}  // namespace windlass::cli
