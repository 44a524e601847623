#include "job/index_bits.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/index_set.h"

namespace windlass::job {
namespace {

constexpr uint64_t kAll = ~uint64_t{0};

size_t as_size(int64_t value) {
  return static_cast<size_t>(value);
}

// The decimal digits of 0 to 999, three characters each.
constexpr std::array<char, 3000> make_thousand() {
  std::array<char, 3000> digits{};
  for (size_t i = 0; i < 1000; ++i) {
    digits[3 * i] = static_cast<char>('0' + i / 100);
    digits[3 * i + 1] = static_cast<char>('0' + i / 10 % 10);
    digits[3 * i + 2] = static_cast<char>('0' + i % 10);
  }
  return digits;
}
constexpr std::array<char, 3000> kThousand = make_thousand();

// Prints ascending runs: "1,3-5,7". What neighbours have in common is worked out once, and text
// goes out in blocks: a Job of many pods that end in any order prints 100,000 runs in each status.
class RunPrinter {
 public:
  void add(int64_t first, int64_t last) {
    if (used_ + kLongestRun > block_.size()) {
      flush();
    }
    if (!out_.empty() || used_ > 0) {
      block_[used_++] = ',';
    }
    number(first);
    if (last > first) {
      block_[used_++] = last == first + 1 ? ',' : '-';
      number(last);
    }
  }

  std::string text() {
    flush();
    return std::move(out_);
  }

 private:
  static constexpr size_t kLongestRun = 32;

  void flush() {
    out_.append(block_.data(), used_);
    used_ = 0;
  }

  void number(int64_t value) {
    if (value < 1000) {
      used_ = as_size(std::to_chars(&block_[used_], block_.end(), value).ptr - block_.data());
      return;
    }
    if (value / 1000 != thousands_) {
      thousands_ = value / 1000;
      prefix_length_ =
          as_size(std::to_chars(prefix_.begin(), prefix_.end(), thousands_).ptr - prefix_.data());
    }
    std::copy(prefix_.begin(), prefix_.end(), &block_[used_]);  // all of it: a constant length
    used_ += prefix_length_;
    std::copy_n(&kThousand[as_size(value % 1000) * 3], 3, &block_[used_]);
    used_ += 3;
  }

  std::string out_;
  std::array<char, 4096> block_;
  size_t used_ = 0;
  int64_t thousands_ = 0;
  std::array<char, 8> prefix_{};  // of the thousands; an index has at most 7 digits of them
  size_t prefix_length_ = 0;
};

}  // namespace

IndexBits::Page& IndexBits::own_page(int64_t index) {
  const size_t slot = as_size(index / kPageBits);
  if (slot >= pages_.size()) {
    pages_.resize(slot + 1);
  }
  PageSlot& at = pages_[slot];
  if (!at.page) {
    at.page.emplace();
    if (at.full) {
      at.page->words.fill(kAll);
      at.page->count = kPageBits;
      at.full = false;
    }
  }
  return *at.page;
}

void IndexBits::normalize(size_t slot) {
  PageSlot& at = pages_[slot];
  if (at.page && (at.page->count == kPageBits || at.page->count == 0)) {
    at.full = at.page->count == kPageBits;
    at.page.reset();
  }
}

bool IndexBits::insert(int64_t index) {
  if (index < 0 || index > kMaxIndex || contains(index)) {
    return false;
  }
  Page& page = own_page(index);
  page.words[as_size(index / 64) % kPageWords] |= uint64_t{1} << (index % 64);
  ++page.count;
  ++size_;
  normalize(as_size(index / kPageBits));
  return true;
}

bool IndexBits::erase(int64_t index) {
  if (!contains(index)) {
    return false;
  }
  Page& page = own_page(index);
  page.words[as_size(index / 64) % kPageWords] &= ~(uint64_t{1} << (index % 64));
  --page.count;
  --size_;
  normalize(as_size(index / kPageBits));
  return true;
}

void IndexBits::insert_range(int64_t first, int64_t last) {
  last = std::min(last, kMaxIndex);
  for (int64_t i = std::max<int64_t>(first, 0); i <= last;) {
    if (i % kPageBits == 0 && i + kPageBits - 1 <= last) {
      const size_t slot = as_size(i / kPageBits);
      if (slot >= pages_.size()) {
        pages_.resize(slot + 1);
      }
      PageSlot& at = pages_[slot];
      const int64_t had = at.page ? at.page->count : (at.full ? kPageBits : 0);
      at.page.reset();
      at.full = true;
      size_ += kPageBits - had;
      i += kPageBits;
    } else {
      insert(i);
      ++i;
    }
  }
}

void IndexBits::clear() {
  pages_.clear();
  size_ = 0;
}

bool IndexBits::subtract(const IndexBits& other) {
  const int64_t before = size_;
  for (size_t slot = 0; slot < std::min(pages_.size(), other.pages_.size()); ++slot) {
    const PageSlot& theirs = other.pages_[slot];
    const PageSlot& ours = pages_[slot];
    if ((!theirs.page && !theirs.full) || (!ours.page && !ours.full)) {
      continue;
    }
    Page& page = own_page(static_cast<int64_t>(slot) * kPageBits);
    int32_t count = 0;
    for (size_t i = 0; i < kPageWords; ++i) {
      page.words[i] &= theirs.page ? ~theirs.page->words[i] : 0;
      count += std::popcount(page.words[i]);
    }
    size_ -= page.count - count;
    page.count = count;
    normalize(slot);
  }
  return size_ != before;
}

void IndexBits::truncate(int64_t bound) {
  bound = std::max<int64_t>(bound, 0);
  const size_t keep = as_size((bound + kPageBits - 1) / kPageBits);
  if (keep < pages_.size()) {
    for (size_t i = keep; i < pages_.size(); ++i) {
      size_ -= pages_[i].page ? pages_[i].page->count : (pages_[i].full ? kPageBits : 0);
    }
    pages_.resize(keep);
  }
  const int64_t end = static_cast<int64_t>(pages_.size()) * kPageBits;
  for (int64_t i = next_in(bound, end); i < end; i = next_in(i, end)) {
    erase(i);
  }
}

int64_t IndexBits::next_in(int64_t from, int64_t bound) const {
  const int64_t end = std::min(bound, static_cast<int64_t>(pages_.size()) * kPageBits);
  for (int64_t i = std::max<int64_t>(from, 0); i < end;) {
    const PageSlot& at = pages_[as_size(i / kPageBits)];
    if (!at.page && !at.full) {
      i = (i / kPageBits + 1) * kPageBits;
      continue;
    }
    const uint64_t rest = word(i / 64) >> (i % 64);
    if (rest != 0) {
      return std::min(i + std::countr_zero(rest), bound);
    }
    i = (i / 64 + 1) * 64;
  }
  return bound;
}

int64_t IndexBits::next_out(int64_t from, int64_t bound) const {
  const int64_t end = std::min(bound, static_cast<int64_t>(pages_.size()) * kPageBits);
  for (int64_t i = std::max<int64_t>(from, 0); i < end;) {
    if (pages_[as_size(i / kPageBits)].full) {
      i = (i / kPageBits + 1) * kPageBits;
      continue;
    }
    const uint64_t rest = ~word(i / 64) >> (i % 64);
    if (rest != 0) {
      return std::min(i + std::countr_zero(rest), bound);
    }
    i = (i / 64 + 1) * 64;
  }
  return std::min(std::max(from, end), bound);
}

int64_t IndexBits::next_in_none(const std::vector<const IndexBits*>& sets, int64_t from,
                                int64_t bound) {
  for (int64_t i = std::max<int64_t>(from, 0); i < bound;) {
    if (i % kPageBits == 0) {
      const size_t slot = as_size(i / kPageBits);
      const bool full = std::any_of(sets.begin(), sets.end(), [slot](const IndexBits* set) {
        return slot < set->pages_.size() && set->pages_[slot].full;
      });
      if (full) {
        i += kPageBits;
        continue;
      }
    }
    uint64_t used = 0;
    for (const IndexBits* set : sets) {
      used |= set->word(i / 64);
    }
    const uint64_t free = ~used >> (i % 64);
    if (free != 0) {
      return std::min(i + std::countr_zero(free), bound);
    }
    i = (i / 64 + 1) * 64;
  }
  return bound;
}

int64_t IndexBits::overlap(const IndexBits& other) const {
  int64_t count = 0;
  for (size_t slot = 0; slot < std::min(pages_.size(), other.pages_.size()); ++slot) {
    const PageSlot& a = pages_[slot];
    const PageSlot& b = other.pages_[slot];
    if ((!a.page && !a.full) || (!b.page && !b.full)) {
      continue;
    }
    for (size_t i = 0; i < kPageWords; ++i) {
      count +=
          std::popcount((a.page ? a.page->words[i] : kAll) & (b.page ? b.page->words[i] : kAll));
    }
  }
  return count;
}

std::string IndexBits::text() const {
  RunPrinter out;
  int64_t first = -1;  // of the run that is open
  const auto close_before = [&](int64_t end) {
    if (first >= 0) {
      out.add(first, end - 1);
      first = -1;
    }
  };
  for (size_t slot = 0; slot < pages_.size(); ++slot) {
    const int64_t start = static_cast<int64_t>(slot) * kPageBits;
    if (!pages_[slot].page) {
      if (!pages_[slot].full) {
        close_before(start);
      } else if (first < 0) {
        first = start;
      }
      continue;
    }
    for (size_t i = 0; i < kPageWords; ++i) {
      const uint64_t bits = pages_[slot].page->words[i];
      const int64_t base = start + static_cast<int64_t>(i) * 64;
      for (int at = 0; at < 64;) {
        const uint64_t rest = (first < 0 ? bits : ~bits) >> at;
        if (rest == 0) {
          break;  // nothing begins or ends in what is left of this word
        }
        at += std::countr_zero(rest);
        if (first < 0) {
          first = base + at;
        } else {
          close_before(base + at);
        }
      }
    }
  }
  close_before(static_cast<int64_t>(pages_.size()) * kPageBits);
  return out.text();
}

IndexBits IndexBits::parse(std::string_view text, int64_t bound) {
  IndexBits bits;
  const auto limit = static_cast<int32_t>(std::clamp<int64_t>(bound, 0, kMaxIndex + 1));
  for (const IndexSet::Interval& interval : IndexSet::parse_stored(text, limit).set.intervals()) {
    bits.insert_range(interval.first, interval.last);
  }
  return bits;
}

}  // namespace windlass::job
