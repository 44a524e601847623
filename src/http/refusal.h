// Why what came is no request that can be answered, in words that are the same over HTTP/1.1 and
// HTTP/2, and the limits it was held against. Pure; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/message.h"

namespace windlass::http {

struct ParserLimits {
  // kube-apiserver takes 1 MiB here; no client of it comes near, and this is memory that any client
  // who can connect may hold.
  size_t head_bytes = size_t{128} * 1024;
  size_t headers = 128;
  size_t body_bytes = size_t{3} * 1024 * 1024;  // as kube-apiserver (safety.md Q1)
  // One line of chunked framing, and all trailers together; both are read over.
  size_t chunk_line_bytes = 256;
  size_t trailer_bytes = size_t{8} * 1024;
};

struct Refusal {
  int status = 0;
  std::string_view reason;  // of a Kubernetes Status: BadRequest
  std::string message;
};

Refusal bad_head(std::string message);
Refusal head_too_large(const ParserLimits& limits);
Refusal too_many_headers(const ParserLimits& limits);
Refusal body_too_large(const ParserLimits& limits);
Refusal unknown_expectation();
// Nothing is unpacked here, so nothing can be a zip bomb (safety.md Q11).
Refusal compressed_body();

bool is_method(std::string_view text);
// A path with its query. Absolute and authority forms are for proxies; a server that takes them has
// two names of the same thing to disagree about.
bool is_target(std::string_view text);

// Of a head that came as fields, whole: what is wrong with it, if anything is.
std::optional<Refusal> refusal_of(const Request& head, const ParserLimits& limits);

}  // namespace windlass::http
