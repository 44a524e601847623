// For tests only: a scheduler on a simulated API server, whose requests can be refused, and the
// parts of a kubelet and of users that scheduling needs.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "api/codec/wire_time.h"
#include "apiserver/testing.h"
#include "client/object_identity.h"
#include "scheduler/scheduler.h"
#include "schema/core/v1/event.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::scheduler::testing {

using apiserver::testing::Node;
using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using Event = api::core::v1::Event;
using Condition = api::core::v1::PodCondition;
using PodDisruptionBudget = api::policy::v1::PodDisruptionBudget;

class SchedulerTest : public ::testing::Test {
 protected:
  void start(Scheduler::Options options = {}) {
    scheduler = std::make_unique<Scheduler>(
        client::ClientEnv{calls, api.world.executor(), api.world.clock(), api.world.random(),
                          api.world.log()},
        std::move(options));
    scheduler->start();
    settle();
  }
  void settle() { api.world.run_for(milliseconds(1)); }

  void add_node(const std::string& name, const std::string& cpu = "2",
                const std::string& labels = "", const std::string& ready = "True") {
    api.create_node(
        fmt::format("{{metadata: {{name: {}, labels: {{kubernetes.io/hostname: {}, {}}}}}, "
                    "status: {{allocatable: {{cpu: '{}', memory: 1Gi, pods: '10'}}, "
                    "conditions: [{{type: Ready, status: '{}'}}]}}}}",
                    name, name, labels, cpu, ready));
  }
  void change_node(const std::string& name, const std::function<void(Node&)>& change) {
    api.change<Node>(api::kinds::node(), "", name, "", change);
  }
  // `more` goes into the spec, `meta` into the metadata.
  void add_pod(const std::string& name, const std::string& cpu = "1", const std::string& more = "",
               const std::string& meta = "") {
    api.create_pod(
        fmt::format("{{metadata: {{name: {}, {}}}, spec: {{{} containers: [{{name: c, "
                    "image: i, resources: {{requests: {{cpu: '{}'}}}}}}]}}}}",
                    name, meta, more, cpu));
  }
  // Bound already, and running since so many seconds after 1970.
  void add_running(const std::string& name, const std::string& node, const std::string& cpu,
                   const std::string& more = "", const std::string& meta = "", int since = 1000) {
    add_pod(name, cpu, fmt::format("nodeName: {}, {}", node, more), meta);
    change_status(name, [since](Pod& pod) {
      pod.mutable_status()->set_phase("Running");
      api::set_time(*pod.mutable_status()->mutable_start_time(), time_from_unix(since));
    });
  }
  void change_status(const std::string& pod, const std::function<void(Pod&)>& change) {
    api.change<Pod>(api::kinds::pod(), "default", pod, "status", change);
  }
  void finish(const std::string& pod, const char* phase = "Succeeded") {
    change_status(pod, [phase](Pod& changed) { changed.mutable_status()->set_phase(phase); });
  }
  void add_budget(const std::string& app, int allowed, const std::string& ns = "default") {
    const api::Kind& kind = *api::find_resource("policy", "v1", "poddisruptionbudgets");
    api.create<PodDisruptionBudget>(
        kind, fmt::format("{{metadata: {{name: {}, namespace: {}}}, spec: {{minAvailable: 1, "
                          "selector: {{matchLabels: {{app: {}}}}}}}}}",
                          app, ns, app));
    api.change<PodDisruptionBudget>(kind, ns, app, "status", [allowed](PodDisruptionBudget& b) {
      b.mutable_status()->set_disruptions_allowed(allowed);
      b.mutable_status()->set_current_healthy(1);
      b.mutable_status()->set_desired_healthy(1);
      b.mutable_status()->set_expected_pods(1);
    });
  }

  std::string node_of(const std::string& pod) { return api.pod(pod)->spec().node_name(); }
  std::string nominated(const std::string& pod) {
    return api.pod(pod)->status().nominated_node_name();
  }
  bool is_deleting(const std::string& pod) {
    return api.pod(pod)->metadata().has_deletion_timestamp();
  }
  Condition condition(const std::string& pod, const std::string& type) {
    for (const auto& each : api.pod(pod)->status().conditions()) {
      if (each.type() == type) {
        return each;
      }
    }
    return {};
  }
  Condition scheduled(const std::string& pod) { return condition(pod, "PodScheduled"); }
  Condition target(const std::string& pod) { return condition(pod, "DisruptionTarget"); }
  // `Reason: message` of all events on a pod, in the order of their names.
  std::set<std::string> events(const std::string& pod) {
    std::set<std::string> texts;
    const auto list = api.server.list({&api::kinds::event(), "", "", ""}, {});
    for (const auto& object : list->items) {
      const auto event = api::object_as<Event>(object);
      if (event->involved_object().name() == pod) {
        texts.insert(event->type() + " " + event->reason() + ": " + event->message());
      }
    }
    return texts;
  }
  // `Reason action reporter instance` of all events on a pod that have the form of events.k8s.io.
  std::set<std::string> actions(const std::string& pod) {
    std::set<std::string> texts;
    const auto list = api.server.list({&api::kinds::event(), "", "", ""}, {});
    for (const auto& object : list->items) {
      const auto event = api::object_as<Event>(object);
      if (event->involved_object().name() == pod && event->has_event_time() &&
          !event->has_source() && !event->has_count()) {
        texts.insert(fmt::format("{} {} {} {}", event->reason(), event->action(),
                                 event->reporting_component(), event->reporting_instance()));
      }
    }
    return texts;
  }
  size_t preempted_events(const std::string& pod) {
    size_t count = 0;
    for (const std::string& text : events(pod)) {
      count += text.starts_with("Normal Preempted: ") ? 1U : 0U;
    }
    return count;
  }

  SimulatedApi api;
  client::InterceptingClient calls{api.client, api.world.executor()};
  std::unique_ptr<Scheduler> scheduler;
};

}  // namespace windlass::scheduler::testing
