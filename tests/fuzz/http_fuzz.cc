// Bytes from the network to parsed requests: however they are cut, the same requests come out, the
// limits hold, and what is accepted has one meaning only.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/request_parser.h"
#include "http/target.h"

namespace {

using windlass::http::ParserLimits;
using windlass::http::Request;
using windlass::http::RequestParser;

struct Outcome {
  std::vector<std::string> requests;  // all their parts as text
  int refused_with = 0;

  bool operator==(const Outcome&) const = default;
};

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

std::string text_of(const Request& request) {
  std::string text = request.method + ' ' + request.target + '\n';
  for (const auto& header : request.headers) {
    text += header.name + '=' + header.value + '\n';
  }
  return text + request.body;
}

void check(const Request& request, const ParserLimits& limits) {
  require(request.body.size() <= limits.body_bytes);
  require(request.headers.size() <= limits.headers);
  require(request.target.starts_with('/'));
  for (const auto& header : request.headers) {
    require(header.name.find_first_of(": \r\n\t") == std::string::npos && !header.name.empty());
    require(header.value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos);
  }
  windlass::http::classify(request);
  if (const auto target = windlass::http::parse_target(request.target)) {
    for (const auto& segment : target->segments) {
      require(!segment.empty() && segment != "." && segment != "..");
      require(segment.find('/') == std::string::npos);
    }
  }
}

Outcome parsed(std::string_view bytes, size_t step) {
  ParserLimits limits;
  limits.head_bytes = 2048;
  limits.headers = 16;
  limits.body_bytes = 1024;
  RequestParser parser(limits);
  Outcome outcome;
  while (!bytes.empty()) {
    const size_t used = parser.feed(bytes.substr(0, step));
    require(used <= std::min(step, bytes.size()) && used > 0);
    require(parser.head_bytes() <= limits.head_bytes);
    require(parser.body_bytes() <= limits.body_bytes);
    bytes.remove_prefix(used);
    if (parser.state() == RequestParser::State::refused) {
      outcome.refused_with = parser.refusal().status;
      break;
    }
    if (parser.state() == RequestParser::State::complete) {
      const Request request = parser.take();
      check(request, limits);
      outcome.requests.push_back(text_of(request));
    }
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) {
    return 0;
  }
  const size_t step = 1 + data[0] % 32;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  require(parsed(bytes, bytes.size() + 1) == parsed(bytes, step));
  return 0;
}
