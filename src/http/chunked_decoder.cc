#include "http/chunked_decoder.h"

#include <algorithm>

#include "http/characters.h"

namespace windlass::http {
namespace {

constexpr size_t kMaxSizeDigits = 15;

}  // namespace

size_t ChunkedDecoder::feed(std::string_view bytes, std::string& body) {
  size_t used = 0;
  while (used < bytes.size() && state_ == State::open) {
    const std::string_view rest = bytes.substr(used);
    if (part_ == Part::data) {
      const auto taken = static_cast<size_t>(std::min<uint64_t>(remaining_, rest.size()));
      body.append(rest.substr(0, taken));
      remaining_ -= taken;
      used += taken;
      if (remaining_ == 0) {
        part_ = Part::data_end;
      }
      continue;
    }
    used += feed_line(rest);
    if (line_ended_) {
      line_ended_ = false;
      on_line();
      line_.clear();
    }
  }
  return used;
}

size_t ChunkedDecoder::feed_line(std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool after_return = !line_.empty() && line_.back() == '\r';
    if (bytes[i] == '\n' && after_return) {
      line_.pop_back();
      line_ended_ = true;
      return i + 1;
    }
    if (after_return || (bytes[i] != '\r' && !is_field_character(bytes[i])) ||
        line_.size() == kMaxLineBytes) {
      state_ = State::broken;
      return i;
    }
    line_ += bytes[i];
  }
  return bytes.size();
}

void ChunkedDecoder::on_line() {
  switch (part_) {
    case Part::size_line:
      return on_size_line();
    case Part::data_end:
      part_ = Part::size_line;
      if (!line_.empty()) {
        state_ = State::broken;
      }
      return;
    default:
      trailer_bytes_ += line_.size();
      if (line_.empty()) {
        state_ = State::complete;
      } else if (trailer_bytes_ > kMaxTrailerBytes) {
        state_ = State::broken;
      }
  }
}

void ChunkedDecoder::on_size_line() {
  std::string_view size =
      std::string_view(line_).substr(0, std::min(line_.find(';'), line_.size()));
  while (!size.empty() && is_blank(size.back())) {
    size.remove_suffix(1);
  }
  if (size.empty() || size.size() > kMaxSizeDigits || !all(size, is_hex_digit)) {
    state_ = State::broken;
    return;
  }
  remaining_ = 0;
  for (const char c : size) {
    remaining_ = remaining_ * 16 + static_cast<uint64_t>(hex_value(c));
  }
  part_ = remaining_ == 0 ? Part::trailers : Part::data;
}

}  // namespace windlass::http
