// What there is to say about a Job: how it ended and what decided that, or what it waits for. Plain
// values, made by explain(), printed by as_text() and as_json().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"

namespace windlass::explain {

// A rule of the failure policy, as an explanation names it. No rule: -1.
struct RuleRef {
  int32_t rule = -1;
  std::string name;    // KEP-4443; "" when it has none
  std::string action;  // FailJob, FailIndex, Ignore, Count

  bool operator==(const RuleRef&) const = default;
};

struct PodAccount {
  std::string name;
  bool present = true;  // the object is still there
  std::string node;
  std::string phase;
  std::optional<int64_t> index;
  int64_t attempt = 0;    // of its index, or of the Job; 1 is the first, 0 not known
  std::string container;  // the one whose end counts; "" when none does
  std::optional<int32_t> exit_code;
  std::string condition;  // that a rule matched
  std::string text;       // how it failed, or why it does not run; "" when there is nothing to say
  std::optional<Time> ended;
  RuleRef rule;
};

// Some pods that the failure policy treated alike.
struct RuleCount {
  RuleRef rule;
  int64_t pods = 0;
};

struct Wait {
  enum class Kind {
    suspended,
    other_manager,  // spec.managedBy
    deletion,       // the Job is being deleted
    ending,         // the outcome is known, pods still have to end
    backoff,
    pod_pending,
    replacement,  // a terminating pod is in the way (KEP-3939)
    create_failed,
    running,  // for what its pods do
    controller,
  };
  Kind kind = Kind::running;
  std::string text;
  std::optional<Time> until;
  std::string pod;  // "" when it is not about one
};

struct IndexAccount {
  int64_t index = 0;
  std::string state;  // succeeded, failed, running, pending, waits ..., not started
  int64_t failures = 0;
  int64_t ignored_failures = 0;
  std::optional<int64_t> limit;  // backoffLimitPerIndex
  std::optional<Time> retry_at;  // while it is in back-off
  std::vector<PodAccount> pods;  // oldest first
};

struct Counts {
  int64_t succeeded = 0;
  std::optional<int64_t> completions;
  int64_t failed = 0;
  int64_t active = 0;
  int64_t terminating = 0;
  std::string completed_indexes;
  std::string failed_indexes;
};

struct Explanation {
  enum class State { complete, failed, completing, failing, unfinished };

  std::string ns;
  std::string name;
  State state = State::unfinished;
  std::string reason;  // of the condition that says so
  std::string message;
  std::optional<Time> since;
  std::optional<PodAccount> decider;  // the pod that decided, where one did
  Counts counts;
  std::vector<RuleCount> rules;  // of the failed pods that are still there
  std::vector<Wait> waits;
  std::optional<IndexAccount> index;
  // Filled in by the caller where attempts are known: text, with its own heading, that stands after
  // what decided; and the story of the index in place of its pods.
  std::string causes;
  std::string index_story;
  // The end of what the deciding pod printed, or why that cannot be had. Filled in by the caller.
  std::vector<std::string> log;
  std::string log_error;
};

}  // namespace windlass::explain
