// For tests only: pods and nodes of the scheduler's picture, made from a few words.
#pragma once

#include <string>
#include <vector>

#include "api/pod/pod_testing.h"
#include "scheduler/cluster/cluster.h"
#include "scheduler/cluster/projection.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler::testing {

inline NodeInfo make_node(std::string name, int64_t milli_cpu = 2000, int64_t max_pods = 110) {
  NodeInfo info;
  info.name = std::move(name);
  info.labels = {{"kubernetes.io/hostname", info.name}};
  info.allocatable.milli_cpu = milli_cpu;
  info.allocatable.memory = int64_t{1} << 30;
  info.max_pods = max_pods;
  return info;
}

inline PodShape cpu_shape(int64_t milli_cpu, int32_t priority = 0) {
  static uint64_t last_id = 1'000'000;
  PodShape shape;
  shape.id = ++last_id;
  shape.priority = priority;
  shape.requests.milli_cpu = milli_cpu;
  shape.scored_milli_cpu = milli_cpu;
  return shape;
}

inline PodPtr make_pod(const std::string& uid, PodShape shape, Labels labels = {}) {
  auto pod = std::make_shared<PodInfo>();
  pod->ns = "default";
  pod->name = uid;
  pod->uid = uid;
  pod->labels = std::move(labels);
  pod->shape = std::make_shared<PodShape>(std::move(shape));
  return pod;
}

inline PodPtr on_node(const PodPtr& pod, const std::string& node) {
  auto bound = std::make_shared<PodInfo>(*pod);
  bound->node = node;
  return bound;
}

// A pod of namespace default from the text of its spec.
inline PodPtr spec_pod(const std::string& uid, const std::string& spec, Labels labels = {}) {
  static ShapeTable shapes;
  auto message = api::testing::from_yaml<api::core::v1::Pod>("{spec: {" + spec + "}}");
  message.mutable_metadata()->set_namespace_("default");
  message.mutable_metadata()->set_name(uid);
  message.mutable_metadata()->set_uid(uid);
  message.mutable_metadata()->mutable_labels()->insert(labels.begin(), labels.end());
  return read_pod(message, shapes);
}

}  // namespace windlass::scheduler::testing
