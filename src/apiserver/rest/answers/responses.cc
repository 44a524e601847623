#include "apiserver/rest/answers/responses.h"

#include <google/protobuf/message.h>

#include "api/codec/json/json.h"
#include "api/codec/json/json_text.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml/yaml.h"
#include "base/utf8.h"
#include "schema/meta/v1/status.pb.h"

namespace windlass::apiserver {

namespace {

// A header must not end early: what could end it is left out, quotes are escaped.
std::string warning_value(std::string_view text) {
  std::string value = "299 - \"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      value += '\\';
    }
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) {
      value += c;
    }
  }
  return value + "\"";
}

// As many as fit into 4 KiB, each cut to 256 bytes where all of them together would not: clients
// bound the headers they read.
Warnings within_bounds(const Warnings& warnings) {
  constexpr size_t kMaxTotal = 4'096;
  constexpr size_t kMaxEach = 256;
  size_t total = 0;
  for (const std::string& warning : warnings) {
    total += warning.size();
  }
  if (total <= kMaxTotal) {
    return warnings;
  }
  Warnings kept;
  total = 0;
  for (const std::string& warning : warnings) {
    std::string text = readable(warning, kMaxEach);
    total += text.size();
    if (total > kMaxTotal) {
      break;
    }
    kept.push_back(std::move(text));
  }
  return kept;
}

}  // namespace

http::Headers answer_headers(std::string_view content_type, const Warnings& warnings) {
  http::Headers headers;
  headers.push_back({"Content-Type", std::string(content_type)});
  headers.push_back({"Cache-Control", "no-cache, private"});
  for (const std::string& warning : within_bounds(warnings)) {
    headers.push_back({"Warning", warning_value(warning)});
  }
  return headers;
}

std::string encode_json_text(const ResponseFormat& format, std::string json) {
  if (format.encoding == Encoding::yaml) {
    const auto yaml = api::json_to_yaml(json);
    return yaml ? *yaml : json;
  }
  if (format.pretty) {
    std::string pretty;
    api::append_pretty_json(json, pretty);
    json = std::move(pretty);
  }
  json += '\n';
  return json;
}

std::string encode_message(const ResponseFormat& format, const api::TypeMeta& type,
                           const api::Message& message) {
  if (format.encoding == Encoding::protobuf) {
    return api::seal_envelope(type, message);
  }
  return encode_json_text(format, api::to_json(message, type));
}

http::Response message_response(int code, const ResponseFormat& format, const api::TypeMeta& type,
                                const api::Message& message, const Warnings& warnings) {
  http::Response response;
  response.status = code;
  response.headers = answer_headers(format.content_type(), warnings);
  response.body = encode_message(format, type, message);
  return response;
}

http::Response failure_response(const Status& failure, const ResponseFormat& format,
                                const Warnings& warnings, std::string_view continue_token) {
  ResponseFormat plain = format;
  plain.form = ResponseForm::object;
  plain.pretty = format.pretty || failure.code == 406;
  const auto message = status_message(failure, continue_token);
  http::Response response =
      message_response(failure.code, plain, status_type(), *message, warnings);
  if (failure.details.retry_after_seconds > 0) {  // P96
    response.headers.push_back(
        {"Retry-After", std::to_string(failure.details.retry_after_seconds)});
  }
  return response;
}

http::Response text_response(int code, std::string text) {
  http::Response response;
  response.status = code;
  response.headers = answer_headers("text/plain; charset=utf-8");
  response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  response.body = std::move(text);
  return response;
}

http::Response page_not_found() {
  return text_response(404, "404 page not found\n");
}

Status method_not_allowed() {
  Status status;
  status.code = 405;
  status.reason = "MethodNotAllowed";
  status.message = "the server does not allow this method on the requested resource";
  return status;
}

namespace {

using StatusMessage = api::meta::v1::Status;

// A value that is empty is absent.
void set_if(const std::string& value, std::string* (api::meta::v1::StatusDetails::*field)(),
            api::meta::v1::StatusDetails& details) {
  if (!value.empty()) {
    *(details.*field)() = value;
  }
}

void fill_details(const StatusDetails& from, StatusMessage& message) {
  using Details = api::meta::v1::StatusDetails;
  Details& details = *message.mutable_details();
  set_if(from.name, &Details::mutable_name, details);
  set_if(from.group, &Details::mutable_group, details);
  set_if(from.kind, &Details::mutable_kind, details);
  set_if(from.uid, &Details::mutable_uid, details);
  for (const StatusCause& cause : from.causes) {
    api::meta::v1::StatusCause& added = *details.add_causes();
    if (!cause.reason.empty()) {
      added.set_reason(cause.reason);
    }
    if (!cause.message.empty()) {
      added.set_message(cause.message);
    }
    if (!cause.field.empty()) {
      added.set_field(cause.field);
    }
  }
  if (from.retry_after_seconds != 0) {
    details.set_retry_after_seconds(from.retry_after_seconds);
  }
}

// These always carry details, if only empty ones (M4, M28, M29, M90, M91).
bool shows_empty_details(const Status& failure) {
  return failure.code == 404 || failure.code == 405 || failure.code == 406 || failure.code == 415 ||
         failure.code == 422 || failure.code == 504;
}

}  // namespace

std::unique_ptr<api::Message> status_message(const Status& failure,
                                             std::string_view continue_token) {
  auto message = std::make_unique<StatusMessage>();
  if (!continue_token.empty()) {
    message->mutable_metadata()->set_continue_(std::string(continue_token));
  }
  message->set_status("Failure");
  message->set_message(failure.message);
  if (!failure.reason.empty()) {
    message->set_reason(failure.reason);
  }
  if (failure.details != StatusDetails() || shows_empty_details(failure)) {
    fill_details(failure.details, *message);
  }
  message->set_code(failure.code);
  return message;
}

std::unique_ptr<api::Message> deleted_message(const StatusDetails& details) {
  auto message = std::make_unique<StatusMessage>();
  message->set_status("Success");
  fill_details(details, *message);
  return message;
}

std::unique_ptr<api::Message> created_message() {
  auto message = std::make_unique<StatusMessage>();
  message->set_status("Success");
  message->set_code(201);
  return message;
}

const api::TypeMeta& status_type() {
  static const api::TypeMeta type{"v1", "Status"};
  return type;
}

}  // namespace windlass::apiserver
