#include "http/refusal.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <utility>

#include "http/characters.h"

namespace windlass::http {
namespace {

// Enough for every method there is; kube-apiserver knows seven.
constexpr size_t kMaxMethodBytes = 32;

uint64_t announced_body(const Request& request) {
  uint64_t bytes = 0;
  if (const auto length = find_header(request.headers, "content-length")) {
    std::from_chars(length->data(), length->data() + length->size(), bytes);
  }
  return bytes;
}

}  // namespace

Refusal bad_head(std::string message) {
  return {400, "BadRequest", std::move(message)};
}

Refusal head_too_large(const ParserLimits& limits) {
  return {431, "RequestHeaderFieldsTooLarge",
          fmt::format("Request header fields too large: limit is {}", limits.head_bytes)};
}

Refusal too_many_headers(const ParserLimits& limits) {
  return {431, "RequestHeaderFieldsTooLarge",
          fmt::format("Too many request header fields: limit is {}", limits.headers)};
}

Refusal body_too_large(const ParserLimits& limits) {
  return {413, "RequestEntityTooLarge",
          fmt::format("Request entity too large: limit is {}", limits.body_bytes)};
}

Refusal unknown_expectation() {
  return {417, "ExpectationFailed", "the only expectation is 100-continue"};
}

Refusal compressed_body() {
  return {415, "UnsupportedMediaType", "request bodies must not be compressed"};
}

bool is_method(std::string_view text) {
  return !text.empty() && text.size() <= kMaxMethodBytes && all(text, is_token_character);
}

bool is_target(std::string_view text) {
  return text.starts_with('/') && all(text, is_visible);
}

std::optional<Refusal> refusal_of(const Request& head, const ParserLimits& limits) {
  if (head.headers.size() > limits.headers) {
    return too_many_headers(limits);
  }
  if (!is_target(head.target)) {
    return bad_head("the request target is not a path");
  }
  if (!is_method(head.method)) {
    return bad_head("the request method is malformed");
  }
  if (announced_body(head) > limits.body_bytes) {
    return body_too_large(limits);
  }
  if (const auto expect = find_header(head.headers, "expect");
      expect && !same_ignoring_case(*expect, "100-continue")) {
    return unknown_expectation();
  }
  if (const auto encoding = find_header(head.headers, "content-encoding");
      encoding && !same_ignoring_case(*encoding, "identity")) {
    return compressed_body();
  }
  return std::nullopt;
}

}  // namespace windlass::http
