#include "http/status_response.h"

#include <utility>

#include "base/json_writer.h"

namespace windlass::http {
namespace {

constexpr int32_t kRetryAfterSeconds = 1;

}  // namespace

Response status_response(const Status& status) {
  Response response;
  response.status = status.code;
  response.headers = {{"Content-Type", "application/json"}};
  if (status.details.retry_after_seconds != 0) {
    response.headers.push_back({"Retry-After", std::to_string(status.details.retry_after_seconds)});
  }
  JsonWriter json(response.body);
  json.open_object().member("kind", "Status").member("apiVersion", "v1");
  json.key("metadata").open_object().close_object().member("status", "Failure");
  json.member("message", status.message).member("reason", status.reason);
  if (status.details.retry_after_seconds != 0) {
    json.key("details").open_object();
    json.key("retryAfterSeconds").number(status.details.retry_after_seconds);
    json.close_object();
  }
  json.key("code").number(status.code).close_object();
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
