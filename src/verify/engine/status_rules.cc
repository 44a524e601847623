#include "verify/engine/invariants.h"

#include <algorithm>
#include <array>
#include <set>

#include "engine/state/index_bits.h"
#include "engine/status/conditions.h"

namespace windlass::engine {
namespace {

class Rules {
 public:
  Rules(const JobSpec& spec, const JobStatus& old, const JobStatus& next)
      : spec_(spec), old_(old), next_(next) {}

  std::vector<std::string> broken() {
    numbers();
    uncounted();
    conditions();
    changed_conditions();
    times();
    finished();
    indexes();
    return std::move(broken_);
  }

 private:
  void require(bool holds, const char* rule) {
    if (!holds) {
      broken_.emplace_back(rule);
    }
  }
  bool is(std::string_view type) const { return has_true(next_, type); }
  bool was(std::string_view type) const { return has_true(old_, type); }
  bool changed(std::string_view type) const { return is(type) != was(type); }

  void numbers() {
    require(next_.active >= 0 && next_.succeeded >= 0 && next_.failed >= 0, "J121: negative count");
    require(next_.ready.value_or(0) >= 0 && next_.terminating.value_or(0) >= 0,
            "J121: negative count");
    require(next_.failed >= old_.failed, "J125: cannot decrease the failed counter");
    const bool elastic =
        spec_.mode == CompletionMode::indexed && spec_.completions == spec_.parallelism;
    require(next_.succeeded >= old_.succeeded || elastic,
            "J125: cannot decrease the succeeded counter");
    const bool moved = next_.ready != old_.ready || next_.active != old_.active;
    require(!moved || next_.ready.value_or(0) <= next_.active,
            "J141: cannot set more ready pods than active");
  }

  void uncounted() {
    if (!next_.uncounted) {
      return;
    }
    std::set<std::string> seen;
    for (const auto* list : {&next_.uncounted->succeeded, &next_.uncounted->failed}) {
      for (const std::string& uid : *list) {
        require(!uid.empty(), "J121: an uncounted UID is empty");
        require(seen.insert(uid).second, "J121: an uncounted UID is there twice");
      }
    }
  }

  void conditions() {
    require(!is(kTypeSuccessCriteriaMet) || !is(kTypeFailed),
            "J122: SuccessCriteriaMet and Failed");
    require(!is(kTypeSuccessCriteriaMet) || !is(kTypeFailureTarget),
            "J122: SuccessCriteriaMet and FailureTarget");
    require(!was(kTypeSuccessCriteriaMet) || is(kTypeSuccessCriteriaMet),
            "J123: cannot disable SuccessCriteriaMet");
    for (const std::string_view type : {kTypeFailed, kTypeComplete, kTypeFailureTarget}) {
      require(!was(type) || is(type), "J124: cannot disable a terminal condition");
    }
  }

  void changed_conditions() {
    const bool complete = changed(kTypeComplete);
    require(!(complete || changed(kTypeFailed)) || !is(kTypeComplete) || !is(kTypeFailed),
            "J127: Complete and Failed");
    require(
        !(complete || changed(kTypeFailureTarget)) || !is(kTypeComplete) || !is(kTypeFailureTarget),
        "J128: Complete and FailureTarget");
    require(!(changed(kTypeFailed) || next_.failed_indexes != old_.failed_indexes) ||
                !is(kTypeFailed) || is(kTypeFailureTarget),
            "J131: Failed without FailureTarget");
    require(!(complete || changed(kTypeSuccessCriteriaMet)) || !is(kTypeComplete) ||
                is(kTypeSuccessCriteriaMet),
            "J132: Complete without SuccessCriteriaMet");
  }

  void times() {
    const bool start = next_.start_time != old_.start_time;
    const bool completion = next_.completion_time != old_.completion_time;
    require(!old_.completion_time || !next_.completion_time || !completion,
            "J126: completionTime is immutable");
    if (completion || changed(kTypeComplete)) {
      require(is(kTypeComplete) == next_.completion_time.has_value(),
              "J129: completionTime goes with Complete");
    }
    if ((start || completion) && next_.start_time && next_.completion_time) {
      require(*next_.completion_time >= *next_.start_time, "J130: completion before start");
    }
    const bool resumes = was(kTypeSuspended) && !is(kTypeSuspended);
    require(!start || !old_.start_time || spec_.suspend || resumes,
            "J140: startTime is immutable for an unsuspended job");
  }

  void finished() {
    const bool ends = is_finished(next_);
    const bool turned = ends != is_finished(old_);
    if (!ends) {
      return;
    }
    require(!(turned || next_.active != old_.active) || next_.active == 0,
            "J133: active>0 is invalid for finished job");
    const bool exempt = spec_.suspend && spec_.completions == 0;
    require(!(turned || next_.start_time != old_.start_time) || exempt || next_.start_time,
            "J134: startTime is required for finished job");
    const bool counted =
        !next_.uncounted || (next_.uncounted->succeeded.empty() && next_.uncounted->failed.empty());
    require(!(turned || next_.uncounted != old_.uncounted) || counted,
            "J135: uncounted pods must be empty for finished job");
    require(
        !(turned || next_.terminating != old_.terminating) || next_.terminating.value_or(0) == 0,
        "J136: terminating>0 is invalid for finished job");
  }

  bool is_well_formed(std::string_view text) const {
    const int64_t bound = spec_.completions.value_or(0);
    return IndexBits::parse(text, bound).text() == text;
  }

  void indexes() {
    const bool indexed = spec_.mode == CompletionMode::indexed;
    const bool completed = next_.completed_indexes != old_.completed_indexes;
    const bool failed = next_.failed_indexes != old_.failed_indexes;
    const SharedText failed_text = next_.failed_indexes.value_or("");
    if (completed) {
      require(indexed || next_.completed_indexes.empty(), "J137: completedIndexes without Indexed");
      require(is_well_formed(next_.completed_indexes), "J137: bad format of completedIndexes");
    }
    if (failed) {
      require(!next_.failed_indexes || spec_.backoff_limit_per_index,
              "J138: failedIndexes without backoffLimitPerIndex");
      require(is_well_formed(failed_text), "J138: bad format of failedIndexes");
    }
    if (completed || failed) {
      const int64_t bound = spec_.completions.value_or(0);
      const IndexBits done = IndexBits::parse(next_.completed_indexes, bound);
      require(done.overlap(IndexBits::parse(failed_text, bound)) == 0,
              "J139: failedIndexes and completedIndexes overlap");
    }
  }

  const JobSpec& spec_;
  const JobStatus& old_;
  const JobStatus& next_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_status_rules(const JobSpec& spec, const JobStatus& old,
                                             const JobStatus& next) {
  return Rules(spec, old, next).broken();
}

}  // namespace windlass::engine
