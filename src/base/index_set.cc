#include "base/index_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <optional>

#include "base/check.h"
#include "base/quote.h"

namespace windlass {
namespace {

constexpr int32_t kMaxIndex = std::numeric_limits<int32_t>::max();

// Go's strconv.Atoi: an optional sign and digits, within 64 bits.
std::optional<int64_t> to_integer(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') {
    text.remove_prefix(1);
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

struct Fragment {
  std::string_view first;
  std::string_view last;  // the same text as `first` for a single index
  int64_t first_value = 0;
  int64_t last_value = 0;
};

Result<int64_t> parse_index(std::string_view text) {
  const std::optional<int64_t> value = to_integer(text);
  if (!value) {
    return fail(plain_error("cannot convert string to integer for index: " + quote(text)));
  }
  return *value;
}

// Stops looking at an end once the index is at or above the limit, as the order of J79's errors
// asks.
Result<Fragment> parse_fragment(std::string_view text, int64_t limit) {
  const auto check_limit = [&](std::string_view index, int64_t value) -> Result<void> {
    if (value >= limit) {
      return fail(plain_error("too large index: " + quote(index)));
    }
    return {};
  };
  if (std::count(text.begin(), text.end(), '-') > 1) {
    return fail(plain_error(fmt::format(
        "the fragment {} violates the requirement that an index interval can have at most two "
        "parts separated by '-'",
        quote(text))));
  }
  const size_t dash = text.find('-');
  Fragment fragment;
  fragment.first = fragment.last = text.substr(0, dash);
  TRY(fragment.first_value, parse_index(fragment.first));
  TRY_VOID(check_limit(fragment.first, fragment.first_value));
  fragment.last_value = fragment.first_value;
  if (dash != std::string_view::npos) {
    fragment.last = text.substr(dash + 1);
    TRY(fragment.last_value, parse_index(fragment.last));
    TRY_VOID(check_limit(fragment.last, fragment.last_value));
    if (fragment.first_value >= fragment.last_value) {
      return fail(plain_error(fmt::format("non-increasing order, previous: {}, current: {}",
                                          fragment.first_value, fragment.last_value)));
    }
  }
  return fragment;
}

// Calls visit(fragment text) for each part between commas until it returns false.
template <class Visit>
void for_each_fragment(std::string_view text, Visit visit) {
  while (true) {
    const size_t comma = text.find(',');
    if (!visit(text.substr(0, comma)) || comma == std::string_view::npos) {
      return;
    }
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

IndexSet::IndexSet(std::initializer_list<int32_t> indexes) {
  for (const int32_t index : indexes) {
    insert(index);
  }
}

Result<IndexSet> IndexSet::parse(std::string_view text, int32_t completions) {
  IndexSet set;
  if (text.empty()) {
    return set;
  }
  Result<void> outcome;
  int64_t previous = -1;
  for_each_fragment(text, [&](std::string_view part) {
    const Result<Fragment> fragment = parse_fragment(part, completions);
    if (!fragment) {
      outcome = fail(fragment.error());
      return false;
    }
    if (previous >= fragment->first_value) {
      outcome = fail(plain_error(fmt::format("non-increasing order, previous: {}, current: {}",
                                             previous, fragment->first_value)));
      return false;
    }
    set.insert(Interval{static_cast<int32_t>(fragment->first_value),
                        static_cast<int32_t>(fragment->last_value)});
    previous = fragment->last_value;
    return true;
  });
  if (!outcome) {
    return fail(outcome.error());
  }
  return set;
}

IndexSet::Stored IndexSet::parse_stored(std::string_view text, int32_t bound) {
  Stored stored;
  if (text.empty()) {
    return stored;
  }
  for_each_fragment(text, [&](std::string_view part) {
    const Result<Fragment> fragment = parse_fragment(part, std::numeric_limits<int64_t>::max());
    if (!fragment) {
      if (stored.skipped.size() < Stored::kMaxSkipped) {
        stored.skipped.push_back(fragment.error().message);
      }
      return true;
    }
    if (fragment->first_value >= bound) {
      return false;
    }
    const int64_t last = std::min<int64_t>(fragment->last_value, int64_t{bound} - 1);
    stored.set.insert(
        Interval{static_cast<int32_t>(fragment->first_value), static_cast<int32_t>(last)});
    return true;
  });
  return stored;
}

std::string IndexSet::to_string() const {
  std::string out;
  auto to = std::back_inserter(out);
  for (const auto& [first, last] : intervals_) {
    if (!out.empty()) {
      out += ',';
    }
    if (first == last) {
      fmt::format_to(to, "{}", first);
    } else {
      fmt::format_to(to, "{}{}{}", first, last - first == 1 ? ',' : '-', last);
    }
  }
  return out;
}

bool IndexSet::contains(int32_t index) const {
  const auto after = intervals_.upper_bound(index);
  return after != intervals_.begin() && std::prev(after)->second >= index;
}

bool IndexSet::insert(int32_t index) {
  const int64_t before = size_;
  insert(Interval{index, index});
  return size_ != before;
}

void IndexSet::insert(Interval added) {
  CHECK(added.first >= 0 && added.first <= added.last, "an interval of indexes is not empty");
  auto next = intervals_.upper_bound(added.first);
  // Swallow the interval before when it overlaps or touches, then all that follow and do so.
  if (next != intervals_.begin()) {
    const auto previous = std::prev(next);
    if (previous->second >= added.last) {
      return;
    }
    if (previous->second >= added.first - 1) {
      size_ -= int64_t{previous->second} - previous->first + 1;
      added.first = previous->first;
      next = intervals_.erase(previous);
    }
  }
  while (next != intervals_.end() && next->first - 1 <= added.last) {
    size_ -= int64_t{next->second} - next->first + 1;
    added.last = std::max(added.last, next->second);
    next = intervals_.erase(next);
  }
  size_ += int64_t{added.last} - added.first + 1;
  intervals_.emplace_hint(next, added.first, added.last);
}

void IndexSet::insert(const IndexSet& other) {
  if (&other == this) {
    return;
  }
  for (const auto& [first, last] : other.intervals_) {
    insert(Interval{first, last});
  }
}

void IndexSet::truncate(int32_t bound) {
  while (!intervals_.empty()) {
    const auto back = std::prev(intervals_.end());
    if (back->second < bound) {
      return;
    }
    if (back->first < bound) {
      size_ -= int64_t{back->second} - bound + 1;
      back->second = bound - 1;
      return;
    }
    size_ -= int64_t{back->second} - back->first + 1;
    intervals_.erase(back);
  }
}

int32_t IndexSet::first_missing(int32_t from) const {
  const auto after = intervals_.upper_bound(from);
  if (after == intervals_.begin() || std::prev(after)->second < from) {
    return from;
  }
  const int32_t last = std::prev(after)->second;
  CHECK(last < kMaxIndex, "the largest index is not a completion index");
  return last + 1;
}

int64_t IndexSet::overlap(const IndexSet& other) const {
  int64_t common = 0;
  auto a = intervals_.begin();
  auto b = other.intervals_.begin();
  while (a != intervals_.end() && b != other.intervals_.end()) {
    const int64_t first = std::max(a->first, b->first);
    const int64_t last = std::min(a->second, b->second);
    common += std::max<int64_t>(0, last - first + 1);
    if (a->second < b->second) {
      ++a;
    } else {
      ++b;
    }
  }
  return common;
}

std::vector<IndexSet::Interval> IndexSet::intervals() const {
  std::vector<Interval> out;
  out.reserve(intervals_.size());
  for (const auto& [first, last] : intervals_) {
    out.push_back({first, last});
  }
  return out;
}

}  // namespace windlass
