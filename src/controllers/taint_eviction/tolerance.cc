#include "controllers/taint_eviction/tolerance.h"

#include <algorithm>

#include "client/object_identity.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::taint_eviction {
namespace {

constexpr const char* kNoExecute = "NoExecute";
// Longer than any life: sums with it stay within Duration.
constexpr int64_t kMaxSeconds = 100LL * 365 * 24 * 3600;

std::vector<Toleration> read_tolerations(const api::core::v1::PodSpec& spec) {
  std::vector<Toleration> tolerations;
  for (const auto& toleration : spec.tolerations()) {
    if (toleration.effect().empty() || toleration.effect() == kNoExecute) {
      tolerations.push_back(
          {toleration.key(), toleration.operator_() == "Exists", toleration.value(),
           toleration.has_toleration_seconds() ? std::optional(toleration.toleration_seconds())
                                               : std::nullopt});
    }
  }
  return tolerations;
}

}  // namespace

NodeInfo read_node(const api::Message& message) {
  const auto& node = static_cast<const api::core::v1::Node&>(message);
  NodeInfo info{node.metadata().name()};
  for (const auto& taint : node.spec().taints()) {
    if (taint.effect() == kNoExecute) {
      info.taints.push_back({taint.key(), taint.value()});
    }
  }
  return info;
}

PodInfo read_pod(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  PodInfo info{client::key_of(pod), pod.metadata().namespace_(), pod.metadata().name(),
               pod.metadata().uid(), pod.spec().node_name()};
  if (info.node.empty()) {
    return info;  // T-11
  }
  info.tolerations = read_tolerations(pod.spec());
  return info;
}

bool is_current(const PodInfo& known, const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  if (known.node != pod.spec().node_name()) {
    return false;
  }
  return known.node.empty() || known.tolerations == read_tolerations(pod.spec());
}

bool tolerates(const Toleration& toleration, const Taint& taint) {
  if (toleration.key.empty()) {
    return toleration.exists;
  }
  return toleration.key == taint.key && (toleration.exists || toleration.value == taint.value);
}

Tolerance tolerance(const std::vector<Taint>& taints, const std::vector<Toleration>& tolerations) {
  std::optional<int64_t> least;
  for (const Taint& taint : taints) {
    const auto used = std::find_if(
        tolerations.begin(), tolerations.end(),
        [&taint](const Toleration& toleration) { return tolerates(toleration, taint); });
    if (used == tolerations.end()) {
      return {Tolerance::Kind::not_at_all};
    }
    if (used->seconds) {
      least = std::min(least.value_or(*used->seconds), *used->seconds);
    }
  }
  if (!least) {
    return {};
  }
  return {Tolerance::Kind::for_a_while, seconds(std::clamp<int64_t>(*least, 0, kMaxSeconds))};
}

}  // namespace windlass::controllers::taint_eviction
