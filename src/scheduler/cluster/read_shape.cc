#include "scheduler/cluster/read_shape.h"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>

#include "placement/needs.h"
#include "scheduler/cluster/read_affinity.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {
namespace {

namespace core = api::core::v1;

// S-15: what a container counts for that asks for nothing.
constexpr int64_t kScoredMilliCpu = 100;
constexpr int64_t kScoredMemory = 200LL << 20;
// Scores are added up for every pod of a node; more than this is more than any node has.
constexpr int64_t kMaxScored = int64_t{1} << 50;

// What shapes look at of a container, and no more.
void copy_needs(const core::Container& from, core::Container& to) {
  *to.mutable_resources()->mutable_requests() = from.resources().requests();
  to.set_restart_policy(from.restart_policy());
  for (const core::ContainerPort& port : from.ports()) {
    if (port.host_port() > 0) {
      *to.add_ports() = port;
      to.mutable_ports(to.ports_size() - 1)->clear_name();
    }
  }
}

// Terms that look at pods depend on the namespace, and on labels that they name.
void append_context(const core::Pod& pod, std::string& key) {
  const core::PodSpec& spec = pod.spec();
  if (!spec.affinity().has_pod_affinity() && !spec.affinity().has_pod_anti_affinity() &&
      spec.topology_spread_constraints().empty()) {
    return;
  }
  key.append(1, '\0').append(pod.metadata().namespace_());
  for (const std::string& name : named_labels(spec)) {
    const auto found = pod.metadata().labels().find(name);
    key.append(1, '\0').append(name).append(1, '=');
    key.append(found == pod.metadata().labels().end() ? "" : found->second);
  }
}

int pod_terms(const core::PodSpec& spec) {
  const auto count = [](const auto& affinity) {
    return affinity.required_during_scheduling_ignored_during_execution_size() +
           affinity.preferred_during_scheduling_ignored_during_execution_size();
  };
  return count(spec.affinity().pod_affinity()) + count(spec.affinity().pod_anti_affinity()) +
         spec.topology_spread_constraints_size();
}

// A term without requirements counts as one: it is looked at, too.
int node_requirements(const core::PodSpec& spec, const Resources& requests) {
  const auto count = [](const core::NodeSelectorTerm& term) {
    return 1 + term.match_expressions_size() + term.match_fields_size();
  };
  int sum = static_cast<int>(spec.node_selector().size() + requests.extended.size()) +
            spec.tolerations_size();
  const core::NodeAffinity& affinity = spec.affinity().node_affinity();
  for (const auto& term :
       affinity.required_during_scheduling_ignored_during_execution().node_selector_terms()) {
    sum += count(term);
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution()) {
    sum += count(term.preference());
  }
  return sum;
}

}  // namespace

std::string shape_key(const core::Pod& pod) {
  const core::PodSpec& spec = pod.spec();
  core::PodSpec needs;
  needs.set_priority(spec.priority());
  needs.set_preemption_policy(spec.preemption_policy());
  *needs.mutable_node_selector() = spec.node_selector();
  *needs.mutable_tolerations() = spec.tolerations();
  *needs.mutable_overhead() = spec.overhead();
  *needs.mutable_topology_spread_constraints() = spec.topology_spread_constraints();
  if (spec.has_affinity()) {
    *needs.mutable_affinity() = spec.affinity();
  }
  for (const core::Container& container : spec.init_containers()) {
    copy_needs(container, *needs.add_init_containers());
  }
  for (const core::Container& container : spec.containers()) {
    copy_needs(container, *needs.add_containers());
  }
  std::string key;
  {
    // Maps have no order of their own.
    google::protobuf::io::StringOutputStream text(&key);
    google::protobuf::io::CodedOutputStream coded(&text);
    coded.SetSerializationDeterministic(true);
    needs.SerializePartialToCodedStream(&coded);
  }
  append_context(pod, key);
  return key;
}

PodShape read_shape(const core::Pod& pod) {
  const core::PodSpec& spec = pod.spec();
  PodShape shape;
  shape.priority = spec.priority();
  shape.never_preempts = spec.preemption_policy() == "Never";
  static_cast<placement::PodNeeds&>(shape) = placement::read_needs(pod);
  const Resources scored = placement::requests_of(spec, {kScoredMilliCpu, kScoredMemory});
  shape.scored_milli_cpu = std::min(scored.milli_cpu, kMaxScored);
  shape.scored_memory = std::min(scored.memory, kMaxScored);
  if (pod_terms(spec) > kMaxPodTerms ||
      node_requirements(spec, shape.requests) > kMaxNodeRequirements) {
    shape.asks_too_much = true;
    shape.required_nodes.reset();
    shape.node_selector.clear();
    shape.tolerations.clear();
    return shape;
  }
  read_node_affinity(spec.affinity().node_affinity(), shape);
  read_pod_affinity(pod, shape);
  read_spread(pod, shape);
  return shape;
}

}  // namespace windlass::scheduler
