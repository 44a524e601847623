#include "client/event_correlator.h"

#include <algorithm>

namespace windlass::client {
namespace {

constexpr char kSeparator = '\0';

std::string joined(const std::string& a, const std::string& b, const std::string& c) {
  return a + kSeparator + b + kSeparator + c;
}

}  // namespace

bool EventCorrelator::is_within_budget(const std::string& object, MonotonicTime now) {
  TokenBucket& budget = budgets_[object];
  if (!budget.known) {
    budget.known = true;
    budget.refilled = now;
  }
  const auto periods = (now - budget.refilled) / kRefill;
  budget.left = static_cast<int>(std::min<int64_t>(kBurst, budget.left + periods));
  budget.refilled += periods * kRefill;
  if (budget.left == 0) {
    return false;
  }
  --budget.left;
  return true;
}

EventCorrelator::Correlation EventCorrelator::judge(const Occurrence& occurrence,
                                                    MonotonicTime now) {
  const std::string kind = joined(occurrence.object, occurrence.type, occurrence.reason);
  Similar& similar = similar_[kind];
  if (similar.messages.empty() || now - similar.since > kSimilarWindow) {
    similar.messages.clear();
    similar.since = now;
  }
  Correlation verdict;
  const bool seen = similar.messages.contains(occurrence.message);
  if (!seen && similar.messages.size() >= kMaxSimilar) {
    verdict.key = kind;
    verdict.message = "(combined from similar events): " + occurrence.message;
  } else {
    similar.messages.insert(occurrence.message);
    verdict.key = kind + kSeparator + occurrence.message;
    verdict.message = occurrence.message;
  }
  verdict.drop = !occurrence.essential && !is_within_budget(occurrence.object, now);
  return verdict;
}

}  // namespace windlass::client
