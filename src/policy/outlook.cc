#include "policy/outlook.h"

#include <algorithm>

#include "engine/policy/rule_budget.h"
#include "engine/status/conditions.h"

namespace windlass::policy {
namespace {

// Further repetitions show nothing new: by then the delay has long been at its cap.
constexpr int kMaxRepeats = 100;
// Failures that count towards nothing leave the Job as it was; so many of them are enough to see.
constexpr int kMaxUncountedRepeats = 20;
// A rule with a budget is repeated until it is spent; larger ones are not waited for.
constexpr int kMaxBudgetRepeats = 1'000;

const std::vector<std::string_view> kOutcomeNames = {"Retry",    "RestartInPlace", "IndexFails",
                                                     "JobFails", "Succeeds",       "NoPod"};

bool is_failure(const engine::Condition* verdict) {
  return verdict != nullptr &&
         (verdict->type == engine::kTypeFailed || verdict->type == engine::kTypeFailureTarget);
}

bool has_failed_index(const Rehearsal& life) {
  return !life.status().failed_indexes.value_or("").empty();
}

class Onlooker {
 public:
  Onlooker(const Subject& subject, const Failure& failure, int times)
      : subject_(subject), life_(subject), failure_(failure) {
    outlook_.failure = failure;
    outlook_.times = times;
  }

  Outlook look() {
    for (int i = 0; i < outlook_.times; ++i) {
      if (!life_.wait_for_pod()) {
        break;
      }
      outlook_.judgement = fail();
    }
    if (failures_ > 0) {
      see_what_is_next();
      name_rule();
      count();
      repeat();
    }
    return std::move(outlook_);
  }

 private:
  Judgement fail() {
    const int64_t succeeded = life_.status().succeeded;
    if (failures_++ == 0) {
      since_ = life_.elapsed();
    }
    const Judgement judgement = life_.fail_pod(failure_);
    succeeded_ = life_.status().succeeded > succeeded;
    index_ = failures_ == 1 ? life_.last_index() : index_;
    of_first_index_ += life_.last_index() == index_ ? 1 : 0;
    if (outlook_.repeat.index_failures == 0 && has_failed_index(life_)) {
      outlook_.repeat.index_failures = of_first_index_;
    }
    return judgement;
  }

  void name_rule() {
    const int32_t rule = outlook_.judgement.rule;
    if (rule >= 0) {
      outlook_.rule_name = subject_.rules()[static_cast<size_t>(rule)].name.value_or("");
    }
  }

  void see_what_is_next() {
    const Duration before = life_.elapsed();
    if (succeeded_) {
      outlook_.outcome = FailureOutcome::succeeds;
      outlook_.judgement = {};  // a rule that matches decides about failures only
    } else if (is_failure(life_.verdict())) {
      note_failure();
    } else if (has_failed_index(life_)) {
      outlook_.outcome = FailureOutcome::index_fails;
    } else if (restarts_in_place(failure_, subject_)) {
      outlook_.outcome = FailureOutcome::restart;
    } else if (subject_.per_index()) {
      outlook_.outcome = FailureOutcome::retry;
      outlook_.retry_after = life_.index_waits(life_.last_index());
    } else if (life_.wait_for_pod()) {
      outlook_.outcome = FailureOutcome::retry;
      outlook_.retry_after = life_.elapsed() - before;
    } else {
      note_failure();  // the deadline came before the retry
    }
  }

  void note_failure() {
    outlook_.outcome = FailureOutcome::job_fails;
    if (const engine::Condition* verdict = life_.verdict()) {
      outlook_.reason = verdict->reason;
      outlook_.message = verdict->message;
    }
  }

  void count() {
    const engine::JobSpec& spec = subject_.job.spec;
    const bool of_index = subject_.per_index() && outlook_.outcome == FailureOutcome::retry;
    outlook_.limit = of_index ? *spec.backoff_limit_per_index : spec.backoff_limit;
    if (outlook_.outcome == FailureOutcome::restart) {
      outlook_.counted = spec.restart_on_failure;
      outlook_.count = outlook_.counted ? failures_ : 0;
    } else {
      outlook_.count =
          of_index ? life_.index_failures(life_.last_index()).counted : life_.status().failed;
      outlook_.counted = outlook_.count > 0;
    }
  }

  std::optional<int32_t> budget() const {
    const auto* limits = engine::limits_of(subject_.job.spec, outlook_.judgement.rule);
    return limits != nullptr ? limits->budget : std::nullopt;
  }

  int most_repeats() const {
    if (const auto allowed = budget()) {
      return std::clamp(*allowed, kMaxRepeats, kMaxBudgetRepeats) + 1;
    }
    const bool by_deadline = subject_.job.spec.active_deadline_seconds.has_value();
    return outlook_.counted || by_deadline ? kMaxRepeats
                                           : std::max(failures_, kMaxUncountedRepeats);
  }

  void repeat() {
    Repeat& repeat = outlook_.repeat;
    const int most = most_repeats();
    while (outlook_.outcome != FailureOutcome::succeeds && life_.verdict() == nullptr &&
           failures_ < most && life_.wait_for_pod()) {
      fail();
    }
    repeat.failures = failures_;
    repeat.counts = outlook_.counted || life_.status().failed > 0 || budget();
    if (is_failure(life_.verdict())) {
      repeat.ended = true;
      repeat.after = life_.elapsed() - since_;
      repeat.reason = life_.verdict()->reason;
    }
  }

  const Subject& subject_;
  Rehearsal life_;
  const Failure& failure_;
  Outlook outlook_;
  Duration since_{};
  int failures_ = 0;
  int64_t index_ = engine::kNoIndex;
  int of_first_index_ = 0;
  bool succeeded_ = false;
};

}  // namespace

std::string_view outcome_name(FailureOutcome outcome) {
  return kOutcomeNames[static_cast<size_t>(outcome)];
}

const std::vector<std::string_view>& outcome_names() {
  return kOutcomeNames;
}

Outlook look_ahead(const Subject& subject, const Failure& failure, int times) {
  return Onlooker(subject, failure, times).look();
}

bool same_effect(const Outlook& a, const Outlook& b) {
  return a.judgement.rule == b.judgement.rule && a.judgement.action == b.judgement.action &&
         a.outcome == b.outcome && a.counted == b.counted && a.count == b.count &&
         a.limit == b.limit && a.retry_after == b.retry_after && a.reason == b.reason &&
         a.repeat.failures == b.repeat.failures && a.repeat.ended == b.repeat.ended &&
         a.repeat.after == b.repeat.after && a.repeat.index_failures == b.repeat.index_failures &&
         a.repeat.reason == b.repeat.reason;
}

}  // namespace windlass::policy
