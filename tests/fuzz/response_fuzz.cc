// Bytes from a server to parsed answers: however they are cut, the same answers come out, and the
// parser always either goes on or says why not.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "http/response_parser.h"

namespace {

using windlass::http::ResponseParser;

std::vector<std::string> read_all(std::string_view bytes, size_t step) {
  std::vector<std::string> answers;
  ResponseParser parser;
  std::string body;
  parser.begin("GET");
  for (size_t at = 0; at < bytes.size();) {
    const std::string_view piece = bytes.substr(at, step);
    const size_t used = parser.feed(piece, body);
    if (used > piece.size()) {
      std::abort();
    }
    at += used;
    if (parser.state() == ResponseParser::State::complete) {
      answers.push_back(std::to_string(parser.status()) + body);
      body.clear();
      parser.begin("GET");
    } else if (parser.state() == ResponseParser::State::broken) {
      answers.push_back("broken " + parser.problem());
      return answers;
    } else if (used < piece.size()) {
      std::abort();
    }
  }
  parser.end();
  answers.push_back(parser.state() == ResponseParser::State::complete ? body : "cut");
  return answers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto whole = read_all(bytes, std::max<size_t>(size, 1));
  if (read_all(bytes, 1) != whole || read_all(bytes, 5) != whole) {
    std::abort();
  }
  return 0;
}
