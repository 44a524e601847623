// /healthz, /livez, /readyz and /metrics of a process that is not an API server. Answers on the
// core executor, so that an answer shows that it runs. Immutable.
#pragma once

#include <functional>
#include <string>

#include "http/handler.h"

namespace windlass::plane {

class HealthHandler final : public http::Handler {
 public:
  struct Checks {
    std::function<std::string()> why_not_ready;  // "": ready
    std::function<std::string()> note;           // what /readyz adds to its ok; "": nothing
    std::function<std::string()> metrics;
  };
  explicit HealthHandler(Checks checks) : checks_(std::move(checks)) {}

  std::variant<http::Response, std::unique_ptr<http::Call>> prepare(
      http::Request request) const override;

 private:
  Checks checks_;
};

}  // namespace windlass::plane
