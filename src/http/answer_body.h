// What is still to be sent of one answer: chunks, some of them shared with others, taken in pieces
// of any size. Plain data; one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string_view>
#include <utility>

#include "http/message.h"

namespace windlass::http {

class AnswerBody {
 public:
  void add(Chunk part) {
    unsent_ += part->size();
    parts_.push_back(std::move(part));
  }
  bool empty() const { return parts_.empty(); }
  size_t unsent() const { return unsent_; }

  // As much as there is room for; answers how much.
  size_t take(uint8_t* out, size_t room) {
    size_t filled = 0;
    while (filled < room && !parts_.empty()) {
      const std::string_view rest = std::string_view(*parts_.front()).substr(offset_);
      const size_t taken = std::min(room - filled, rest.size());
      std::memcpy(out + filled, rest.data(), taken);
      filled += taken;
      offset_ += taken;
      if (taken == rest.size()) {
        parts_.pop_front();
        offset_ = 0;
      }
    }
    unsent_ -= filled;
    return filled;
  }

 private:
  std::deque<Chunk> parts_;
  size_t offset_ = 0;  // taken of the first one
  size_t unsent_ = 0;
};

}  // namespace windlass::http
