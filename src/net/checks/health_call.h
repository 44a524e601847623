// One call of grpc.health.v1.Health/Check as the client's side of an HTTP/2 connection
// (libnghttp2): bytes in, bytes out, no I/O. For one connection and one answer.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "env/network_checks.h"
#include "net/checks/probe_connection.h"

namespace windlass::net {

class HealthCall final : public ProbeExchange {
 public:
  // More than this is no answer to the question.
  static constexpr size_t kMaxBody = 4096;
  static constexpr size_t kMaxMessage = 1024;
  static constexpr size_t kMaxReceived = size_t{64} * 1024;  // of all frames together

  // `authority` is host:port; `timeout` is told to the server.
  HealthCall(const std::string& authority, std::string_view service, Duration timeout);
  ~HealthCall() override;

  std::string_view output() override;
  void sent(size_t bytes) override;
  Result<bool> received(std::string_view bytes) override;

  // Once everything is known.
  const env::GrpcHealth& answer() const;

 private:
  class Session;
  std::unique_ptr<Session> session_;
};

}  // namespace windlass::net
