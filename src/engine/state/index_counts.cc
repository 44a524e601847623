#include "engine/state/index_counts.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/state/index_bits.h"
#include "engine/state/record_time.h"

namespace windlass::engine {
namespace {

constexpr int64_t kMaxFailures = 2'147'483'647;

std::optional<int64_t> parse_at_most(std::string_view text, int64_t most) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0 || value > most) {
    return std::nullopt;
  }
  return value;
}

// What stands before the separator; `text` keeps what stands behind it.
std::string_view cut_at(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view before = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return before;
}

// Numbers and time as they stand before the indexes.
std::optional<IndexCounts::Entry> parse_entry(std::string_view head) {
  IndexCounts::Entry entry;
  std::string_view numbers = cut_at(head, '@');
  if (!head.empty()) {
    const auto last = parse_record_time(head);
    if (!last) {
      return std::nullopt;
    }
    entry.last = *last;
  }
  const auto counted = parse_at_most(cut_at(numbers, '/'), kMaxFailures);
  const auto ignored = numbers.empty() ? 0 : parse_at_most(numbers, kMaxFailures);
  if (!counted || !ignored) {
    return std::nullopt;
  }
  entry.failures = {static_cast<int32_t>(*counted), static_cast<int32_t>(*ignored)};
  return entry;
}

std::string head_of(const IndexCounts::Entry& entry) {
  std::string out = std::to_string(entry.failures.counted);
  if (entry.failures.ignored > 0) {
    out += '/' + std::to_string(entry.failures.ignored);
  }
  if (entry.last != Time()) {
    out += '@' + format_record_time(entry.last);
  }
  return out + ':';
}

// "0-4,9" of ascending indexes.
void append_runs(std::string& out, const std::vector<int32_t>& indexes) {
  for (size_t first = 0; first < indexes.size();) {
    size_t last = first;
    while (last + 1 < indexes.size() && indexes[last + 1] == indexes[last] + 1) {
      ++last;
    }
    out += (first == 0 ? "" : ",") + std::to_string(indexes[first]);
    if (last > first) {
      out += '-' + std::to_string(indexes[last]);
    }
    first = last + 1;
  }
}

}  // namespace

bool covers(IndexFailures known, IndexFailures wanted) {
  return known.counted >= wanted.counted && known.ignored >= wanted.ignored;
}

IndexFailures highest(IndexFailures a, IndexFailures b) {
  return {std::max(a.counted, b.counted), std::max(a.ignored, b.ignored)};
}

IndexFailures IndexCounts::find(int64_t index) const {
  const auto found = entries_.find(static_cast<int32_t>(index));
  return found == entries_.end() ? IndexFailures() : found->second.failures;
}

Time IndexCounts::last(int64_t index) const {
  const auto found = entries_.find(static_cast<int32_t>(index));
  return found == entries_.end() ? Time() : found->second.last;
}

void IndexCounts::raise(int32_t index, IndexFailures failures, Time last) {
  if (failures == IndexFailures()) {
    return;
  }
  Entry& entry = entries_[index];
  entry.failures = highest(entry.failures, failures);
  // As it is written, or what is read back would differ.
  entry.last = std::max(entry.last, as_recorded(last));
}

void IndexCounts::raise(const IndexCounts& other) {
  for (const auto& [index, entry] : other.entries_) {
    raise(index, entry.failures, entry.last);
  }
}

bool IndexCounts::covers_all(const IndexCounts& other) const {
  return std::all_of(other.entries_.begin(), other.entries_.end(), [this](const auto& each) {
    return covers(find(each.first), each.second.failures) && last(each.first) >= each.second.last;
  });
}

std::vector<int32_t> IndexCounts::fit(size_t max_bytes) {
  if (entries_.size() <= kMaxEntries && text().size() <= max_bytes) {
    return {};
  }
  std::vector<std::pair<int32_t, Entry>> ranked(entries_.begin(), entries_.end());
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    const auto rank = [](const auto& each) {
      const IndexFailures& failures = each.second.failures;
      return std::tuple(-int64_t{failures.counted}, -int64_t{failures.ignored}, each.first);
    };
    return rank(a) < rank(b);
  });
  const auto with_first = [&](size_t count) {
    IndexCounts part;
    part.entries_.insert(ranked.begin(), ranked.begin() + static_cast<ptrdiff_t>(count));
    return part;
  };
  size_t fits = 0;
  for (size_t too_many = std::min(ranked.size(), kMaxEntries) + 1; too_many - fits > 1;) {
    const size_t middle = fits + (too_many - fits) / 2;
    (with_first(middle).text().size() <= max_bytes ? fits : too_many) = middle;
  }
  entries_ = std::move(with_first(fits).entries_);
  std::vector<int32_t> dropped;
  for (size_t i = fits; i < ranked.size(); ++i) {
    dropped.push_back(ranked[i].first);
  }
  return dropped;
}

std::string IndexCounts::text() const {
  std::map<std::tuple<int32_t, int32_t, Time>, std::vector<int32_t>> groups;
  for (const auto& [index, entry] : entries_) {
    groups[{entry.failures.counted, entry.failures.ignored, entry.last}].push_back(index);
  }
  std::string out;
  for (const auto& [key, indexes] : groups) {
    const auto& [counted, ignored, last] = key;
    out += (out.empty() ? "" : "|") + head_of({{counted, ignored}, last});
    append_runs(out, indexes);
  }
  return out;
}

bool IndexCounts::read(std::string_view text) {
  bool readable = true;
  size_t room = kMaxEntries;  // also for an index that is named again and again
  while (!text.empty()) {
    readable = read_group(cut_at(text, '|'), room) && readable;
  }
  return readable;
}

bool IndexCounts::read_group(std::string_view group, size_t& room) {
  const auto entry = parse_entry(cut_at(group, ':'));
  if (!entry || entry->failures == IndexFailures() || group.empty()) {
    return false;
  }
  bool readable = true;
  while (!group.empty()) {
    std::string_view range = cut_at(group, ',');
    const auto first = parse_at_most(cut_at(range, '-'), IndexBits::kMaxIndex);
    const auto last = range.empty() ? first : parse_at_most(range, IndexBits::kMaxIndex);
    if (!first || !last || *last < *first) {
      readable = false;
      continue;
    }
    for (int64_t index = *first; index <= *last; ++index) {
      if (room == 0) {
        return false;
      }
      --room;
      raise(static_cast<int32_t>(index), entry->failures, entry->last);
    }
  }
  return readable;
}

}  // namespace windlass::engine
