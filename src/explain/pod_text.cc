#include "explain/pod_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::explain {
namespace {

using api::core::v1::ContainerStatus;
using api::core::v1::Pod;

constexpr std::string_view kIndexAnnotation = "batch.kubernetes.io/job-completion-index";

void add_failures(const google::protobuf::RepeatedPtrField<ContainerStatus>& statuses,
                  std::vector<std::string>& texts) {
  for (const auto& status : statuses) {
    const auto& ended = status.state().terminated();
    if (!status.state().has_terminated() || ended.exit_code() == 0) {
      continue;
    }
    std::string text = fmt::format("container {} exited with {}", status.name(), ended.exit_code());
    // Error says no more than the exit code does.
    if (!ended.reason().empty() && ended.reason() != "Error") {
      text += fmt::format(" ({})", ended.reason());
    }
    if (const std::string message = one_line(ended.message()); !message.empty()) {
      text += ": " + message;
    }
    texts.push_back(std::move(text));
  }
}

std::string waiting_reason(const google::protobuf::RepeatedPtrField<ContainerStatus>& statuses) {
  for (const auto& status : statuses) {
    const auto& waiting = status.state().waiting();
    const bool is_usual = waiting.reason().empty() || waiting.reason() == "ContainerCreating" ||
                          waiting.reason() == "PodInitializing";
    if (is_usual && waiting.message().empty()) {
      continue;
    }
    if (is_usual) {  // our own nodes say that they pull the image
      return fmt::format("container {} waits: {}", status.name(), one_line(waiting.message()));
    }
    return fmt::format("container {} waits: {}{}{}", status.name(), waiting.reason(),
                       waiting.message().empty() ? "" : ": ", one_line(waiting.message()));
  }
  return "";
}

bool has_begun(const google::protobuf::RepeatedPtrField<ContainerStatus>& statuses) {
  return std::any_of(statuses.begin(), statuses.end(), [](const ContainerStatus& status) {
    return status.state().has_running() || status.state().has_terminated() ||
           status.last_state().has_terminated();
  });
}

}  // namespace

std::string pod_title(const Pod& pod) {
  const auto& annotations = pod.metadata().annotations();
  const auto index = annotations.find(std::string(kIndexAnnotation));
  if (index == annotations.end()) {
    return pod.metadata().name();
  }
  return fmt::format("{} (index {})", pod.metadata().name(), index->second);
}

std::string pod_failure_text(const Pod& pod) {
  std::vector<std::string> texts;
  if (!pod.status().reason().empty()) {
    texts.push_back(fmt::format("{}{}{}", pod.status().reason(),
                                pod.status().message().empty() ? "" : ": ",
                                one_line(pod.status().message())));
  }
  add_failures(pod.status().init_container_statuses(), texts);
  add_failures(pod.status().container_statuses(), texts);
  return texts.empty() ? "no container reports a reason"
                       : fmt::format("{}", fmt::join(texts, ", "));
}

std::string pod_waiting_text(const Pod& pod) {
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() == "PodScheduled" && condition.status() == "False") {
      return condition.message();
    }
  }
  const std::string waiting = waiting_reason(pod.status().init_container_statuses());
  return waiting.empty() ? waiting_reason(pod.status().container_statuses()) : waiting;
}

std::string failures_text(int64_t in_a_row, bool some_are_ignored) {
  return fmt::format("{} {} in a row{}", in_a_row, in_a_row == 1 ? "failure" : "failures",
                     some_are_ignored ? ", including ignored ones" : "");
}

bool is_silent(const Pod& pod) {
  return pod.status().phase() == "Pending" && !pod.spec().node_name().empty() &&
         pod_waiting_text(pod).empty() && !has_begun(pod.status().init_container_statuses()) &&
         !has_begun(pod.status().container_statuses());
}

std::string pod_unstarted_text(const Pod& pod) {
  const std::string& node = pod.spec().node_name();
  for (const auto& condition : pod.status().conditions()) {
    if (node.empty() && condition.type() == "PodScheduled") {
      // The scheduler has seen it and gave no message.
      return fmt::format("not scheduled{}{}", condition.reason().empty() ? "" : ": ",
                         one_line(condition.reason()));
    }
  }
  if (node.empty()) {
    return fmt::format("waiting for scheduler {}", pod.spec().scheduler_name());
  }
  const auto& inits = pod.status().init_container_statuses();
  // The newest: sidecars before it run, too.
  const auto running = std::find_if(inits.rbegin(), inits.rend(), [](const auto& status) {
    return status.state().has_running();
  });
  if (running != inits.rend()) {
    return fmt::format("init container {} is running", running->name());
  }
  const bool begun = has_begun(inits) || has_begun(pod.status().container_statuses());
  return fmt::format("node {} has not started {} yet", node, begun ? "all of it" : "it");
}

}  // namespace windlass::explain
