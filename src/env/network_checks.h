// Questions to a port, as probes and hooks ask them: does it accept a connection, what does it
// answer to a GET, and what does its gRPC health service say. Real: src/net.
//
// Lives on an executor's thread and calls back there, once, never inside a call, and not at all
// when the handle that a call answered has been dropped before: that ends the connection.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windlass::env {

struct HttpCheck {
  bool tls = false;     // any certificate will do
  std::string address;  // IPv4, IPv6 or localhost; never another name
  uint16_t port = 0;
  std::string path = "/";                                    // with its query
  std::vector<std::pair<std::string, std::string>> headers;  // Host is made where it is not given

  bool operator==(const HttpCheck&) const = default;
};

// grpc.health.v1.Health/Check, over HTTP/2 without TLS.
struct GrpcCheck {
  std::string address;  // as in HttpCheck
  uint16_t port = 0;
  std::string service;  // "" asks about the server as a whole

  bool operator==(const GrpcCheck&) const = default;
};

struct GrpcHealth {
  enum class How {
    answered,
    refused,      // no connection
    unreachable,  // no connection in time
    timed_out,    // no answer in time
    failed,       // what came was no answer
  };
  static constexpr int kServing = 1;

  How how = How::answered;
  int code = 0;              // of an answer: the gRPC status; 0 is OK
  std::string message = {};  // of that status, or why there is no answer
  int serving = 0;           // of an OK: HealthCheckResponse.ServingStatus

  bool operator==(const GrpcHealth&) const = default;
};

class NetworkChecks {
 public:
  using OnStatus = std::function<void(Result<int>)>;
  using OnConnected = std::function<void(Result<void>)>;
  using OnHealth = std::function<void(const GrpcHealth&)>;
  using Handle = std::shared_ptr<void>;

  virtual ~NetworkChecks() = default;

  // The status of the answer; its body is not read. Redirections are not followed.
  [[nodiscard]] virtual Handle get(const HttpCheck& check, Duration timeout,
                                   OnStatus on_status) = 0;
  [[nodiscard]] virtual Handle connect(const std::string& address, uint16_t port, Duration timeout,
                                       OnConnected on_connected) = 0;
  [[nodiscard]] virtual Handle ask_health(const GrpcCheck& check, Duration timeout,
                                          OnHealth on_health) = 0;
};

}  // namespace windlass::env
