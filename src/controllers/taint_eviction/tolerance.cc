#include "controllers/taint_eviction/tolerance.h"

#include <algorithm>

#include "client/object_identity.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::controllers::taint_eviction {
namespace {

// Longer than any life: sums with it stay within Duration.
constexpr int64_t kMaxSeconds = 100LL * 365 * 24 * 3600;

std::vector<Toleration> no_execute_tolerations(const api::core::v1::PodSpec& spec) {
  std::vector<Toleration> tolerations = api::read_tolerations(spec);
  std::erase_if(tolerations, [](const Toleration& toleration) {
    return !toleration.effect.empty() && toleration.effect != api::kNoExecute;
  });
  return tolerations;
}

}  // namespace

TaintedNode read_node(const api::Message& message) {
  const auto& node = static_cast<const api::core::v1::Node&>(message);
  TaintedNode info{node.metadata().name(), api::read_taints(node)};
  std::erase_if(info.taints, [](const Taint& taint) { return taint.effect != api::kNoExecute; });
  return info;
}

ToleratingPod read_pod(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  ToleratingPod info{client::key_of(pod), pod.metadata().namespace_(), pod.metadata().name(),
                     pod.metadata().uid(), pod.spec().node_name()};
  if (info.node.empty()) {
    return info;  // T-11
  }
  info.tolerations = no_execute_tolerations(pod.spec());
  return info;
}

bool is_current(const ToleratingPod& known, const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  if (known.node != pod.spec().node_name()) {
    return false;
  }
  return known.node.empty() || known.tolerations == no_execute_tolerations(pod.spec());
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
