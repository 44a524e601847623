// /healthz, /livez, /readyz and /metrics of a process that is no API server. Asked on the core
// executor, so that an answer means that it turns. Immutable once made.
#pragma once

#include <functional>
#include <string>

#include "http/handler.h"

namespace windlass::cli {

class HealthHandler final : public http::Handler {
 public:
  struct Checks {
    std::function<std::string()> why_not_ready;  // "": ready
    std::function<std::string()> metrics;
  };
  explicit HealthHandler(Checks checks) : checks_(std::move(checks)) {}

  std::variant<http::Response, std::unique_ptr<http::Call>> prepare(
      http::Request request) const override;

 private:
  Checks checks_;
};

}  // namespace windlass::cli
