// What readers ask of an attempt, worked out the same way wherever it is kept. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ledger/ledger.h"

namespace windlass::ledger {

// When the attempt ended or, while that is unknown, the latest time that is known of it. Seconds
// since 1970; what is outside the years 1677 to 2262 becomes the earliest or latest of them.
int64_t time_of(const api::ledger::v1::Attempt& attempt);

// Of the deciding container. Without one: of the first container that ended with another code than
// 0, else of the first that ended at all.
std::optional<int32_t> exit_code_of(const api::ledger::v1::Attempt& attempt);

// Why it ended, in a word: that of its disruption, of the pod or of the container; "" without one.
std::string reason_of(const api::ledger::v1::Attempt& attempt);

// The rule of the failure policy that matched, by name or place; "" if none did.
std::string rule_of(const api::ledger::v1::Attempt& attempt);

bool matches(const AttemptFilter& filter, const api::ledger::v1::Attempt& attempt);

}  // namespace windlass::ledger
