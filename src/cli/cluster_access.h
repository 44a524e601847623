// Which cluster a command means: --kubeconfig, $KUBECONFIG, the cluster this is a pod of,
// ~/.kube/config, in the order in which controllers look, and last the `windlass up` of this user.
// --context means a kubeconfig, and passes the pod over. A proxy that the kubeconfig names goes
// before one of the environment.
#pragma once

#include <string>

#include "env/files.h"
#include "remote/access.h"
#include "remote/environment_proxy.h"

namespace windlass::cli {

// The flags.
struct ClusterFlags {
  std::string kubeconfig = {};
  std::string context = {};
};

// What the environment says.
struct ClusterEnvironment {
  std::string kubeconfig = {};     // $KUBECONFIG
  std::string service_host = {};   // $KUBERNETES_SERVICE_HOST
  std::string service_port = {};   // $KUBERNETES_SERVICE_PORT
  std::string home = {};           // $HOME
  std::string up_kubeconfig = {};  // that of `windlass up` in its default directory; "" is none
  remote::ProxyEnvironment proxy = {};
};

Result<remote::Access> find_cluster(env::Files& files, const ClusterFlags& options,
                                    const ClusterEnvironment& environment);

}  // namespace windlass::cli
