// api.md M134, M136; the status column is in pod_summary.h.
#include <fmt/format.h>

#include "apiserver/table/columns.h"
#include "apiserver/table/pod_summary.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Pod;

constexpr Column kPodColumns[] = {
    kNameColumn,
    {"Ready", "string", "", 0, "Containers that are ready, and how many there are."},
    {"Status", "string", "", 0, "What the pod is doing, or why it is not."},
    {"Restarts", "string", "", 0, "How often containers were restarted, and when last."},
    kAgeColumn,
    {"IP", "string", "", 1, "Address of the pod."},
    {"Node", "string", "", 1, "Node that the pod is bound to."},
    {"Nominated Node", "string", "", 1, "Node where room is being made for the pod."},
    {"Readiness Gates", "string", "", 1, "Gates that hold, and how many there are."},
};

std::string restarts_text(const PodSummary& summary, Time now) {
  if (summary.restarts == 0 || !summary.last_restart) {
    return std::to_string(summary.restarts);
  }
  return fmt::format("{} ({} ago)", summary.restarts, human_duration(now - *summary.last_restart));
}

std::string readiness_gates(const Pod& pod) {
  if (pod.spec().readiness_gates().empty()) {
    return "<none>";
  }
  int holding = 0;
  for (const auto& gate : pod.spec().readiness_gates()) {
    for (const auto& condition : pod.status().conditions()) {
      holding += condition.type() == gate.condition_type() && condition.status() == "True" ? 1 : 0;
    }
  }
  return fmt::format("{}/{}", holding, pod.spec().readiness_gates_size());
}

void pod_cells(const api::Message& object, Time now, JsonWriter& json) {
  const Pod& pod = static_cast<const Pod&>(object);
  const PodSummary summary = summarize_pod(pod);
  json.string(pod.metadata().name()).string(fmt::format("{}/{}", summary.ready, summary.total));
  json.string(summary.status).string(restarts_text(summary, now)).string(age_of(pod, now));
  json.string(or_none(pod.status().pod_ip())).string(or_none(pod.spec().node_name()));
  json.string(or_none(pod.status().nominated_node_name())).string(readiness_gates(pod));
}

// A pod that has ended is marked, so that clients can hide it.
void conditions(const api::Message& object, JsonWriter& json) {
  const std::string& phase = static_cast<const Pod&>(object).status().phase();
  if (phase != "Succeeded" && phase != "Failed") {
    return;
  }
  json.key("conditions").open_list().open_object();
  json.member("type", "Completed").member("status", "True").member("reason", phase);
  json.member("message",
              phase == "Failed" ? "The pod failed." : "The pod has completed successfully.");
  json.close_object().close_list();
}

}  // namespace

TableColumns pod_columns() {
  return {kPodColumns, &pod_cells, &conditions};
}

}  // namespace windlass::apiserver
