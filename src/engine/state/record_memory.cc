#include "engine/state/record_memory.h"

#include <algorithm>

namespace windlass::engine {

void RecordMemory::load(std::string_view text) {
  bool readable = true;
  const JobRecord read = parse_record(text, &readable);
  unreadable_ = unreadable_ || !readable;
  stored_counts_ = read.counts;
  record_ = merge_record(record_, read);
}

void RecordMemory::learn(const JobRecord& shown) {
  // Of a pod that ended before this life began only the second is known.
  record_ = merge_record(shown, record_, true);
}

void RecordMemory::raise(int32_t index, IndexFailures failures, Time last) {
  record_.counts.raise(index, failures, last);
  grew_ = true;
}

size_t RecordMemory::fit() {
  const std::vector<int32_t> dropped =
      std::exchange(grew_, false) ? record_.counts.fit() : std::vector<int32_t>();
  given_up_.insert(dropped.begin(), dropped.end());
  return dropped.size();
}

bool RecordMemory::is_stored(int32_t index, IndexFailures failures) const {
  return covers(stored_counts_.find(index), failures);
}

bool RecordMemory::lacks(const IndexCounts& needed) const {
  return std::any_of(needed.entries().begin(), needed.entries().end(), [this](const auto& each) {
    return !is_stored(each.first, each.second.failures) && !is_given_up(each.first);
  });
}

void RecordMemory::adopt(const JobRecord& record, const IndexCounts& dropped) {
  IndexCounts counts = std::move(record_.counts);
  for (const auto& [index, entry] : dropped.entries()) {
    const auto known = counts.entries().find(index);
    if (known != counts.entries().end() && known->second == entry) {  // no more since
      counts.erase(index);
    }
  }
  record_ = record;
  record_.counts = std::move(counts);
}

size_t RecordMemory::give_up_unstored(const IndexCounts& sent) {
  size_t given_up = 0;
  for (const auto& [index, entry] : sent.entries()) {
    if (!is_stored(index, entry.failures)) {
      given_up += given_up_.insert(index).second ? 1U : 0U;
    }
  }
  return given_up;
}

}  // namespace windlass::engine
