// Which cluster a command talks to: --kubeconfig, $KUBECONFIG, the cluster of the pod it runs in,
// ~/.kube/config, in the order in which controllers look, and last the `windlass up` of this user.
// --context asks for a kubeconfig, also inside a pod. A proxy in the kubeconfig takes precedence
// over one in the environment.
#pragma once

#include <optional>
#include <string>

#include "cli/flags/flags.h"
#include "cli/output/output.h"
#include "env/files.h"
#include "remote/cluster_access.h"
#include "remote/transport/environment_proxy.h"

namespace windlass::cli {

struct ClusterFlags {
  std::string kubeconfig = {};
  std::string context = {};
};

// Whether the `windlass up` of this user is a cluster to fall back to. A second Job controller
// beside the one of `windlass up` is never wanted by default.
enum class LocalCluster { no, yes };

void declare_cluster_flags(Flags& flags, ClusterFlags& cluster, LocalCluster local);

// -n, for commands that watch all namespaces unless one is named.
void declare_namespace_filter(Flags& flags, std::string& ns);

// What the environment says.
struct ClusterEnvironment {
  std::string kubeconfig = {};     // $KUBECONFIG
  std::string service_host = {};   // $KUBERNETES_SERVICE_HOST
  std::string service_port = {};   // $KUBERNETES_SERVICE_PORT
  std::string home = {};           // $HOME
  std::string up_kubeconfig = {};  // that of `windlass up` in its default directory; "" is none
  remote::ProxyEnvironment proxy = {};
};

Result<remote::ClusterAccess> find_cluster(env::Files& files, const ClusterFlags& cluster,
                                           const ClusterEnvironment& environment);

}  // namespace windlass::cli
