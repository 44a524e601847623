#include "engine/state/index_bits.h"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/index_set.h"

namespace windlass::engine {
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

int64_t IndexBits::ChunkSlot::count() const {
  if (!slots) {
    return full ? kPageBits * static_cast<int64_t>(kChunkPages) : 0;
  }
  int64_t count = 0;
  for (const PageSlot& slot : *slots) {
    count += slot.count();
  }
  return count;
}

IndexBits::ChunkSlot& IndexBits::own_chunk(size_t slot) {
  if (slot >= page_count()) {
    chunks_.resize(slot / kChunkPages + 1);
  }
  return chunks_[slot / kChunkPages];
}

IndexBits::PageSlot& IndexBits::own_page_slot(size_t slot) {
  ChunkSlot& chunk = own_chunk(slot);
  if (!chunk.slots) {
    for (PageSlot& page : chunk.slots.emplace()) {
      page.full = chunk.full;
    }
    chunk.full = false;
  }
  return (*chunk.slots)[slot % kChunkPages];
}

IndexBits::Page& IndexBits::own_page(int64_t index) {
  PageSlot& at = own_page_slot(as_size(index / kPageBits));
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
  PageSlot& at = own_page_slot(slot);
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
  constexpr int64_t kChunkBits = kPageBits * static_cast<int64_t>(kChunkPages);
  for (int64_t i = std::max<int64_t>(first, 0); i <= last;) {
    if (i % kChunkBits == 0 && i + kChunkBits - 1 <= last) {
      ChunkSlot& chunk = own_chunk(as_size(i / kPageBits));
      size_ += kChunkBits - chunk.count();
      chunk.slots.reset();
      chunk.full = true;
      i += kChunkBits;
    } else if (i % kPageBits == 0 && i + kPageBits - 1 <= last) {
      PageSlot& at = own_page_slot(as_size(i / kPageBits));
      size_ += kPageBits - at.count();
      at.page.reset();
      at.full = true;
      i += kPageBits;
    } else {
      insert(i);
      ++i;
    }
  }
}

void IndexBits::clear() {
  chunks_.clear();
  size_ = 0;
}

bool IndexBits::subtract(const IndexBits& other) {
  const int64_t before = size_;
  const size_t end = std::min(page_count(), other.page_count());
  for (size_t slot = 0; slot < end; ++slot) {
    if (chunks_[slot / kChunkPages].empty() || other.chunks_[slot / kChunkPages].empty()) {
      slot = next_chunk(slot) - 1;
      continue;
    }
    const PageSlot& theirs = other.page_slot(slot);
    if (theirs.empty() || page_slot(slot).empty()) {
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
  const size_t keep_chunks = (keep + kChunkPages - 1) / kChunkPages;
  for (; chunks_.size() > keep_chunks; chunks_.pop_back()) {
    size_ -= chunks_.back().count();
  }
  for (size_t slot = keep; slot < page_count() && !chunks_.back().empty(); ++slot) {
    PageSlot& at = own_page_slot(slot);
    size_ -= at.count();
    at = PageSlot();
  }
  const int64_t end = static_cast<int64_t>(page_count()) * kPageBits;
  for (int64_t i = next_in(bound, end); i < end; i = next_in(i, end)) {
    erase(i);
  }
}

int64_t IndexBits::next_in(int64_t from, int64_t bound) const {
  const int64_t end = std::min(bound, static_cast<int64_t>(page_count()) * kPageBits);
  for (int64_t i = std::max<int64_t>(from, 0); i < end;) {
    const size_t slot = as_size(i / kPageBits);
    if (chunks_[slot / kChunkPages].empty()) {
      i = static_cast<int64_t>(next_chunk(slot)) * kPageBits;
      continue;
    }
    if (page_slot(slot).empty()) {
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
  const int64_t end = std::min(bound, static_cast<int64_t>(page_count()) * kPageBits);
  for (int64_t i = std::max<int64_t>(from, 0); i < end;) {
    const size_t slot = as_size(i / kPageBits);
    if (chunks_[slot / kChunkPages].full) {
      i = static_cast<int64_t>(next_chunk(slot)) * kPageBits;
      continue;
    }
    if (page_slot(slot).full) {
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
      const auto chunk_is_full = [slot](const IndexBits* set) {
        return slot < set->page_count() && set->chunks_[slot / kChunkPages].full;
      };
      if (std::ranges::any_of(sets, chunk_is_full)) {
        i = static_cast<int64_t>(next_chunk(slot)) * kPageBits;
        continue;
      }
      const bool full = std::any_of(sets.begin(), sets.end(), [slot](const IndexBits* set) {
        return set->page_slot(slot).full;
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
  const size_t end = std::min(page_count(), other.page_count());
  for (size_t slot = 0; slot < end; ++slot) {
    if (chunks_[slot / kChunkPages].empty() || other.chunks_[slot / kChunkPages].empty()) {
      slot = next_chunk(slot) - 1;
      continue;
    }
    const PageSlot& a = page_slot(slot);
    const PageSlot& b = other.page_slot(slot);
    if (a.empty() || b.empty()) {
      continue;
    }
    for (size_t i = 0; i < kPageWords; ++i) {
      count +=
          std::popcount((a.page ? a.page->words[i] : kAll) & (b.page ? b.page->words[i] : kAll));
    }
  }
  return count;
}

size_t IndexBits::memory_bytes() const {
  size_t bytes = chunks_.capacity() * sizeof(ChunkSlot);
  for (const ChunkSlot& chunk : chunks_) {
    if (chunk.slots) {
      bytes += sizeof(*chunk.slots);
      for (const PageSlot& slot : *chunk.slots) {
        bytes += slot.page ? sizeof(Page) : 0;
      }
    }
  }
  return bytes;
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
  for (size_t slot = 0; slot < page_count(); ++slot) {
    const int64_t start = static_cast<int64_t>(slot) * kPageBits;
    const PageSlot& at = page_slot(slot);
    if (!at.page) {
      if (!at.full) {
        close_before(start);
      } else if (first < 0) {
        first = start;
      }
      if (!chunks_[slot / kChunkPages].slots) {
        slot = next_chunk(slot) - 1;
      }
      continue;
    }
    for (size_t i = 0; i < kPageWords; ++i) {
      const uint64_t bits = at.page->words[i];
      const int64_t base = start + static_cast<int64_t>(i) * 64;
      for (int bit = 0; bit < 64;) {
        const uint64_t rest = (first < 0 ? bits : ~bits) >> bit;
        if (rest == 0) {
          break;  // nothing begins or ends in what is left of this word
        }
        bit += std::countr_zero(rest);
        if (first < 0) {
          first = base + bit;
        } else {
          close_before(base + bit);
        }
      }
    }
  }
  close_before(static_cast<int64_t>(page_count()) * kPageBits);
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

}  // namespace windlass::engine
