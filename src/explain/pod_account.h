// One pod of a Job as it is told: how it ended, which rule of the failure policy that meets, which
// attempt it was. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/object.h"
#include "engine/types.h"
#include "explain/explanation.h"

namespace windlass::explain {

// A pod with what the engine makes of it.
struct SeenPod {
  engine::PodView view;
  PodAccount account;

  bool failed() const { return view.phase == engine::Phase::failed; }
  bool active() const { return !engine::is_terminal(view.phase) && !view.deletion_time; }
  bool terminating() const { return !engine::is_terminal(view.phase) && view.deletion_time; }
};

// Oldest first. `warnings` as in Evidence.
std::vector<SeenPod> account_for(const engine::JobView& job,
                                 const std::vector<api::ObjectPtr>& pods,
                                 const std::map<std::string, std::string>& warnings);

// What a rule is called, from its place in the Job's policy.
RuleRef rule_ref(const engine::JobView& job, int32_t rule);

}  // namespace windlass::explain
