// What the attempts of one Job tell, whether its pods still exist or not: the causes of its
// failures, the story of one index, a few attempts in full. Takes attempts one by one and keeps
// little of each. A value; one thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/index_set.h"
#include "base/time.h"
#include "ledger/causes/failure_cause.h"

namespace windlass {
class JsonWriter;
}

namespace windlass::explain {

// An attempt without its log.
struct AttemptLine {
  std::string pod = {};
  std::string pod_uid = {};
  std::string node = {};
  std::optional<int32_t> index = {};
  int32_t number = 0;
  std::string phase = {};
  std::string counted = {};  // Succeeded, Failed, Ignored, None; "" where it is not known
  std::string cause = {};    // its title; "" unless it failed
  std::string rule = {};     // rule 0 (BadInput): FailIndex; "" where none matched
  std::string line = {};     // the line that tells the cause
  std::optional<Time> created = {};
  std::optional<Time> started = {};
  std::optional<Time> ended = {};
};

// Which attempt is meant: `POD` or its UID, `NUMBER` of a Job or index, `INDEX:NUMBER`.
struct AttemptName {
  std::string text = {};
  std::optional<int32_t> index = {};
  std::optional<int32_t> number = {};

  bool matches(const api::ledger::v1::Attempt& attempt) const;
};
// An error for the user where `text` is empty. `index` is that of the command.
Result<AttemptName> parse_attempt_name(const std::string& text, std::optional<int64_t> index);

class AttemptDigest {
 public:
  // More members of a cause, and more attempts of an index, are only counted.
  static constexpr size_t kMaxLines = 100;

  // What to keep besides the causes.
  struct Wanted {
    std::optional<int64_t> index = {};       // its attempts, and the last of them that failed
    std::vector<AttemptName> attempts = {};  // the last that each name matches
    std::string pod = {};                    // the attempt of the pod with this name
  };

  explicit AttemptDigest(Wanted wanted) : wanted_(std::move(wanted)) {}

  // Oldest first.
  void add(const ledger::AttemptPtr& attempt);

  const ledger::CauseGroups& groups() const { return groups_; }
  const std::vector<AttemptLine>& members(const ledger::FailureCause& cause) const;

  int64_t attempts() const { return groups_.attempts(); }
  // By how they counted.
  int64_t counted(const std::string& how) const;
  const IndexSet& succeeded_indexes() const { return succeeded_indexes_; }
  std::optional<Time> first() const { return first_; }
  std::optional<Time> last() const { return last_; }
  const std::string& job_name() const { return job_name_; }
  const std::string& job_uid() const { return job_uid_; }

  const std::vector<AttemptLine>& index_lines() const { return index_lines_; }
  int64_t index_attempts() const { return index_attempts_; }
  ledger::AttemptPtr index_failure() const { return index_failure_; }
  ledger::AttemptPtr wanted_pod() const { return wanted_pod_; }
  // As wanted.attempts; null where none matched.
  const std::vector<ledger::AttemptPtr>& wanted_attempts() const { return wanted_attempts_; }

 private:
  void add_wanted(const ledger::AttemptPtr& attempt, const AttemptLine& line);

  Wanted wanted_;
  ledger::CauseGroups groups_;
  std::map<std::string, std::vector<AttemptLine>> members_;  // by id of the cause
  std::map<std::string, int64_t> counted_;
  IndexSet succeeded_indexes_;
  std::optional<Time> first_;
  std::optional<Time> last_;
  std::string job_name_;
  std::string job_uid_;
  std::vector<AttemptLine> index_lines_;
  int64_t index_attempts_ = 0;
  ledger::AttemptPtr index_failure_;
  ledger::AttemptPtr wanted_pod_;
  std::vector<ledger::AttemptPtr> wanted_attempts_;
};

// As text; every line is safe for a terminal.

// `25 attempts between ... and ...: 10 succeeded, 12 failed, 3 ignored`
std::string attempts_line(const AttemptDigest& digest);
// The story of the wanted index.
std::string index_story(const AttemptDigest& digest, Time now);
// The members of one cause, and the end of the log of its sample.
std::string cause_story(const AttemptDigest& digest, const ledger::FailureCause& cause,
                        size_t log_lines);
// Two attempts side by side: code, node, resources, last lines. What differs is marked with `*`.
std::string comparison(const api::ledger::v1::Attempt& one, const api::ledger::v1::Attempt& other,
                       size_t log_lines);
// At most the last `count` lines of the log of an attempt.
std::vector<std::string> last_log_lines(const api::ledger::v1::Attempt& attempt, size_t count);

// As JSON: the members of an object that is open.
void write_attempts(const AttemptDigest& digest, std::optional<int64_t> index, JsonWriter& json);
void write_members(const AttemptDigest& digest, const ledger::FailureCause& cause,
                   JsonWriter& json);
void write_compared(const std::vector<ledger::AttemptPtr>& attempts, size_t log_lines,
                    JsonWriter& json);

}  // namespace windlass::explain
