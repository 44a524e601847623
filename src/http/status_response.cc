#include "http/status_response.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace windlass::http {
namespace {

constexpr int32_t kRetryAfterSeconds = 1;

std::string json_text(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string details_of(const Status& status) {
  if (status.details.retry_after_seconds == 0) {
    return "";
  }
  return fmt::format(R"("details":{{"retryAfterSeconds":{}}},)",
                     status.details.retry_after_seconds);
}

}  // namespace

Response status_response(const Status& status) {
  Response response;
  response.status = status.code;
  response.headers = {{"Content-Type", "application/json"}};
  if (status.details.retry_after_seconds != 0) {
    response.headers.push_back(
        {"Retry-After", fmt::format("{}", status.details.retry_after_seconds)});
  }
  response.body = fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":{},"reason":{},{}"code":{}}})",
      json_text(status.message), json_text(status.reason), details_of(status), status.code);
  response.body += '\n';
  return response;
}

Status too_many_requests(std::string message) {
  Status status{429, "TooManyRequests", std::move(message), {}};
  status.details.retry_after_seconds = kRetryAfterSeconds;
  return status;
}

Status request_timeout(std::string message) {
  return {504, "Timeout", std::move(message), {}};
}

}  // namespace windlass::http
