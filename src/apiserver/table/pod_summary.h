// A pod in a few words, as `kubectl get pods` shows it (api.md M135, M136). Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::apiserver {

struct PodSummary {
  std::string status;  // Running, Completed, Init:0/1, ImagePullBackOff, Terminating ...
  int ready = 0;
  int total = 0;
  int64_t restarts = 0;
  std::optional<Time> last_restart = {};
};

PodSummary summarize_pod(const api::core::v1::Pod& pod);

}  // namespace windlass::apiserver
