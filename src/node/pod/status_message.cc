#include "node/pod/status_message.h"

#include <fmt/format.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "api/codec/wire_time.h"
#include "schema/core/v1/pod.pb.h"

// Zero values are left absent, not written: that is the canonical form of a message
// (api/protobuf.h).
namespace windlass::node {

namespace {

namespace core = api::core::v1;

constexpr std::array<std::string_view, 5> kOwnConditions = {
    "PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"};

bool is_own(const core::PodCondition& condition) {
  return std::find(kOwnConditions.begin(), kOwnConditions.end(), condition.type()) !=
         kOwnConditions.end();
}

void write_ended(const Terminated& ended, core::ContainerStateTerminated& out) {
  if (ended.exit_code != 0) {
    out.set_exit_code(ended.exit_code);
  }
  if (!ended.reason.empty()) {
    out.set_reason(ended.reason);
  }
  if (!ended.message.empty()) {
    out.set_message(ended.message);
  }
  if (ended.started_at) {
    api::set_time(*out.mutable_started_at(), *ended.started_at);
  }
  if (ended.finished_at) {
    api::set_time(*out.mutable_finished_at(), *ended.finished_at);
  }
  if (!ended.container_id.empty()) {
    out.set_container_id(ended.container_id);
  }
}

void write_state(const ContainerState& state, core::ContainerState& out) {
  if (const auto* waiting = std::get_if<Waiting>(&state)) {
    core::ContainerStateWaiting& message = *out.mutable_waiting();
    message.set_reason(waiting->reason);
    if (!waiting->message.empty()) {
      message.set_message(waiting->message);
    }
  } else if (const auto* running = std::get_if<Running>(&state)) {
    api::set_time(*out.mutable_running()->mutable_started_at(), running->started_at);
  } else {
    write_ended(std::get<Terminated>(state), *out.mutable_terminated());
  }
}

void write_container(const ContainerStatusView& view, core::ContainerStatus& out) {
  out.set_name(view.name);
  write_state(view.state, *out.mutable_state());
  if (view.last) {
    write_ended(*view.last, *out.mutable_last_state()->mutable_terminated());
  }
  if (view.ready) {
    out.set_ready(true);
  }
  if (view.restarts != 0) {
    out.set_restart_count(view.restarts);
  }
  out.set_image(view.image);
  if (!view.image_id.empty()) {
    out.set_image_id(view.image_id);
  }
  if (!view.container_id.empty()) {
    out.set_container_id(view.container_id);
  }
  out.set_started(view.started);
}

// The condition as it should be, with the transition time it had if its status is the same.
core::PodCondition own_condition(const ConditionView& view, const core::PodStatus& before,
                                 int64_t generation, Time now) {
  core::PodCondition out;
  out.set_type(view.type);
  out.set_status(view.status ? "True" : "False");
  if (!view.reason.empty()) {
    out.set_reason(view.reason);
  }
  if (!view.message.empty()) {
    out.set_message(view.message);
  }
  if (generation > 0) {
    out.set_observed_generation(generation);
  }
  for (const core::PodCondition& old : before.conditions()) {
    if (old.type() == view.type && old.status() == out.status() && old.has_last_transition_time()) {
      *out.mutable_last_transition_time() = old.last_transition_time();
      return out;
    }
  }
  api::set_time(*out.mutable_last_transition_time(), now);
  return out;
}

// KEP-580: a pod whose containers are ready is so itself once others have said so, too.
ConditionView behind_gates(ConditionView ready, const core::PodSpec& spec,
                           const core::PodStatus& before) {
  std::vector<std::string> unready;
  for (const core::PodReadinessGate& gate : spec.readiness_gates()) {
    const auto found =
        std::find_if(before.conditions().begin(), before.conditions().end(),
                     [&gate](const auto& each) { return each.type() == gate.condition_type(); });
    if (found == before.conditions().end()) {
      unready.push_back(
          fmt::format("corresponding condition of pod readiness gate \"{}\" does not exist.",
                      gate.condition_type()));
    } else if (found->status() != "True") {
      unready.push_back(
          fmt::format("the status of pod readiness gate \"{}\" is not \"True\", but {}",
                      gate.condition_type(), found->status()));
    }
  }
  if (ready.status && !unready.empty()) {
    ready = {ready.type, false, "ReadinessGatesNotReady",
             fmt::format("{}", fmt::join(unready, ", "))};
  }
  return ready;
}

// C-1, C-3, in the patch that ends the pod (K-39).
void write_disruption(const std::string& text, int64_t generation, Time now, core::PodStatus& out) {
  core::PodCondition* found = nullptr;
  for (core::PodCondition& condition : *out.mutable_conditions()) {
    found = condition.type() == "DisruptionTarget" ? &condition : found;
  }
  if (found == nullptr) {
    found = out.add_conditions();
    found->set_type("DisruptionTarget");
  }
  if (found->status() != "True") {
    found->set_status("True");
    api::set_time(*found->mutable_last_transition_time(), now);
  }
  found->set_reason("TerminationByKubelet");
  found->set_message(text);
  if (generation > 0) {
    found->set_observed_generation(generation);
  }
}

void write_conditions(const PodStatusView& view, const core::PodSpec& spec,
                      const core::PodStatus& before, int64_t generation, Time now,
                      core::PodStatus& out) {
  out.clear_conditions();
  for (const core::PodCondition& condition : before.conditions()) {
    if (!is_own(condition)) {
      *out.add_conditions() = condition;
    }
  }
  if (view.disruption && !is_terminal_phase(before.phase())) {
    write_disruption(*view.disruption, generation, now, out);
  }
  for (const ConditionView& condition : view.conditions) {
    const bool gated = condition.type == "Ready" && spec.readiness_gates_size() > 0;
    *out.add_conditions() = own_condition(gated ? behind_gates(condition, spec, before) : condition,
                                          before, generation, now);
  }
}

// K-16: a terminal phase that others wrote wins; reason and message go with the phase.
void write_phase(const PodStatusView& view, core::PodStatus& out) {
  const bool keep = is_terminal_phase(out.phase());
  if (keep || (out.phase() == view.phase && view.reason.empty())) {
    return;
  }
  out.set_phase(view.phase);
  out.clear_reason();
  out.clear_message();
  if (!view.reason.empty()) {
    out.set_reason(view.reason);
  }
  if (!view.message.empty()) {
    out.set_message(view.message);
  }
}

void write_addresses(const PodStatusView& view, const StatusFacts& facts, core::PodStatus& out) {
  if (!facts.host_ip.empty()) {
    out.set_host_ip(facts.host_ip);
    out.clear_host_ips();
    out.add_host_ips()->set_ip(facts.host_ip);
  }
  if (view.has_address && !facts.pod_ip.empty()) {
    out.set_pod_ip(facts.pod_ip);
    out.clear_pod_ips();
    out.add_pod_ips()->set_ip(facts.pod_ip);
  }
}

void clear_generations(core::PodStatus& status) {
  status.clear_observed_generation();
  for (core::PodCondition& condition : *status.mutable_conditions()) {
    condition.clear_observed_generation();
  }
}

bool differ(const core::PodStatus& a, const core::PodStatus& b, bool by_generation) {
  if (by_generation) {
    return !google::protobuf::util::MessageDifferencer::Equals(a, b);
  }
  core::PodStatus plain_a = a;
  core::PodStatus plain_b = b;
  clear_generations(plain_a);
  clear_generations(plain_b);
  return !google::protobuf::util::MessageDifferencer::Equals(plain_a, plain_b);
}

// K-16, K-19: others ended the pod, and its containers have not stopped yet. Until they have there
// is no more to say than that it is not ready.
bool end_readiness(Time now, core::Pod& pod) {
  const char* reason = pod.status().phase() == "Succeeded" ? "PodCompleted" : "PodFailed";
  bool changed = false;
  for (core::PodCondition& condition : *pod.mutable_status()->mutable_conditions()) {
    const bool says_ready = condition.type() == "Ready" || condition.type() == "ContainersReady";
    if (says_ready && condition.status() == "True") {
      condition.set_status("False");
      condition.set_reason(reason);
      condition.clear_message();
      api::set_time(*condition.mutable_last_transition_time(), now);
      changed = true;
    }
  }
  return changed;
}

}  // namespace

bool apply_status(const PodStatusView& view, const StatusFacts& facts, api::Message& message) {
  auto& pod = static_cast<core::Pod&>(message);
  if (is_terminal_phase(pod.status().phase()) && !view.terminal()) {
    return end_readiness(facts.now, pod);
  }
  const core::PodStatus before = pod.status();
  const int64_t generation =
      view.generation > 0 ? view.generation : int64_t{pod.metadata().generation()};
  // KEP-5067: others wait for a change of the spec to be taken up. That a deletion was, they see by
  // itself, and so it alone is no reason to write (C-15).
  const bool by_generation = !pod.metadata().has_deletion_timestamp();
  core::PodStatus& out = *pod.mutable_status();
  write_phase(view, out);
  if (!out.has_start_time()) {
    api::set_time(*out.mutable_start_time(), facts.start_time);
  }
  if (generation > 0) {
    out.set_observed_generation(generation);
  }
  if (view.rejected) {
    return differ(before, out, by_generation);
  }
  write_conditions(view, pod.spec(), before, generation, facts.now, out);
  write_addresses(view, facts, out);
  out.clear_init_container_statuses();
  for (const ContainerStatusView& container : view.init_containers) {
    write_container(container, *out.add_init_container_statuses());
  }
  out.clear_container_statuses();
  for (const ContainerStatusView& container : view.containers) {
    write_container(container, *out.add_container_statuses());
  }
  return differ(before, out, by_generation);
}

}  // namespace windlass::node
