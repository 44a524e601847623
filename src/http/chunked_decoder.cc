#include "http/chunked_decoder.h"

#include <algorithm>

#include "http/characters.h"

namespace windlass::http {
namespace {

// 4 GiB: no real chunk is larger, and adding sizes cannot overflow.
constexpr size_t kMaxSizeDigits = 8;

}  // namespace

void ChunkedDecoder::breaks(Problem problem) {
  state_ = State::broken;
  problem_ = problem;
}

size_t ChunkedDecoder::feed(std::string_view bytes, std::string& body) {
  size_t used = 0;
  while (used < bytes.size() && state_ == State::open) {
    if (part_ == Part::data) {
      const auto taken = static_cast<size_t>(std::min<uint64_t>(remaining_, bytes.size() - used));
      body.append(bytes.substr(used, taken));
      remaining_ -= taken;
      used += taken;
      if (remaining_ == 0) {
        part_ = Part::data_end;
      }
    } else if (feed_line(bytes, used)) {
      on_line();
      line_.clear();
    }
  }
  return used;
}

bool ChunkedDecoder::feed_line(std::string_view bytes, size_t& used) {
  while (used < bytes.size()) {
    const char c = bytes[used++];
    const bool after_return = !line_.empty() && line_.back() == '\r';
    if (c == '\n' && after_return) {
      line_.pop_back();
      return true;
    }
    if (after_return || (c != '\r' && !is_field_character(c)) ||
        line_.size() == limits_.line_bytes) {
      breaks(Problem::malformed);
      return false;
    }
    line_ += c;
  }
  return false;
}

void ChunkedDecoder::on_line() {
  switch (part_) {
    case Part::size_line:
      return on_size_line();
    case Part::trailers:
      return on_trailer();
    default:
      // The end of a chunk; anything before it would be longer than the chunk's size.
      part_ = Part::size_line;
      if (!line_.empty()) {
        breaks(Problem::malformed);
      }
  }
}

void ChunkedDecoder::on_size_line() {
  // Extensions have no meaning and are skipped, as RFC 9112 7.1.1 wants it.
  const std::string_view size =
      trimmed(std::string_view(line_).substr(0, std::min(line_.find(';'), line_.size())));
  if (size.empty() || size.size() > kMaxSizeDigits || !all(size, is_hex_digit) ||
      is_blank(line_.front())) {
    return breaks(Problem::malformed);
  }
  remaining_ = 0;
  for (const char c : size) {
    remaining_ = remaining_ * 16 + static_cast<uint64_t>(hex_value(c));
  }
  if (remaining_ > limits_.body_bytes - body_bytes_) {
    return breaks(Problem::body_too_large);
  }
  body_bytes_ += remaining_;
  part_ = remaining_ == 0 ? Part::trailers : Part::data;
}

void ChunkedDecoder::on_trailer() {
  if (line_.empty()) {
    state_ = State::complete;
    return;
  }
  trailer_bytes_ += line_.size();
  if (trailer_bytes_ > limits_.trailer_bytes) {
    breaks(Problem::trailers_too_large);
  } else if (is_blank(line_.front()) || line_.find(':') == std::string::npos) {
    breaks(Problem::malformed);
  }
}

}  // namespace windlass::http
