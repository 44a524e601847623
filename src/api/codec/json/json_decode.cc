// decode_json up to the document: limits, simdjson, and what to say when it refuses the text.

#include "api/codec/json/json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "api/codec/json/json_reader.h"
#include "api/codec/json/json_scanner.h"
#include "base/quote.h"

namespace windlass::api {

namespace {

using simdjson::dom::element;

// Why simdjson refused the text, in Go's words where Go refuses it too.
Status parse_error(std::string_view text, simdjson::error_code code) {
  if (code == simdjson::DEPTH_ERROR) {
    return bad_request("exceeded max depth");
  }
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return bad_request("invalid UTF-8 in JSON text");
  }
  std::string syntax = json_syntax_error(text);
  if (!syntax.empty()) {
    return bad_request(std::move(syntax));
  }
  // Valid, but with a number or an escape that no field can hold.
  return bad_request(fmt::format("json: {}", simdjson::error_message(code)));
}

// One parser per thread: its buffers are worth keeping, unless a huge document made them huge.
class ThreadParser {
 public:
  Result<element> parse(std::string_view text) {
    if (text.size() > kMaxJsonBytes) {
      return fail(bad_request(
          fmt::format("json: input has {} bytes, the limit is {}", text.size(), kMaxJsonBytes)));
    }
    if (parser_.max_depth() != kMaxJsonDepth || parser_.capacity() < text.size()) {
      // Only allocate() sets the depth.
      size_t capacity = std::max(text.size(), kInitialCapacity);
      if (parser_.allocate(capacity, kMaxJsonDepth) != simdjson::SUCCESS) {
        return fail(internal_error("no memory for JSON"));
      }
    }
    element root;
    simdjson::error_code code = parser_.parse(text.data(), text.size()).get(root);
    if (code != simdjson::SUCCESS) {
      return fail(parse_error(text, code));
    }
    return root;
  }

  void release_if_large() {
    if (parser_.capacity() > kKeptCapacity) {
      parser_ = simdjson::dom::parser();
    }
  }

 private:
  static constexpr size_t kInitialCapacity = 64U << 10;
  static constexpr size_t kKeptCapacity = 1U << 20;
  simdjson::dom::parser parser_;
};

ThreadParser& thread_parser() {
  thread_local ThreadParser parser;
  return parser;
}

}  // namespace

Result<DecodedJson> decode_json(std::string_view text, Message& out) {
  ThreadParser& parser = thread_parser();
  TRY(element root, parser.parse(text));
  Result<DecodedJson> result = read_json(text, root, out);
  parser.release_if_large();
  return result;
}

Result<TypeMeta> peek_json_type(std::string_view text) {
  ThreadParser& parser = thread_parser();
  TRY(element root, parser.parse(text));
  TypeMeta found;
  simdjson::dom::object object;
  if (root.get(object) != simdjson::SUCCESS) {
    return fail(bad_request(fmt::format("json: cannot unmarshal {} into Go value of type struct",
                                        describe_json(root))));
  }
  for (auto [key, value] : object) {
    std::string_view field;
    if ((key != "apiVersion" && key != "kind") || value.is_null()) {
      continue;
    }
    if (value.get(field) != simdjson::SUCCESS) {
      return fail(bad_request(
          fmt::format("json: cannot unmarshal {} into Go struct field .{} of type string",
                      describe_json(value), key)));
    }
    (key == "kind" ? found.kind : found.api_version).assign(field);
  }
  parser.release_if_large();
  return found;
}

// The texts of decoding problems (api.md M31, M110).
std::string FieldProblem::text() const {
  return fmt::format("{} field {}", type == Type::unknown ? "unknown" : "duplicate", quote(path));
}

std::string strict_error_text(const std::vector<FieldProblem>& problems) {
  std::string text = "strict decoding error: ";
  bool first = true;
  for (const FieldProblem& problem : problems) {
    if (!first) {
      text += ", ";
    }
    first = false;
    text += problem.text();
  }
  return text;
}

Status cannot_be_handled(const TypeMeta& given, std::string_view wanted_kind, const Status& error) {
  size_t slash = given.api_version.find('/');
  std::string_view version =
      std::string_view(given.api_version).substr(slash == std::string::npos ? 0 : slash + 1);
  return bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", given.kind,
                                 version, wanted_kind, error.message));
}

}  // namespace windlass::api
