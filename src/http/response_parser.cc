#include "http/response_parser.h"

#include <algorithm>
#include <utility>

#include "http/characters.h"

namespace windlass::http {
namespace {

constexpr size_t kMaxAnswerLengthDigits = 15;

bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (same_ignoring_case(trimmed(list.substr(0, comma)), token)) {
      return true;
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

void ResponseParser::begin(std::string_view method) {
  *this = ResponseParser(limits_);
  head_request_ = method == "HEAD";
}

void ResponseParser::breaks(std::string_view why) {
  state_ = State::broken;
  problem_ = why;
}

size_t ResponseParser::feed(std::string_view bytes, std::string& body) {
  size_t used = 0;
  while (used < bytes.size() && state_ == State::head) {
    used += feed_head(bytes.substr(used));
  }
  while (used < bytes.size() && state_ == State::body) {
    used += feed_body(bytes.substr(used), body);
  }
  return used;
}

void ResponseParser::end() {
  if (state_ == State::body && body_ == Body::until_end) {
    state_ = State::complete;
  } else if (state_ != State::complete && state_ != State::broken) {
    breaks("the connection ended in the middle of an answer");
  }
}

size_t ResponseParser::feed_head(std::string_view bytes) {
  const size_t before = head_.size();
  head_.append(bytes.substr(0, limits_.head_bytes - std::min(limits_.head_bytes, before)));
  const size_t end = head_.find("\r\n\r\n", scanned_);
  if (end != std::string::npos) {
    head_.resize(end + 4);
    const size_t used = head_.size() - before;
    parse_head();
    return used;
  }
  scanned_ = head_.size() - std::min<size_t>(head_.size(), 3);
  if (head_.size() >= limits_.head_bytes) {
    breaks("the head of an answer is too long");
  }
  return bytes.size();
}

void ResponseParser::parse_head() {
  std::string_view rest = std::string_view(head_).substr(0, head_.size() - 2);
  bool first = true;
  headers_.clear();
  while (!rest.empty()) {
    const size_t end = rest.find("\r\n");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (!(first ? parse_status_line(line) : parse_header_line(line))) {
      return;
    }
    first = false;
  }
  if (first) {
    return breaks("an answer has no status line");
  }
  if (status_ < 200) {
    head_.clear();
    scanned_ = 0;
    if (status_ == 101 || ++interim_ > limits_.interim_answers) {
      breaks("an answer switches protocols, or never comes");
    }
    return;
  }
  if (apply_headers()) {
    const bool empty = body_ == Body::none || (body_ == Body::plain && remaining_ == 0);
    state_ = empty ? State::complete : State::body;
  }
}

bool ResponseParser::parse_status_line(std::string_view line) {
  // HTTP/1.1 200 OK; the phrase may be missing.
  const bool well_formed = line.size() >= 12 && line.starts_with("HTTP/1.") &&
                           (line[7] == '0' || line[7] == '1') && line[8] == ' ' &&
                           all(line.substr(9, 3), is_digit) && line[9] != '0' &&
                           (line.size() == 12 || line[12] == ' ') && all(line, is_field_character);
  if (!well_formed) {
    return breaks("the status line of an answer is malformed"), false;
  }
  status_ = (line[9] - '0') * 100 + (line[10] - '0') * 10 + (line[11] - '0');
  keep_alive_ = line[7] == '1';
  return true;
}

bool ResponseParser::parse_header_line(std::string_view line) {
  const size_t colon = line.find(':');
  const std::string_view name = line.substr(0, colon);
  if (colon == std::string_view::npos || name.empty() || !all(name, is_token_character)) {
    return breaks("a header of an answer is malformed"), false;
  }
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!all(value, is_field_character) || headers_.size() == limits_.headers) {
    return breaks("a header of an answer is malformed, or one too many"), false;
  }
  headers_.push_back({std::string(name), std::string(value)});
  return true;
}

bool ResponseParser::apply_headers() {
  bool has_length = false;
  bool chunked = false;
  for (const Header& header : headers_) {
    if (same_ignoring_case(header.name, "content-length")) {
      const std::string& value = header.value;
      if (std::exchange(has_length, true) || value.empty() ||
          value.size() > kMaxAnswerLengthDigits || !all(value, is_digit)) {
        return breaks("the Content-Length of an answer is malformed"), false;
      }
      for (const char c : value) {
        remaining_ = remaining_ * 10 + static_cast<uint64_t>(c - '0');
      }
    } else if (same_ignoring_case(header.name, "transfer-encoding")) {
      if (std::exchange(chunked, true) || !same_ignoring_case(header.value, "chunked")) {
        return breaks("the Transfer-Encoding of an answer is not known"), false;
      }
    } else if (same_ignoring_case(header.name, "connection")) {
      keep_alive_ = !has_token(header.value, "close") &&
                    (keep_alive_ || has_token(header.value, "keep-alive"));
    }
  }
  if (chunked && has_length) {
    return breaks("an answer has both Content-Length and Transfer-Encoding"), false;
  }
  const bool bodiless = head_request_ || status_ == 204 || status_ == 304;
  body_ = bodiless     ? Body::none
          : chunked    ? Body::chunked
          : has_length ? Body::plain
                       : Body::until_end;
  keep_alive_ = keep_alive_ && body_ != Body::until_end;
  return true;
}

size_t ResponseParser::feed_body(std::string_view bytes, std::string& body) {
  if (body_ == Body::chunked) {
    const size_t used = chunks_.feed(bytes, body);
    if (chunks_.state() == ChunkedDecoder::State::complete) {
      state_ = State::complete;
    } else if (chunks_.state() == ChunkedDecoder::State::broken) {
      breaks("the chunked framing of an answer is malformed");
    }
    return used;
  }
  if (body_ == Body::until_end) {
    body.append(bytes);
    return bytes.size();
  }
  const auto used = static_cast<size_t>(std::min<uint64_t>(remaining_, bytes.size()));
  body.append(bytes.substr(0, used));
  remaining_ -= used;
  if (remaining_ == 0) {
    state_ = State::complete;
  }
  return used;
}

}  // namespace windlass::http
