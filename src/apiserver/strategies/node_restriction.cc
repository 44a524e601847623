#include "apiserver/strategies/node_restriction.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

#include "api/equality.h"
#include "apiserver/verbs/request_errors.h"
#include "base/quote.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Node;
using api::core::v1::Pod;
using api::meta::v1::ObjectMeta;

constexpr std::string_view kDescribingLabels[] = {
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
    "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/instance-type",
};

bool is_domain_or_below(std::string_view domain, std::string_view parent) {
  return domain == parent || (domain.size() > parent.size() && domain.ends_with(parent) &&
                              domain[domain.size() - parent.size() - 1] == '.');
}

template <class Map>
bool has_same_value(const Map& map, const std::string& key, const std::string& value) {
  const auto found = map.find(key);
  return found != map.end() && found->second == value;
}

// The keys that are new, gone, or have another value; in order.
template <class Map>
std::set<std::string> changed_keys(const Map& old, const Map& now) {
  std::set<std::string> keys;
  for (const auto& [key, value] : now) {
    if (!has_same_value(old, key, value)) {
      keys.insert(key);
    }
  }
  for (const auto& [key, value] : old) {
    if (now.find(key) == now.end()) {
      keys.insert(key);
    }
  }
  return keys;
}

// Separated by commas.
std::string forbidden_labels(const ObjectMeta& old, const ObjectMeta& now) {
  std::string list;
  for (const std::string& key : changed_keys(old.labels(), now.labels())) {
    if (!node_may_set_label(key)) {
      list += (list.empty() ? "" : ", ") + key;
    }
  }
  return list;
}

template <class Messages>
bool same_messages(const Messages& a, const Messages& b) {
  return std::equal(
      a.begin(), a.end(), b.begin(), b.end(),
      [](const auto& left, const auto& right) { return api::semantically_equal(left, right); });
}

// Why not, or "".
std::string why_not_node(std::string_view node, const Node& object, const Node* old) {
  const std::string who = "node " + quote(node);
  const ObjectMeta& before = old == nullptr ? ObjectMeta::default_instance() : old->metadata();
  const std::string labels = forbidden_labels(before, object.metadata());
  if (!labels.empty()) {
    return old == nullptr ? who + " is not allowed to set the following labels: " + labels
                          : "is not allowed to modify labels: " + labels;
  }
  // A node may register with taints, but not change them afterwards.
  if (old != nullptr && !same_messages(old->spec().taints(), object.spec().taints())) {
    return who + " is not allowed to modify taints";
  }
  // The garbage collector would delete a node with an owner that is gone, and the node could then
  // register anew without the taints and labels that it was given.
  if (!same_messages(before.owner_references(), object.metadata().owner_references())) {
    return who + " is not allowed to modify ownerReferences";
  }
  return "";
}

std::string why_not_pod_status(std::string_view node, const Pod& pod, const Pod& old) {
  const std::string who = "node " + quote(node);
  const ObjectMeta& before = old.metadata();
  const ObjectMeta& now = pod.metadata();
  if (!changed_keys(before.labels(), now.labels()).empty()) {
    return who + " cannot update labels through pod status";
  }
  // Kubernetes lets these two pass. A Job counts its pods by a finalizer, and knows their index by
  // an annotation; neither is a node's to say.
  if (!changed_keys(before.annotations(), now.annotations()).empty()) {
    return who + " cannot update annotations through pod status";
  }
  if (!std::ranges::equal(before.finalizers(), now.finalizers())) {
    return who + " cannot update finalizers through pod status";
  }
  if (!same_messages(old.status().resource_claim_statuses(),
                     pod.status().resource_claim_statuses())) {
    return who + " cannot update resource claim statues";
  }
  if (!api::semantically_equal(old.status().extended_resource_claim_status(),
                               pod.status().extended_resource_claim_status())) {
    return who + " cannot update extended resource claim status";
  }
  return "";
}

}  // namespace

bool node_may_set_label(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) {
    return true;
  }
  const std::string_view domain = key.substr(0, slash);
  if (!is_domain_or_below(domain, "kubernetes.io") && !is_domain_or_below(domain, "k8s.io")) {
    return true;
  }
  if (is_domain_or_below(domain, "node-restriction.kubernetes.io")) {
    return false;
  }
  return std::ranges::find(kDescribingLabels, key) != std::end(kDescribingLabels) ||
         is_domain_or_below(domain, "kubelet.kubernetes.io") ||
         is_domain_or_below(domain, "node.kubernetes.io");
}

Result<void> restrict_node_write(const client::ObjectRef& ref, std::string_view node,
                                 const api::Message& object, const api::Message* old) {
  std::string why;
  if (ref.kind == &api::kinds::node()) {
    why = why_not_node(node, static_cast<const Node&>(object), static_cast<const Node*>(old));
  } else if (ref.kind == &api::kinds::pod()) {
    why = old == nullptr ? "node " + quote(node) + " cannot create pods"
                         : why_not_pod_status(node, static_cast<const Pod&>(object),
                                              static_cast<const Pod&>(*old));
  }
  if (!why.empty()) {
    return fail(forbidden(resource_name(ref), why));
  }
  return {};
}

}  // namespace windlass::apiserver
