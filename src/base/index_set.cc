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

// One part between commas. Errors are only put into words where they are shown: stored text
// may have many.
struct Fragment {
  enum class Error { none, too_many_parts, not_an_integer, too_large, not_ascending };
  Error error = Error::none;
  std::string_view culprit;
  int64_t first = 0;
  int64_t last = 0;
};

// The order of the checks is that of J79's errors.
Fragment parse_fragment(std::string_view text, int64_t limit) {
  using Error = Fragment::Error;
  Fragment fragment;
  const auto read_index = [&](std::string_view index, int64_t& value) {
    const std::optional<int64_t> number = to_integer(index);
    value = number.value_or(0);
    fragment.error = !number          ? Error::not_an_integer
                     : value >= limit ? Error::too_large
                                      : Error::none;
    fragment.culprit = index;
    return fragment.error == Error::none;
  };
  const size_t dash = text.find('-');
  if (dash != std::string_view::npos && text.find('-', dash + 1) != std::string_view::npos) {
    fragment.error = Error::too_many_parts;
    fragment.culprit = text;
    return fragment;
  }
  if (!read_index(text.substr(0, dash), fragment.first)) {
    return fragment;
  }
  fragment.last = fragment.first;
  if (dash != std::string_view::npos && read_index(text.substr(dash + 1), fragment.last) &&
      fragment.first >= fragment.last) {
    fragment.error = Error::not_ascending;
  }
  return fragment;
}

std::string not_ascending(int64_t previous, int64_t current) {
  return fmt::format("non-increasing order, previous: {}, current: {}", previous, current);
}

std::string describe(const Fragment& fragment) {
  switch (fragment.error) {
    case Fragment::Error::none:
      break;
    case Fragment::Error::too_many_parts:
      return fmt::format(
          "the fragment {} violates the requirement that an index interval can have at most two "
          "parts separated by '-'",
          quote(fragment.culprit));
    case Fragment::Error::not_an_integer:
      return "cannot convert string to integer for index: " + quote(fragment.culprit);
    case Fragment::Error::too_large:
      return "too large index: " + quote(fragment.culprit);
    case Fragment::Error::not_ascending:
      return not_ascending(fragment.first, fragment.last);
  }
  return "";
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
  std::string error;
  int64_t previous = -1;
  for_each_fragment(text, [&](std::string_view part) {
    const Fragment fragment = parse_fragment(part, completions);
    if (fragment.error != Fragment::Error::none) {
      error = describe(fragment);
    } else if (previous >= fragment.first) {
      error = not_ascending(previous, fragment.first);
    } else {
      set.insert(
          Interval{static_cast<int32_t>(fragment.first), static_cast<int32_t>(fragment.last)});
      previous = fragment.last;
    }
    return error.empty();
  });
  if (!error.empty()) {
    return fail(plain_error(std::move(error)));
  }
  return set;
}

Result<IndexSet> IndexSet::parse_exact(std::string_view text, int32_t completions) {
  if (text.empty()) {
    return fail(plain_error("must list at least one index"));
  }
  if (text.size() > kMaxExactBytes) {
    return fail(plain_error(fmt::format("must have at most {} bytes", kMaxExactBytes)));
  }
  TRY(IndexSet set, parse(text, completions));
  if (const std::string exact = set.to_string(); exact != text) {
    return fail(plain_error("must be in its shortest form, as in a Job's status"));
  }
  return set;
}

IndexSet::Stored IndexSet::parse_stored(std::string_view text, int32_t bound) {
  Stored stored;
  if (text.empty()) {
    return stored;
  }
  for_each_fragment(text, [&](std::string_view part) {
    const Fragment fragment = parse_fragment(part, std::numeric_limits<int64_t>::max());
    if (fragment.error != Fragment::Error::none) {
      if (stored.skipped.size() < Stored::kMaxSkipped) {
        stored.skipped.push_back(describe(fragment));
      }
      return true;
    }
    if (fragment.first >= bound) {
      return false;
    }
    const int64_t last = std::min<int64_t>(fragment.last, int64_t{bound} - 1);
    stored.set.insert(Interval{static_cast<int32_t>(fragment.first), static_cast<int32_t>(last)});
    return true;
  });
  return stored;
}

std::string IndexSet::to_string() const {
  std::string out;
  const auto append = [&](int32_t index) {
    const fmt::format_int digits(index);
    out.append(digits.data(), digits.size());
  };
  for (const auto& [first, last] : intervals_) {
    if (!out.empty()) {
      out += ',';
    }
    append(first);
    if (first != last) {
      out += last - first == 1 ? ',' : '-';
      append(last);
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
  // Ascending order is the usual one, and costs no search.
  auto next = last() < added.first ? intervals_.end() : intervals_.upper_bound(added.first);
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
