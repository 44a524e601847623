// What a container's probes and hooks do, as plain values read from its spec once: the handlers
// themselves, how often probes ask and what they need to be convinced. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/object.h"
#include "base/time.h"

namespace windlass::node {

struct HandlerPlan {
  enum class Kind { exec, http, tcp, grpc, sleep };

  Kind kind = Kind::exec;
  std::vector<std::string> command = {};  // exec
  bool tls = false;                       // http
  std::string host = {};                  // http, tcp: "" is the pod's address
  uint16_t port = 0;         // http, tcp, grpc: 0 when the spec names one that is not there
  std::string path = {};     // http
  std::string service = {};  // grpc
  std::vector<std::pair<std::string, std::string>> headers = {};  // http
  Duration pause{};                                               // sleep

  bool operator==(const HandlerPlan&) const = default;
};

struct ProbePlan {
  HandlerPlan handler;
  Duration initial_delay{};
  Duration period = seconds(10);
  Duration timeout = seconds(1);
  int success_threshold = 1;
  int failure_threshold = 3;
  std::optional<Duration> grace;  // of the container when this probe has it killed

  bool operator==(const ProbePlan&) const = default;
};

struct ContainerChecks {
  std::optional<ProbePlan> startup;
  std::optional<ProbePlan> liveness;
  std::optional<ProbePlan> readiness;
  std::optional<HandlerPlan> post_start;
  std::optional<HandlerPlan> pre_stop;

  bool operator==(const ContainerChecks&) const = default;
};

// `container` is a core/v1 Container. A probe that has no handler here is left out
// (api/pod/unsupported_fields.h).
ContainerChecks read_checks(const api::Message& container);

}  // namespace windlass::node
