// A Job as `windlass policy` looks at it: what the engine needs to live through it, and what of its
// pod template decides how its pods can end. Plain values, read once from a defaulted Job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "api/object.h"
#include "api/pod/container_restart.h"
#include "api/pod/warnings/unsupported_fields.h"
#include "engine/types.h"

namespace windlass::policy {

struct ContainerInfo {
  std::string name;
  bool init = false;
  bool sidecar = false;  // an init container with restartPolicy Always
  api::OwnRestart restart = {};

  // Its end is the end of the pod.
  bool is_app() const { return !init; }
};

struct Subject {
  engine::JobView job;  // without any status
  engine::Options options;
  std::vector<ContainerInfo> containers;  // containers first, then init containers
  api::RestartPolicy restart_policy = api::RestartPolicy::never;  // the pod's
  bool disruption_conditions = true;                              // gate PodDisruptionConditions
  bool windows = false;                                           // exit codes are 32 bits wide
  std::optional<int32_t> ttl_seconds_after_finished;
  std::string lint_ignore;                         // annotation kLintIgnoreKey
  std::vector<api::UnsupportedField> unsupported;  // by a Windlass node

  const std::vector<engine::FailureRule>& rules() const;
  bool per_index() const;  // backoffLimitPerIndex applies
};

// On a Job: findings that its author has seen and accepts, by id, separated by commas.
inline constexpr const char* kLintIgnoreKey = "windlass.dev/lint-ignore";

// `job` is a batch/v1 Job with its defaults.
Subject read_subject(const api::Message& job, const api::FeatureGates& gates);

}  // namespace windlass::policy
