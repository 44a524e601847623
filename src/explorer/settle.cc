#include "explorer/settle.h"

#include "explorer/checks.h"

namespace windlass::explorer {
namespace {

std::optional<Step> fair_delivery(const World& world) {
  if (!world.writes.empty()) {
    const bool done = world.writes.front().answer != Answer::none;
    return Step{done ? StepKind::arrive : StepKind::answer, 0, 0};
  }
  if (!world.unseen_job.empty()) {
    return Step{StepKind::tell_job, 0, 0};
  }
  for (const Pod& pod : world.pods) {
    if (!pod.unseen.empty()) {
      return Step{StepKind::tell, static_cast<uint8_t>(pod.serial), 0};
    }
  }
  return std::nullopt;
}

// The cluster does its part: what is deleted stops, what is bound runs, what runs succeeds.
std::optional<Step> fair_event(const World& world) {
  for (const Pod& pod : world.pods) {
    const auto serial = static_cast<uint8_t>(pod.serial);
    if (!pod.in_store() || job::is_terminal(pod.now.phase)) {
      continue;
    }
    if (pod.now.deleting) {
      return Step{pod.now.has_node ? StepKind::fail : StepKind::fail_unbound, serial, 0};
    }
    return Step{pod.now.has_node ? StepKind::succeed : StepKind::start, serial, 0};
  }
  if (world.wake_at && *world.wake_at > world.now) {
    return Step{StepKind::tick, 0, 0};
  }
  return std::nullopt;
}

}  // namespace

bool take_fairly(World& world, std::vector<Step>& path, std::vector<std::string>& broken) {
  const auto go = [&](Step step) {
    path.push_back(step);
    take(world, step, broken);
  };
  if (const auto delivery = fair_delivery(world)) {
    go(*delivery);
    return true;
  }
  go({StepKind::decide, 0, 0});
  if (!world.writes.empty() || world.looked_again) {
    return true;
  }
  if (const auto event = fair_event(world)) {
    go(*event);
    return true;
  }
  return false;
}

std::vector<std::string> Settler::settle(World world, uint64_t key, std::vector<Step>& path) {
  std::vector<uint64_t> passed;
  std::vector<std::string> broken;
  for (int n = 0; n < kMaxFairSteps; ++n) {
    if (settled_.contains(key)) {
      break;
    }
    passed.push_back(key);
    const bool goes_on = take_fairly(world, path, broken);
    if (!broken.empty()) {
      return broken;
    }
    if (!goes_on) {
      broken = check_rest(world);
      break;
    }
    if (n + 1 == kMaxFairSteps) {
      broken.emplace_back("L1: the fair rest of the run does not end");
    }
    key = key_of(world).core;
  }
  if (broken.empty()) {
    for (const uint64_t each : passed) {
      settled_.insert(each);
    }
  }
  return broken;
}

}  // namespace windlass::explorer
