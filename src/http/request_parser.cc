#include "http/request_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "http/characters.h"

namespace windlass::http {
namespace {

// Room an idle connection may keep; more is given back between requests.
constexpr size_t kKeptHeadCapacity = size_t{4} * 1024;
// A body's memory grows as it comes, not as a Content-Length promises.
constexpr size_t kFirstBodyCapacity = size_t{64} * 1024;
constexpr size_t kMaxLengthDigits = 15;

}  // namespace

RequestParser::RequestParser(const ParserLimits& limits)
    : limits_(limits),
      chunks_({limits.chunk_line_bytes, limits.trailer_bytes, limits.body_bytes}) {}

void RequestParser::refuse(Refusal refusal) {
  state_ = State::refused;
  refusal_ = std::move(refusal);
}

Request RequestParser::take() {
  CHECK(state_ == State::complete, "take() before the request is complete");
  Request request = std::move(request_);
  std::string head = std::move(head_);
  *this = RequestParser(limits_);
  if (head.capacity() <= kKeptHeadCapacity) {
    head.clear();
    head_ = std::move(head);
  }
  return request;
}

size_t RequestParser::feed(std::string_view bytes) {
  size_t used = 0;
  while (used < bytes.size() && state_ == State::head) {
    used += feed_head(bytes.substr(used));
  }
  while (used < bytes.size() && state_ == State::body) {
    expects_continue_ = false;  // it did not wait
    used += feed_body(bytes.substr(used));
  }
  return used;
}

// Line by line, each byte looked at once. A bare LF ends it at once, not when the limit or the
// clock does.
size_t RequestParser::feed_head(std::string_view bytes) {
  const size_t before = head_.size();
  const size_t room = limits_.head_bytes - std::min(limits_.head_bytes, before);
  head_.append(bytes.substr(0, room));
  while (scanned_ < head_.size()) {
    const size_t newline = head_.find('\n', scanned_);
    if (newline == std::string::npos) {
      scanned_ = head_.size();
      break;
    }
    if (newline == 0 || head_[newline - 1] != '\r') {
      bad_request("a line of the request ends in a bare line feed");
      return bytes.size();
    }
    scanned_ = newline + 1;
    if (newline - line_start_ == 1) {
      head_.resize(newline + 1);
      const size_t used = head_.size() - before;
      parse_head();
      return used;
    }
    line_start_ = newline + 1;
  }
  if (head_.size() >= limits_.head_bytes) {
    refuse(head_too_large(limits_));
  }
  return bytes.size();
}

void RequestParser::parse_head() {
  std::string_view rest = head_;
  bool first = true;
  while (rest.size() > 2) {
    const size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (!(first ? parse_request_line(line) : parse_header_line(line))) {
      return;
    }
    first = false;
  }
  if (first) {
    return bad_request("the request has no request line");
  }
  if (!apply_headers()) {
    return;
  }
  const bool has_body = chunked_ || remaining_ > 0;
  state_ = has_body ? State::body : State::complete;
  if (has_body && !chunked_) {
    request_.body.reserve(std::min<uint64_t>(remaining_, kFirstBodyCapacity));
  }
}

bool RequestParser::parse_request_line(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t second = line.rfind(' ');
  if (first == std::string_view::npos || first == second) {
    return bad_request("the request line is malformed"), false;
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  const std::string_view version = line.substr(second + 1);
  if (!is_method(method)) {
    return bad_request("the request line is malformed"), false;
  }
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    if (version.starts_with("HTTP/") && all(version, is_visible)) {
      return refuse({505, "HTTPVersionNotSupported", "only HTTP/1.1 is spoken here"}), false;
    }
    return bad_request("the request line is malformed"), false;
  }
  if (!is_target(target)) {
    return bad_request("the request target is not a path"), false;
  }
  http_1_0_ = version == "HTTP/1.0";
  keep_alive_ = !http_1_0_;
  request_.method = method;
  request_.target = target;
  return true;
}

bool RequestParser::parse_header_line(std::string_view line) {
  if (is_blank(line.front())) {
    return bad_request("a header line is folded"), false;
  }
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || name.empty() || !all(name, is_token_character)) {
    return bad_request("a header name is malformed"), false;
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!all(value, is_field_character)) {
    return bad_request("a header value has a control character"), false;
  }
  if (request_.headers.size() == limits_.headers) {
    refuse(too_many_headers(limits_));
    return false;
  }
  request_.headers.push_back({std::string(name), std::string(value)});
  return true;
}

bool RequestParser::apply_headers() {
  for (const Header& header : request_.headers) {
    if (!apply_header(header.name, header.value)) {
      return false;
    }
  }
  if (!has_host_ && !http_1_0_) {
    return bad_request("the request has no Host"), false;
  }
  if (chunked_ && (has_length_ || http_1_0_)) {
    return bad_request("the request has both Content-Length and Transfer-Encoding"), false;
  }
  if (!chunked_ && remaining_ == 0) {
    expects_continue_ = false;
  }
  return true;
}

bool RequestParser::apply_header(std::string_view name, std::string_view value) {
  if (same_ignoring_case(name, "host")) {
    if (std::exchange(has_host_, true)) {
      return bad_request("the request has two Host headers"), false;
    }
  } else if (same_ignoring_case(name, "content-length")) {
    if (std::exchange(has_length_, true)) {
      return bad_request("the request has two Content-Lengths"), false;
    }
    if (value.empty() || value.size() > kMaxLengthDigits || !all(value, is_digit)) {
      return bad_request("the Content-Length is malformed"), false;
    }
    for (const char c : value) {
      remaining_ = remaining_ * 10 + static_cast<uint64_t>(c - '0');
    }
    if (remaining_ > limits_.body_bytes) {
      return refuse(body_too_large(limits_)), false;
    }
  } else if (same_ignoring_case(name, "transfer-encoding")) {
    if (chunked_) {
      return bad_request("the request has two Transfer-Encodings"), false;
    }
    if (!same_ignoring_case(value, "chunked")) {
      return refuse({501, "NotImplemented", "the only Transfer-Encoding is chunked"}), false;
    }
    chunked_ = true;
  } else if (same_ignoring_case(name, "expect")) {
    if (!same_ignoring_case(value, "100-continue")) {
      return refuse(unknown_expectation()), false;
    }
    expects_continue_ = !http_1_0_;
  } else if (same_ignoring_case(name, "connection")) {
    return apply_connection(value);
  } else if (same_ignoring_case(name, "content-encoding") &&
             !same_ignoring_case(value, "identity")) {
    return refuse(compressed_body()), false;
  }
  return true;
}

bool RequestParser::apply_connection(std::string_view value) {
  while (!value.empty()) {
    const size_t comma = std::min(value.find(','), value.size());
    if (same_ignoring_case(trimmed(value.substr(0, comma)), "close")) {
      keep_alive_ = false;
    }
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
  return true;
}

size_t RequestParser::feed_body(std::string_view bytes) {
  return chunked_ ? feed_chunked_body(bytes) : feed_plain_body(bytes);
}

size_t RequestParser::feed_plain_body(std::string_view bytes) {
  const size_t used = static_cast<size_t>(std::min<uint64_t>(remaining_, bytes.size()));
  request_.body.append(bytes.substr(0, used));
  remaining_ -= used;
  if (remaining_ == 0) {
    state_ = State::complete;
  }
  return used;
}

size_t RequestParser::feed_chunked_body(std::string_view bytes) {
  const size_t used = chunks_.feed(bytes, request_.body);
  if (chunks_.state() == ChunkedDecoder::State::complete) {
    state_ = State::complete;
  }
  switch (chunks_.problem()) {
    case ChunkedDecoder::Problem::none:
      break;
    case ChunkedDecoder::Problem::malformed:
      bad_request("the chunked framing is malformed");
      break;
    case ChunkedDecoder::Problem::body_too_large:
      refuse(body_too_large(limits_));
      break;
    case ChunkedDecoder::Problem::trailers_too_large:
      refuse({431, "RequestHeaderFieldsTooLarge",
              fmt::format("Trailers too large: limit is {}", limits_.trailer_bytes)});
      break;
  }
  return used;
}

}  // namespace windlass::http
