// A PostgreSQL server of a test's own: its files in a temporary directory, reached through a socket
// there. It does not run as root; where the test does, it runs as the user `postgres`.
#pragma once

#include <string>

#include "posix/testing.h"

namespace windlass::postgres {

class PostgresServer {
 public:
  PostgresServer() = default;
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  // Whether the packages are there.
  static bool is_installed();

  // Makes its files and starts it. False, with the reason on standard error, if that fails.
  bool create();
  // Both wait until it is done.
  bool start();
  // Without any goodbye: `fast` ends connections, `immediate` is a crash.
  bool stop(const std::string& mode = "immediate");

  std::string address(const std::string& database = "postgres") const {
    return "postgresql://postgres@/" + database + "?host=" + directory_.path();
  }

 private:
  bool shell(const std::string& script) const;

  posix::TemporaryDirectory directory_;
  bool runs_ = false;
};

}  // namespace windlass::postgres
