// What waits to be written to one connection: bytes of its own and chunks shared with others. One
// thread. Not limited here: who adds to it is.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"

namespace windlass::net {

class OutputQueue {
 public:
  void add(std::string bytes);
  // One chunk of a chunked answer, or its plain bytes.
  void add_chunk(http::Chunk chunk, bool framed);
  void add_last_chunk() { add("0\r\n\r\n"); }

  bool empty() const { return first_ == parts_.size(); }
  // Fills in what comes first; answers how many parts.
  size_t front(std::span<std::string_view> parts) const;
  // That many bytes are written. Answers how many of them were of chunks as they were added.
  size_t consume(size_t bytes);
  void clear();

 private:
  struct Part {
    std::string bytes;
    http::Chunk chunk;  // instead of bytes

    std::string_view view() const { return chunk == nullptr ? bytes : std::string_view(*chunk); }
  };

  std::vector<Part> parts_;
  size_t first_ = 0;   // those before are written
  size_t offset_ = 0;  // written of the first one
};

}  // namespace windlass::net
