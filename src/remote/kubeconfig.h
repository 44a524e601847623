// kubeconfig files as kubectl reads them: contexts, clusters, users. What this program cannot do
// (auth providers, passwords) is an error that says so, never left out silently.
//
// Reads files through env; no network.
#pragma once

#include <string>
#include <vector>

#include "env/files.h"
#include "remote/cluster_access.h"

namespace windlass::remote {

inline constexpr size_t kMaxKubeconfigBytes = size_t{4} * 1024 * 1024;

// The files are looked through in order, the first to name something wins (as $KUBECONFIG has it).
// Of several those that are not there are left out, as kubectl does, unless that is all of them. An
// empty context is the current one.
Result<ClusterAccess> load_kubeconfig(env::Files& files, const std::vector<std::string>& paths,
                                      const std::string& context);

// `a:b` as $KUBECONFIG has it; empty entries are dropped.
std::vector<std::string> split_paths(std::string_view text);

// What every pod finds in its environment and its file system.
struct InClusterSource {
  std::string host;  // $KUBERNETES_SERVICE_HOST
  std::string port;  // $KUBERNETES_SERVICE_PORT
  std::string directory = "/var/run/secrets/kubernetes.io/serviceaccount";
};
Result<ClusterAccess> in_cluster_access(env::Files& files, const InClusterSource& source);

}  // namespace windlass::remote
