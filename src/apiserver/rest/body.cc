#include "apiserver/rest/body.h"

#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "api/codec/json/json.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml/yaml.h"
#include "apiserver/field_manager/managed_fields.h"
#include "apiserver/rest/answers/format.h"
#include "apiserver/verbs/body_type.h"

namespace windlass::apiserver {
namespace {

// What a message shows of a body that is not an object.
std::string summary(std::string_view body) {
  constexpr size_t kShown = 30;
  if (body.empty()) {
    return "<empty>";
  }
  std::string shown;
  if (body.front() == '{') {
    shown = body.substr(0, kShown);
  } else {
    for (const char c : body.substr(0, kShown)) {
      shown += fmt::format("{:02x}", static_cast<unsigned char>(c));
    }
  }
  return body.size() > kShown ? shown + " ..." : shown;
}

Status unrecognized(const api::Kind& wanted, std::string_view why, std::string_view body) {
  const bool secret = &wanted == &api::kinds::secret();
  return bad_request(
      fmt::format("the object provided is unrecognized (must be of type {}): {} ({})", wanted.kind,
                  why, secret ? "[redacted]" : summary(body)));
}

// The type in the body must be that of the endpoint, or be left out (M31).
Result<void> check_type(const api::TypeMeta& given, const api::Kind& wanted) {
  const std::string conflict = type_conflict(given, wanted);
  if (conflict.empty()) {
    return {};
  }
  if (given.kind == wanted.kind && api::find_kind(given.api_version, given.kind) != nullptr) {
    return fail(bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})",
                    given.api_version, wanted.type_meta().api_version)));
  }
  return fail(api::cannot_be_handled(given, wanted.kind, bad_request(conflict)));
}

Result<Body> from_json(std::string_view json, std::string_view source, const api::Kind& wanted,
                       FieldValidation validation, const std::vector<std::string>& duplicate_keys) {
  Body body{wanted.make(), {}};
  auto decoded = api::decode_json(json, *body.object);
  if (!decoded) {
    const auto type = api::peek_json_type(json);
    if (!type) {
      return fail(unrecognized(
          wanted, "couldn't get version/kind; json parse error: " + type.error().message, source));
    }
    const api::TypeMeta given = completed_type(*type, wanted);
    TRY_VOID(check_type(given, wanted));
    return fail(api::cannot_be_handled(given, wanted.kind, decoded.error()));
  }
  body.type = completed_type(decoded->type, wanted);
  TRY_VOID(check_type(body.type, wanted));
  if (wanted.list_prototype != nullptr) {
    keep_reset_request(json, api::mutable_metadata_of(*body.object));
  }
  std::vector<api::FieldProblem> problems = std::move(decoded->problems);
  for (const std::string& key : duplicate_keys) {
    problems.push_back({api::FieldProblem::Type::duplicate, key, ""});
  }
  if (problems.empty() || validation == FieldValidation::ignore) {
    return body;
  }
  if (validation == FieldValidation::strict) {
    return fail(api::cannot_be_handled(body.type, wanted.kind,
                                       bad_request(api::strict_error_text(problems))));
  }
  for (const api::FieldProblem& problem : problems) {
    body.warnings.push_back(problem.text());
  }
  return body;
}

Result<Body> from_yaml(std::string_view text, const api::Kind& wanted, FieldValidation validation) {
  const auto documents = api::parse_yaml(text);
  if (!documents || documents->empty()) {
    const std::string why =
        documents ? "unexpected end of input" : std::string(documents.error().message);
    return fail(unrecognized(wanted, "couldn't get version/kind; json parse error: " + why, text));
  }
  const api::YamlDocument& document = documents->front();
  return from_json(document.json, text, wanted, validation, document.duplicate_keys);
}

Result<Body> from_protobuf(std::string_view bytes, const api::Kind& wanted) {
  if (!api::has_protobuf_magic(bytes)) {
    return fail(unrecognized(wanted,
                             "provided data does not appear to be a protobuf message, expected "
                             "prefix [107 56 115 0]",
                             bytes));
  }
  TRY(const api::Envelope envelope, api::open_envelope(bytes));
  Body body{wanted.make(), completed_type(envelope.type, wanted)};
  TRY_VOID(check_type(body.type, wanted));
  if (auto decoded = api::decode_protobuf(envelope.raw, *body.object); !decoded) {
    return fail(api::cannot_be_handled(body.type, wanted.kind, decoded.error()));
  }
  return body;
}

}  // namespace

Result<BodyType> body_type(const http::Request& request) {
  const std::string_view header = http::find_header(request.headers, "Content-Type").value_or("");
  const std::string type = parse_media_type(header).type;
  if (type.empty() || type == "application/json") {
    return BodyType::json;
  }
  if (type == "application/yaml") {
    return BodyType::yaml;
  }
  if (type == "application/vnd.kubernetes.protobuf") {
    return BodyType::protobuf;
  }
  return fail(unsupported_media_type(
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json, application/yaml, application/vnd.kubernetes.protobuf"));
}

Result<Body> decode_body(const http::Request& request, const api::Kind& wanted,
                         FieldValidation validation) {
  TRY(const BodyType type, body_type(request));
  switch (type) {
    case BodyType::yaml:
      return from_yaml(request.body, wanted, validation);
    case BodyType::protobuf:
      return from_protobuf(request.body, wanted);
    default:
      return from_json(request.body, request.body, wanted, validation, {});
  }
}

}  // namespace windlass::apiserver
