// api.md M137.
#include <algorithm>
#include <vector>

#include "apiserver/table/columns.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Node;

constexpr Column kNodeColumns[] = {
    kNameColumn,
    {"Status", "string", "", 0, "Whether the node is ready, and whether it takes new pods."},
    {"Roles", "string", "", 0, "Roles of the node, from its labels."},
    kAgeColumn,
    {"Version", "string", "", 0, "Version of the node agent."},
    {"Internal-IP", "string", "", 1, "Address inside the cluster."},
    {"External-IP", "string", "", 1, "Address outside of the cluster."},
    {"OS-Image", "string", "", 1, "Operating system of the node."},
    {"Kernel-Version", "string", "", 1, "Kernel of the node."},
    {"Container-Runtime", "string", "", 1, "What runs the containers."},
};

std::string status_of(const Node& node) {
  std::string status = "Unknown";
  for (const auto& condition : node.status().conditions()) {
    if (condition.type() == "Ready") {
      status = condition.status() == "True" ? "Ready" : "NotReady";
    }
  }
  return node.spec().unschedulable() ? status + ",SchedulingDisabled" : status;
}

std::string roles_of(const Node& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  for (const auto& [key, value] : node.metadata().labels()) {
    if (key.starts_with(kPrefix) && key.size() > kPrefix.size()) {
      roles.push_back(key.substr(kPrefix.size()));
    } else if (key == "kubernetes.io/role" && !value.empty()) {
      roles.push_back(value);
    }
  }
  std::ranges::sort(roles);
  std::string text;
  for (const std::string& role : roles) {
    text += (text.empty() ? "" : ",") + role;
  }
  return std::string(or_none(text));
}

std::string address_of(const Node& node, std::string_view type) {
  for (const auto& address : node.status().addresses()) {
    if (address.type() == type) {
      return address.address();
    }
  }
  return "<none>";
}

std::string_view or_unknown(const std::string& text) {
  return text.empty() ? "<unknown>" : std::string_view(text);
}

std::string kernel_text(const api::core::v1::NodeSystemInfo& info) {
  std::string text(or_unknown(info.kernel_version()));
  return info.architecture().empty() ? text : text + " (" + info.architecture() + ")";
}

void node_cells(const api::Message& object, Time now, JsonWriter& json) {
  const Node& node = static_cast<const Node&>(object);
  const auto& info = node.status().node_info();
  json.string(node.metadata().name()).string(status_of(node)).string(roles_of(node));
  json.string(age_of(node, now)).string(info.kubelet_version());
  json.string(address_of(node, "InternalIP")).string(address_of(node, "ExternalIP"));
  json.string(or_unknown(info.os_image())).string(kernel_text(info));
  json.string(or_unknown(info.container_runtime_version()));
}

}  // namespace

TableColumns node_columns() {
  return {kNodeColumns, &node_cells};
}

}  // namespace windlass::apiserver
