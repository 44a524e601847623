#include "net/stream/output_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace windlass::net {

void OutputQueue::add(std::string bytes) {
  if (!bytes.empty()) {
    parts_.push_back({std::move(bytes), nullptr});
  }
}

void OutputQueue::add_chunk(http::Chunk chunk, bool framed) {
  if (chunk->empty()) {
    return;  // framed, it would end the answer
  }
  if (framed) {
    add(fmt::format("{:x}\r\n", chunk->size()));
  }
  parts_.push_back({"", std::move(chunk)});
  if (framed) {
    add("\r\n");
  }
}

size_t OutputQueue::front(std::span<std::string_view> parts) const {
  const size_t count = std::min(parts.size(), parts_.size() - first_);
  for (size_t i = 0; i < count; ++i) {
    parts[i] = parts_[first_ + i].view();
  }
  if (count > 0) {
    parts[0].remove_prefix(offset_);
  }
  return count;
}

size_t OutputQueue::consume(size_t bytes) {
  size_t of_chunks = 0;
  while (bytes > 0) {
    CHECK(!empty(), "more was written than there is");
    Part& part = parts_[first_];
    const size_t taken = std::min(bytes, part.view().size() - offset_);
    of_chunks += part.chunk == nullptr ? 0 : taken;
    bytes -= taken;
    offset_ += taken;
    if (offset_ == part.view().size()) {
      part = {};
      ++first_;
      offset_ = 0;
    }
  }
  if (empty()) {
    clear();
  } else if (first_ >= 64 && first_ * 2 >= parts_.size()) {
    parts_.erase(parts_.begin(), parts_.begin() + static_cast<ptrdiff_t>(first_));
    first_ = 0;
  }
  return of_chunks;
}

void OutputQueue::clear() {
  parts_.clear();
  // An idle connection keeps next to nothing.
  if (parts_.capacity() > 16) {
    parts_.shrink_to_fit();
  }
  first_ = 0;
  offset_ = 0;
}

}  // namespace windlass::net
