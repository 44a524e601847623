// Causes of failures in words, for people and for programs: the same in `windlass explain`, `run`
// and wherever else they are shown. Every line is safe for a terminal. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "ledger/causes/failure_cause.h"

namespace windlass {
class JsonWriter;
}

namespace windlass::ledger {

// Causes named in a summary, and shown in a block; it says how many more there are.
inline constexpr size_t kCausesInSummary = 5;
inline constexpr size_t kCausesInBlock = 10;

// `OOMKilled (indexes 3,20,37 and 9 more)`; `evicted by preemption (ignored, 40)`.
std::string cause_phrase(const FailureCause& cause);

// `412 failures, 3 causes: OOMKilled (indexes 3,20,37 and 9 more), exit 42 ...`, without a line
// break. "" without failures.
std::string causes_summary(const CauseGroups& groups);

// The same as a block of lines of at most `columns` columns, each with a line break:
//
//   412 failures, 3 causes
//     1  360  exit 42 `record N is no JSON`
//             indexes 5,16,18 and 357 more
//             between 2026-01-01T00:08:00Z and 2026-01-01T00:09:31Z
//             node-7: 340 of 360, with 5% of all attempts
//             rule 0 (BadInput): FailIndex
//             last: record 931 is no JSON
//
// The number before a cause is its place for `--cause`.
std::string causes_block(const CauseGroups& groups, size_t columns = 80,
                         size_t most = kCausesInBlock);
// The lines of one cause of it.
std::string cause_block(const CauseGroups& groups, const FailureCause& cause, size_t place,
                        size_t columns = 80);

// A list of objects, one for each cause; docs/reference/explain.md has the fields. The caller has
// written the key.
void write_causes(const CauseGroups& groups, JsonWriter& json);

}  // namespace windlass::ledger
