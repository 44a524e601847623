// Answers as values: objects, errors, documents, with the headers that go with them (api.md M4a,
// M10). Pure; any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "apiserver/rest/answers/format.h"
#include "base/status.h"
#include "http/message.h"

namespace windlass::apiserver {

using Warnings = std::vector<std::string>;

// Content-Type, Cache-Control, and one Warning line for each warning.
http::Headers answer_headers(std::string_view content_type, const Warnings& warnings = {});

// One message in the negotiated encoding. Made on the thread that calls it.
std::string encode_message(const ResponseFormat& format, const api::TypeMeta& type,
                           const api::Message& message);
// JSON text (compact, without a line end) in the negotiated encoding, which is not protobuf.
std::string encode_json_text(const ResponseFormat& format, std::string json);

http::Response message_response(int code, const ResponseFormat& format, const api::TypeMeta& type,
                                const api::Message& message, const Warnings& warnings = {});
// The Status of a failure; Retry-After where it says so.
http::Response failure_response(const Status& failure, const ResponseFormat& format,
                                const Warnings& warnings = {},
                                std::string_view continue_token = {});
http::Response text_response(int code, std::string text);
// 404 for what is outside of the API (M29).
http::Response page_not_found();
Status method_not_allowed();

// A Status as the API shows it (api.md M20). Pure; any thread.

// `continue_token` tells the client of an expired list how to go on (M67).
std::unique_ptr<api::Message> status_message(const Status& failure,
                                             std::string_view continue_token = {});
// What a delete that left nothing behind answers (M53).
std::unique_ptr<api::Message> deleted_message(const StatusDetails& details);
// What a binding or an eviction answers.
std::unique_ptr<api::Message> created_message();

const api::TypeMeta& status_type();

}  // namespace windlass::apiserver
