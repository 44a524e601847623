// One failed attempt as the key of its cause. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "ledger/causes/failure_cause.h"

namespace windlass::ledger {

struct AttemptCause {
  CauseKey key = {};
  // What key.line is the pattern of or, where lines say nothing about the cause, the last one. A
  // part of the attempt, as the program wrote it.
  std::string_view line = {};
  bool has_other_containers = false;  // key.container is one of several
};

// Nothing for an attempt that did not fail, or that the Job itself removed.
std::optional<AttemptCause> cause_of(const api::ledger::v1::Attempt& attempt);

// exit 42 `record N is no JSON`
std::string cause_title(const CauseKey& key, bool has_other_containers);

}  // namespace windlass::ledger
