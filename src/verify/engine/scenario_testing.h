// What the scenario tests share: a FakeCluster that fails its test when anything was broken on the
// way, and short ways to say which pods are given. Included by *_test.cc only.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/status/conditions.h"
#include "verify/engine/fake_cluster.h"

namespace windlass::engine::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EngineScenario : public FakeCluster {
 public:
  using FakeCluster::FakeCluster;
  EngineScenario(const EngineScenario&) = delete;
  EngineScenario& operator=(const EngineScenario&) = delete;
  ~EngineScenario() { EXPECT_THAT(broken, IsEmpty()); }

  std::vector<std::string> given(int count, Phase phase, bool ready = false) {
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      names.push_back(add_pod(pod(phase, ready)));
    }
    return names;
  }
  std::string given_failed(int32_t exit_code) {
    PodView view = pod(Phase::failed);
    view.containers.push_back(exited("main-container", exit_code));
    return add_pod(view);
  }
  std::string given_index(int64_t index, Phase phase, int failures = -1, Duration ago = {}) {
    PodView view = pod(phase);
    view.completion_index = std::to_string(index);
    if (failures >= 0) {
      view.failure_count = std::to_string(failures);
    }
    if (is_terminal(phase)) {
      view.containers.push_back(exited("main-container", phase == Phase::failed ? 1 : 0));
      view.containers.back().finished_at = now - ago;
    }
    return add_pod(view);
  }
  PodView pod(Phase phase, bool ready = false) const {
    PodView view;
    view.phase = phase;
    view.has_finalizer = true;
    view.has_node = phase != Phase::pending;
    view.created = now - hours(1);
    if (ready) {
      view.conditions.push_back({"Ready", ConditionStatus::is_true, now - minutes(1)});
    }
    return view;
  }
  ContainerView exited(std::string name, int32_t code) const {
    ContainerView container;
    container.name = std::move(name);
    container.terminated = true;
    container.exit_code = code;
    container.finished_at = now - minutes(30);
    return container;
  }
  std::vector<int64_t> created_indexes() const {
    std::vector<int64_t> indexes;
    for (const PodPlan& plan : plans) {
      indexes.push_back(plan.index);
    }
    return indexes;
  }
  // The nodes stop every pod that is being deleted.
  void stop_terminating(int32_t exit_code = 137) {
    for (const std::string& name : pod_names()) {
      if (has_pod(name) && stored_pod(name).deletion_time && !is_terminal(stored_pod(name).phase)) {
        fail(name, exit_code);
      }
    }
    run();
  }
};

inline std::string annotation(const PodPlan& plan, std::string_view key) {
  for (const auto& [name, value] : plan.annotations) {
    if (name == key) {
      return value;
    }
  }
  return "absent";
}

}  // namespace windlass::engine::testing
