// What must survive a restart of the controller and has no field in the Job API. It travels in one
// annotation of the Job (kRecordKey), written in the same request as the status it belongs to, so
// the two never disagree. Text:
//   v1;success=<ms>;failures=<ms>,<ms>;ignored=<uid>,<uid>;baseline=<n>;suspending=1;counts=...;
//   rules=<rule>:<failures>[@<ms>/<ms>],...
// with times as record_time.h has them and counts as index_counts.h has them; parts that are empty
// are left out. Unreadable parts are skipped: the annotation may be edited by any client. What the
// engine knows by itself, from its pods or from what it has seen, therefore goes before what the
// annotation says: an edit can make a delay longer and a count higher, never the opposite.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/policy/backoff.h"
#include "engine/policy/rule_budget.h"
#include "engine/state/index_counts.h"

namespace windlass::engine {

struct JobRecord {
  BackoffRecord backoff;  // job-wide back-off (W2); unused with per-index limits (7.11)
  // Ignored pods that are already in `backoff` and still hold their finalizer (W4, 10.71).
  std::vector<std::string> ignored;
  // Work-queue Jobs: successes that do not stop new workers (10.73): those from before the last
  // resume, and since then those of workers that were taken away.
  int64_t baseline = 0;
  // Work-queue Jobs: a suspension takes workers away, and no condition tells of it yet. Without it
  // a worker's success before would complete the Job when the last of them is gone (10.73).
  bool suspending = false;
  // backoffLimitPerIndex: failures of indexes without a pod that carries them (KEP-3850).
  IndexCounts counts;
  // Failures of rules that have a budget or a delay of their own (13.2).
  RuleLedger rules;

  // A failure that a status write accounts for; `rule` is the one that it matched, or -1.
  void add_failure(const JobSpec& spec, int32_t rule, Time finished);
  // When a replacement may be created (7.1, 13.3).
  RetryDelay delay(const JobSpec& spec, const Options& options) const;

  bool operator==(const JobRecord&) const = default;
};

std::string format_record(const JobRecord& record);  // empty for an empty record
// `readable` becomes false when a part could not be read.
JobRecord parse_record(std::string_view text, bool* readable = nullptr);
// What an annotation says beside what is known: nothing known is shortened or lowered by it. Its
// success is not taken over: that would end a back-off of failures that are known. `is_finer`: the
// annotation tells when in its second a failure ended, and what is known does not.
JobRecord merge_record(const JobRecord& known, const JobRecord& annotation, bool is_finer = false);

// The annotation names the Job it was written for (`;job=<uid>` at its end): users make Jobs anew
// from what the API server told of an old one, and those begin with nothing (10.1).
std::string sign_record(std::string_view text, std::string_view job_uid);
// What of an annotation belongs to this Job, without the signature. One that names no Job does.
std::string own_record(std::string_view annotation, std::string_view job_uid);

}  // namespace windlass::engine
