// A set of completion indexes as a paged bitmap: O(1) to change, quick to find the next free index,
// and small even for a Job of 2^31 completions: empty and full pages take no memory of their own,
// and neither do chunks of pages that are all empty or all full. The text form is that of
// base/index_set.h, whose parser it uses; it prints its own, because a Job that runs prints often.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/state/boxed.h"

namespace windlass::engine {

class IndexBits {
 public:
  static constexpr int64_t kMaxIndex = 2147483646;  // completions is an int32

  bool contains(int64_t index) const {
    return index >= 0 && ((word(index / 64) >> (index % 64)) & 1) != 0;
  }
  bool insert(int64_t index);  // whether it was new
  bool erase(int64_t index);   // whether it was there
  void insert_range(int64_t first, int64_t last);
  int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void clear();
  // Takes out what is in `other`; whether that was anything. By pages, never index by index.
  bool subtract(const IndexBits& other);
  // Forgets everything at or above `bound`.
  void truncate(int64_t bound);

  // "1,3-5,7"; O(runs).
  std::string text() const;
  // Reads stored text, keeping what is below `bound` (IndexSet::parse_stored).
  static IndexBits parse(std::string_view text, int64_t bound);

  // First index >= from that is (not) in the set, below bound; bound if there is none.
  int64_t next_in(int64_t from, int64_t bound) const;
  int64_t next_out(int64_t from, int64_t bound) const;
  // First index >= from that is in none of the sets.
  static int64_t next_in_none(const std::vector<const IndexBits*>& sets, int64_t from,
                              int64_t bound);
  // How many indexes are in both.
  int64_t overlap(const IndexBits& other) const;

  // The memory that it takes; tests bound it.
  size_t memory_bytes() const;

  bool operator==(const IndexBits& other) const { return text() == other.text(); }

 private:
  static constexpr int64_t kPageBits = 1024;
  static constexpr size_t kPageWords = 16;
  static constexpr size_t kChunkPages = 1024;
  struct Page {
    std::array<uint64_t, kPageWords> words{};
    int32_t count = 0;
  };
  // No page: empty, or all of it set.
  struct PageSlot {
    Boxed<Page> page;
    bool full = false;

    bool empty() const { return !page && !full; }
    int64_t count() const { return page ? page->count : (full ? kPageBits : 0); }
  };
  // No slots: all pages are empty, or all of them are full.
  struct ChunkSlot {
    Boxed<std::array<PageSlot, kChunkPages>> slots;
    bool full = false;

    bool empty() const { return !slots && !full; }
    int64_t count() const;
  };

  uint64_t word(int64_t word_index) const {
    const PageSlot& at = page_slot(static_cast<size_t>(word_index) / kPageWords);
    if (at.page) {
      return at.page->words[static_cast<size_t>(word_index) % kPageWords];
    }
    return at.full ? ~uint64_t{0} : 0;
  }
  size_t page_count() const { return chunks_.size() * kChunkPages; }
  const PageSlot& page_slot(size_t slot) const {
    static const PageSlot kEmpty;
    static const PageSlot kFull{{}, true};
    if (slot >= page_count()) {
      return kEmpty;
    }
    const ChunkSlot& chunk = chunks_[slot / kChunkPages];
    if (chunk.slots) {
      return (*chunk.slots)[slot % kChunkPages];
    }
    return chunk.full ? kFull : kEmpty;
  }
  // The first page slot of the next chunk.
  static size_t next_chunk(size_t slot) { return (slot / kChunkPages + 1) * kChunkPages; }
  ChunkSlot& own_chunk(size_t slot);
  PageSlot& own_page_slot(size_t slot);
  Page& own_page(int64_t index);
  void normalize(size_t slot);

  std::vector<ChunkSlot> chunks_;
  int64_t size_ = 0;
};

}  // namespace windlass::engine
