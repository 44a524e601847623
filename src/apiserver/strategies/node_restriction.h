// What the credential of a node may not write into the objects that it may write: the rules of
// Kubernetes' admission plugin NodeRestriction. Which objects those are is in auth/authorizer.h.
// A node that could change its own taints and labels would draw pods to itself, with the Secrets
// that they name. Pure; any thread.
#pragma once

#include <string_view>

#include "api/object.h"
#include "base/result.h"
#include "client/api_client.h"

namespace windlass::apiserver {

// Labels of kubernetes.io and k8s.io are the cluster's, except for those that say what the node is
// (hostname, os, arch, zone, ...) and those of kubelet.kubernetes.io and node.kubernetes.io.
bool node_may_set_label(std::string_view key);

// `object` as the node `node` wants to have it, before the server fills in or restores anything;
// `old` is nullptr on create. 403 for what is not the node's to decide.
Result<void> restrict_node_write(const client::ObjectRef& ref, std::string_view node,
                                 const api::Message& object, const api::Message* old);

}  // namespace windlass::apiserver
