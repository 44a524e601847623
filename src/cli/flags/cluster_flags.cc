#include "cli/flags/cluster_flags.h"

#include <fmt/format.h>

#include "remote/kubeconfig.h"

namespace windlass::cli {
namespace {

// The kubeconfig stays when `windlass up` stops; the client then reports that no server answers.
Result<remote::ClusterAccess> find_up(env::Files& files, const std::string& kubeconfig) {
  if (!kubeconfig.empty() && files.type(kubeconfig)) {
    return remote::load_kubeconfig(files, {kubeconfig}, "");
  }
  return fail(plain_error(
      fmt::format("No cluster to talk to: no --kubeconfig, no $KUBECONFIG, no ~/.kube/config{}",
                  kubeconfig.empty() ? "" : ", and no `windlass up` is running")));
}

Result<remote::ClusterAccess> find_named(env::Files& files, const ClusterFlags& cluster,
                                         const ClusterEnvironment& environment) {
  if (!cluster.kubeconfig.empty()) {
    return remote::load_kubeconfig(files, {cluster.kubeconfig}, cluster.context);
  }
  if (!environment.kubeconfig.empty()) {
    return remote::load_kubeconfig(files, remote::split_paths(environment.kubeconfig),
                                   cluster.context);
  }
  const std::string own = environment.home + "/.kube/config";
  const bool is_there = files.type(own).has_value();
  // A context is one of a kubeconfig, also inside a pod.
  if (!cluster.context.empty() && !is_there) {
    return fail(plain_error(
        fmt::format("context \"{}\" does not exist: no kubeconfig at {}", cluster.context, own)));
  }
  if (!is_there && environment.service_host.empty()) {
    return find_up(files, environment.up_kubeconfig);
  }
  if (cluster.context.empty() && !environment.service_host.empty()) {
    remote::InClusterSource source;
    source.host = environment.service_host;
    source.port = environment.service_port;
    return remote::in_cluster_access(files, source);
  }
  return remote::load_kubeconfig(files, {own}, cluster.context);
}

}  // namespace

void declare_cluster_flags(Flags& flags, ClusterFlags& cluster, LocalCluster local) {
  flags.text("--kubeconfig FILE", cluster.kubeconfig,
             local == LocalCluster::yes
                 ? "Kubeconfig file (default: $KUBECONFIG, the service account of the pod, "
                   "~/.kube/config, or that of a running `windlass up`)"
                 : "Kubeconfig file (default: $KUBECONFIG, the service account of the pod, or "
                   "~/.kube/config)");
  flags.text("--context NAME", cluster.context,
             "Context to use (default: the kubeconfig's current context)");
}

void declare_namespace_filter(Flags& flags, std::string& ns) {
  flags.text("-n,--namespace NAME", ns, "Only Jobs of this namespace (default: all namespaces)");
}

Result<remote::ClusterAccess> find_cluster(env::Files& files, const ClusterFlags& cluster,
                                           const ClusterEnvironment& environment) {
  TRY(remote::ClusterAccess access, find_named(files, cluster, environment));
  if (!access.proxy) {
    TRY(access.proxy, remote::proxy_from_environment(access.server, environment.proxy));
  }
  return access;
}

}  // namespace windlass::cli
