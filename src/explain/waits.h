// What a Job that is not finished waits for: all of it, the most telling first. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/types.h"
#include "explain/explanation.h"
#include "explain/pod_account.h"

namespace windlass::explain {

// Of those that wait for the same; the others are counted.
constexpr size_t kMaxPodsNamed = 10;

struct WaitInput {
  const engine::JobView& job;
  const std::vector<SeenPod>& pods;
  const std::string& create_error;
  const engine::Options& options;
  Time now;
  std::optional<IndexAccount> index;  // then only what concerns it
};

std::vector<Wait> find_waits(const WaitInput& input);

}  // namespace windlass::explain
