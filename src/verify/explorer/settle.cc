#include "verify/explorer/settle.h"

#include "verify/explorer/checks.h"

namespace windlass::verify::explorer {
namespace {

std::optional<Step> fair_delivery(const ModelState& model) {
  if (!model.writes.empty()) {
    const bool done = model.writes.front().answer != Answer::none;
    return Step{done ? StepKind::arrive : StepKind::answer, 0, 0};
  }
  if (!model.unseen_job.empty()) {
    return Step{StepKind::tell_job, 0, 0};
  }
  for (const Pod& pod : model.pods) {
    if (!pod.unseen.empty()) {
      return Step{StepKind::tell, static_cast<uint8_t>(pod.serial), 0};
    }
  }
  return std::nullopt;
}

// The cluster does its part: what is deleted stops, what is bound runs, what runs succeeds.
std::optional<Step> fair_event(const ModelState& model) {
  for (const Pod& pod : model.pods) {
    const auto serial = static_cast<uint8_t>(pod.serial);
    if (!pod.in_store() || engine::is_terminal(pod.now.phase)) {
      continue;
    }
    if (pod.now.deleting) {
      return Step{pod.now.has_node ? StepKind::fail : StepKind::fail_unbound, serial, 0};
    }
    return Step{pod.now.has_node ? StepKind::succeed : StepKind::start, serial, 0};
  }
  if (model.wake_at && *model.wake_at > model.now) {
    return Step{StepKind::tick, 0, 0};
  }
  return std::nullopt;
}

}  // namespace

bool take_fairly(ModelState& model, std::vector<Step>& path, std::vector<std::string>& broken) {
  const auto go = [&](Step step) {
    path.push_back(step);
    take(model, step, broken);
  };
  if (const auto delivery = fair_delivery(model)) {
    go(*delivery);
    return true;
  }
  go({StepKind::decide, 0, 0});
  if (!model.writes.empty() || model.looked_again) {
    return true;
  }
  if (const auto event = fair_event(model)) {
    go(*event);
    return true;
  }
  return false;
}

std::vector<std::string> Settler::settle(ModelState model, uint64_t key, std::vector<Step>& path) {
  std::vector<uint64_t> passed;
  std::vector<std::string> broken;
  for (int n = 0; n < kMaxFairSteps; ++n) {
    if (settled_.contains(key)) {
      break;
    }
    passed.push_back(key);
    const bool goes_on = take_fairly(model, path, broken);
    if (!broken.empty()) {
      return broken;
    }
    if (!goes_on) {
      broken = check_rest(model);
      break;
    }
    if (n + 1 == kMaxFairSteps) {
      broken.emplace_back("L1: the fair rest of the run does not end");
    }
    key = key_of(model).core;
  }
  if (broken.empty()) {
    for (const uint64_t each : passed) {
      settled_.insert(each);
    }
  }
  return broken;
}

}  // namespace windlass::verify::explorer
