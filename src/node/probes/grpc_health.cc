#include "node/probes/grpc_health.h"

#include <fmt/format.h>

#include <array>

#include "base/quote.h"

namespace windlass::node {
namespace {

constexpr int kDeadlineExceeded = 4;
constexpr int kUnimplemented = 12;
constexpr int kUnavailable = 14;

std::string grpc_code_name(int code) {
  constexpr std::array kNames = {
      "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
      "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
      "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
      "DataLoss", "Unauthenticated"};
  const auto number = static_cast<size_t>(code);
  return number < kNames.size() ? kNames.at(number) : fmt::format("Code({})", code);
}

std::string serving_name(int status) {
  constexpr std::array kNames = {"UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"};
  const auto number = static_cast<size_t>(status);
  return number < kNames.size() ? kNames.at(number) : std::to_string(status);
}

}  // namespace

std::string health_problem(const env::GrpcHealth& health, const std::string& where,
                           Duration timeout) {
  using How = env::GrpcHealth::How;
  const std::string limit = format_duration(timeout);
  if (health.how == How::unreachable) {
    return fmt::format("timeout: failed to connect service {} within {}", quote(where), limit);
  }
  if (health.how == How::refused) {
    return fmt::format("error: failed to connect service at {}: {}", quote(where), health.message);
  }
  const int code = health.how == How::failed ? kUnavailable : health.code;
  if (health.how == How::timed_out || code == kDeadlineExceeded) {
    return fmt::format("timeout: health rpc did not complete within {}", limit);
  }
  const std::string error =
      fmt::format("rpc error: code = {} desc = {}", grpc_code_name(code), health.message);
  if (code == kUnimplemented) {
    return "error: this server does not implement the grpc health protocol "
           "(grpc.health.v1.Health): " +
           error;
  }
  if (code != 0) {
    return "error: health rpc probe failed: " + error;
  }
  return health.serving == env::GrpcHealth::kServing
             ? ""
             : fmt::format("service unhealthy (responded with {})",
                           quote(serving_name(health.serving)));
}

}  // namespace windlass::node
