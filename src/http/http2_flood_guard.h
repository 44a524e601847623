// Counts what one HTTP/2 client sends without asking for anything that is answered, and says when
// it is too much: frames of no use, requests taken back, heads that are refused. Plain counting;
// one thread.
#pragma once

#include <algorithm>
#include <cstddef>

namespace windlass::http {

struct Http2FloodLimits {
  // In a row, without anything of a request between them: pings, settings, frames of no bytes.
  size_t idle_frames = 10'000;
  // Requests that were taken back or broken, less those that were answered to their end.
  size_t resets = 1000;
  // Of heads that were refused, and of requests that were taken back, less `plain_head_bytes` for
  // each that was answered. A head that is refused counts as `plain_head_bytes` at least.
  size_t refused_head_bytes = size_t{4} * 1024 * 1024;
  size_t plain_head_bytes = size_t{8} * 1024;
};

class Http2FloodGuard {
 public:
  // How a request ended: refused (whatever it was told), answered to its end, taken back by the
  // client, or cut by the server, which is no fault of the client.
  enum class End { refused, answered, taken_back, cut };

  explicit Http2FloodGuard(const Http2FloodLimits& limits) : limits_(limits) {}

  void on_frame(bool says_nothing) { idle_frames_ = says_nothing ? idle_frames_ + 1 : 0; }
  // A client that only listens says nothing but that there is room.
  void on_answer_frame() { idle_frames_ = 0; }
  // One that has never become a request.
  void on_broken_request() { ++resets_; }
  void on_end(End end, bool told, size_t head_bytes) {
    const size_t plain = limits_.plain_head_bytes;
    if (end == End::refused) {
      refused_head_bytes_ += std::max(head_bytes, plain);
    } else if (end == End::answered) {
      refused_head_bytes_ -= std::min(refused_head_bytes_, plain);
    } else if (end == End::taken_back) {
      refused_head_bytes_ += head_bytes;
    }
    if (told) {
      resets_ -= resets_ > 0 ? 1 : 0;
    } else if (end != End::cut) {
      ++resets_;
    }
  }

  // Why it is too much; "" while it is not.
  const char* problem() const {
    if (idle_frames_ > limits_.idle_frames) {
      return "frames that say nothing, too many in a row";
    }
    if (resets_ > limits_.resets) {
      return "requests that are taken back, too many of them";
    }
    return refused_head_bytes_ > limits_.refused_head_bytes
               ? "requests that are refused, too many of them"
               : "";
  }

 private:
  const Http2FloodLimits limits_;
  size_t idle_frames_ = 0;
  size_t resets_ = 0;
  size_t refused_head_bytes_ = 0;
};

}  // namespace windlass::http
