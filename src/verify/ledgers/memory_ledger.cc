#include "verify/ledgers/memory_ledger.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "ledger/attempt_facts.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {

void MemoryLedger::record(AttemptPtr attempt, std::function<void(Result<void>)> done) {
  Waiting waiting{std::move(attempt), std::move(done)};
  if (held_) {
    waiting_.push_back(std::move(waiting));
  } else {
    take(std::move(waiting));
  }
}

void MemoryLedger::take(Waiting waiting) {
  Result<void> answer;
  if (refusal_) {
    answer = fail(*refusal_);
  } else {
    const std::string& uid = waiting.attempt->metadata().name();
    const uint64_t sequence = sequence_of_.try_emplace(uid, sequence_of_.size() + 1).first->second;
    records_[sequence] = std::move(waiting.attempt);
  }
  core_.post([done = std::move(waiting.done), answer = std::move(answer)] { done(answer); });
}

void MemoryLedger::release() {
  held_ = false;
  for (Waiting& waiting : std::exchange(waiting_, {})) {
    take(std::move(waiting));
  }
}

Result<AttemptPage> MemoryLedger::page(const AttemptFilter& filter, size_t limit,
                                       const std::string& continue_token) const {
  size_t skip = 0;
  const char* const end = continue_token.data() + continue_token.size();
  if (!continue_token.empty() && std::from_chars(continue_token.data(), end, skip).ptr != end) {
    return fail(bad_request("the continue token is not valid"));
  }
  std::vector<AttemptPtr> found;
  for (const auto& [sequence, attempt] : records_) {
    if (matches(filter, *attempt)) {
      found.push_back(attempt);
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const AttemptPtr& a, const AttemptPtr& b) {
    return time_of(*a) < time_of(*b);
  });
  skip = std::min(skip, found.size());
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(skip));
  AttemptPage page;
  const size_t most = limit == 0 ? kDefaultPage : std::min(limit, kMaxPage);
  if (found.size() > most) {
    found.resize(most);
    page.next = std::to_string(skip + most);
  }
  page.items = std::move(found);
  return page;
}

void MemoryLedger::find(const AttemptFilter& filter, size_t limit,
                        const std::string& continue_token,
                        std::function<void(Result<AttemptPage>)> done) {
  core_.post(
      self_.bind([filter, limit, continue_token, done = std::move(done)](MemoryLedger& self) {
        done(self.page(filter, limit, continue_token));
      }));
}

std::vector<AttemptPtr> MemoryLedger::all() const {
  std::vector<AttemptPtr> all;
  for (const auto& [sequence, attempt] : records_) {
    all.push_back(attempt);
  }
  return all;
}

AttemptPtr MemoryLedger::of_pod(const std::string& uid) const {
  const auto sequence = sequence_of_.find(uid);
  return sequence == sequence_of_.end() ? nullptr : records_.at(sequence->second);
}

}  // namespace windlass::ledger
