#include "apiserver/verbs/continue_token.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "api/codec/base64.h"
#include "base/json_writer.h"

namespace windlass::apiserver {
namespace {

constexpr std::string_view kVersion = "meta.k8s.io/v1";
constexpr size_t kMaxTokenBytes = 4096;

Status bad_token(std::string_view why) {
  return bad_request(fmt::format("invalid continue token: continue key is not valid: {}", why));
}

// The alphabet of URLs, without padding.
std::string to_url_alphabet(std::string text) {
  text.resize(std::min(text.find('='), text.size()));
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::string from_url_alphabet(std::string text) {
  std::ranges::replace(text, '-', '+');
  std::ranges::replace(text, '_', '/');
  text.append((4 - text.size() % 4) % 4, '=');
  return text;
}

}  // namespace

std::string encode_continue(const ContinueToken& token) {
  // The zero byte makes the key the first one behind the last that was given out.
  std::string start = "/" + token.after;
  start.push_back('\0');
  std::string json = fmt::format(R"({{"v":"{}","rv":{},"start":)", kVersion,
                                 token.revision == 0 ? -1 : static_cast<int64_t>(token.revision));
  append_json_string(start, json);
  if (token.left) {
    json += fmt::format(R"(,"left":{})", *token.left);
  }
  json += '}';
  std::string encoded;
  api::append_base64(json, encoded);
  return to_url_alphabet(std::move(encoded));
}

Result<ContinueToken> decode_continue(std::string_view text) {
  std::string json;
  if (text.size() > kMaxTokenBytes ||
      api::decode_base64(from_url_alphabet(std::string(text)), json)) {
    return fail(bad_token("illegal base64 data"));
  }
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  std::string_view version;
  std::string_view start;
  int64_t revision = 0;
  if (parser.parse(simdjson::padded_string(json)).get(document) != simdjson::SUCCESS ||
      document["v"].get(version) != simdjson::SUCCESS ||
      document["rv"].get(revision) != simdjson::SUCCESS ||
      document["start"].get(start) != simdjson::SUCCESS) {
    return fail(bad_token("not a token of this server"));
  }
  if (version != kVersion || revision == 0) {
    return fail(bad_token("incorrect encoded start resourceVersion"));
  }
  if (start.size() < 2 || start.front() != '/' || start.back() != '\0' ||
      start.find("/../") != std::string_view::npos) {
    return fail(bad_token("encoded start key is not valid"));
  }
  ContinueToken token;
  token.revision = revision < 0 ? 0 : static_cast<store::Revision>(revision);
  token.after = start.substr(1, start.size() - 2);
  if (int64_t left = 0; document["left"].get(left) == simdjson::SUCCESS && left >= 0) {
    token.left = left;
  }
  return token;
}

}  // namespace windlass::apiserver
