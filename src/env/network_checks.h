// Questions to a port, as probes and hooks ask them: does it accept a connection, and what does it
// answer to a GET. Real: src/net.
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

class NetworkChecks {
 public:
  using OnStatus = std::function<void(Result<int>)>;
  using OnConnected = std::function<void(Result<void>)>;
  using Handle = std::shared_ptr<void>;

  virtual ~NetworkChecks() = default;

  // The status of the answer; its body is not read. Redirections are not followed.
  [[nodiscard]] virtual Handle get(const HttpCheck& check, Duration timeout,
                                   OnStatus on_status) = 0;
  [[nodiscard]] virtual Handle connect(const std::string& address, uint16_t port, Duration timeout,
                                       OnConnected on_connected) = 0;
};

}  // namespace windlass::env
