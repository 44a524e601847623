// What a failure means for a Job, found out by letting it happen: which rule decides, what the Job
// does next, and how it ends if the same failure meets every attempt. All of it is what the Job
// engine did in a Rehearsal; nothing here knows the rules a second time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "policy/failure.h"
#include "policy/rehearsal.h"
#include "policy/subject.h"

namespace windlass::policy {

enum class FailureOutcome : uint8_t {
  retry,        // a new pod is made
  restart,      // the container is started again in its pod
  index_fails,  // the index is given up, the Job goes on
  job_fails,
  succeeds,  // the pod counts as a success
  no_pod,    // the Job ends without ever running a pod
};

std::string_view outcome_name(FailureOutcome outcome);  // Retry, JobFails
const std::vector<std::string_view>& outcome_names();

// How it goes on if every further attempt fails in the same way.
struct Repeat {
  int failures = 0;  // in all
  bool ended = false;
  Duration after{};        // from the first failure to the end
  int index_failures = 0;  // after which the first index failed; 0: it did not
  bool counts = false;     // some of the failures were counted towards a limit
  std::string reason;      // of the Job's end
};

struct Outlook {
  Failure failure;
  int times = 1;  // the failure has happened so often by now

  Judgement judgement;
  std::string rule_name;  // KEP-4443; "" when the rule has none
  FailureOutcome outcome = FailureOutcome::no_pod;
  bool counted = false;  // towards backoffLimit, or the limit of the index
  int64_t count = 0;     // counted failures so far, of the Job or of the index
  int64_t limit = 0;     // as many of them are retried
  std::optional<Duration> retry_after;
  std::string reason;  // of the Job's failure
  std::string message;
  Repeat repeat;
};

// Lets `failure` happen to `times` pods in a row.
Outlook look_ahead(const Subject& subject, const Failure& failure, int times = 1);

// Whether two differ in nothing but the failure itself (and the pod and code in the message).
bool same_effect(const Outlook& a, const Outlook& b);

}  // namespace windlass::policy
