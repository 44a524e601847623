// What components read of a Node's conditions and taints, and how a pod's tolerations match taints
// (disruption.md S-9, T-3). Each component keeps what it needs of it. Plain values and pure
// functions; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::api::core::v1 {
class Node;
class NodeCondition;
class PodSpec;
}  // namespace windlass::api::core::v1

namespace windlass::api {

inline constexpr std::string_view kNoSchedule = "NoSchedule";
inline constexpr std::string_view kNoExecute = "NoExecute";
inline constexpr std::string_view kNotReadyTaint = "node.kubernetes.io/not-ready";
inline constexpr std::string_view kUnreachableTaint = "node.kubernetes.io/unreachable";

// The status of the condition Ready.
enum class NodeReady { never_posted, yes, no, unknown };

NodeReady node_ready(const core::v1::Node& node);
// Null when the node has no condition of this type.
const core::v1::NodeCondition* find_node_condition(const core::v1::Node& node,
                                                   std::string_view type);

struct Taint {
  std::string key = {};
  std::string value = {};
  std::string effect = {};  // NoSchedule, PreferNoSchedule, NoExecute

  bool operator==(const Taint&) const = default;
};

struct Toleration {
  std::string key = {};  // "" with Exists: every key
  bool exists = false;
  std::string value = {};
  std::string effect = {};              // "": every effect
  std::optional<int64_t> seconds = {};  // absent: for ever

  bool operator==(const Toleration&) const = default;
};

std::vector<Taint> read_taints(const core::v1::Node& node);
std::vector<Toleration> read_tolerations(const core::v1::PodSpec& spec);
// `effect` is "" for every effect.
bool has_taint(const core::v1::Node& node, std::string_view key, std::string_view effect = {});

bool tolerates(const Toleration& toleration, const Taint& taint);

}  // namespace windlass::api
