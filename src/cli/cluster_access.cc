#include "cli/cluster_access.h"

#include <fmt/format.h>

#include "remote/kubeconfig.h"

namespace windlass::cli {
namespace {

// Its kubeconfig stays when it stops; a client that then finds no server says so.
Result<remote::Access> find_up(env::Files& files, const std::string& kubeconfig) {
  if (!kubeconfig.empty() && files.type(kubeconfig)) {
    return remote::load_kubeconfig(files, {kubeconfig}, "");
  }
  return fail(plain_error(
      fmt::format("No cluster to talk to: no --kubeconfig, no $KUBECONFIG, no ~/.kube/config{}",
                  kubeconfig.empty() ? "" : ", and no `windlass up` is running")));
}

Result<remote::Access> find_named(env::Files& files, const ClusterFlags& options,
                                  const ClusterEnvironment& environment) {
  if (!options.kubeconfig.empty()) {
    return remote::load_kubeconfig(files, {options.kubeconfig}, options.context);
  }
  if (!environment.kubeconfig.empty()) {
    return remote::load_kubeconfig(files, remote::split_paths(environment.kubeconfig),
                                   options.context);
  }
  const std::string own = environment.home + "/.kube/config";
  const bool is_there = files.type(own).has_value();
  // Who names a context means a kubeconfig, also inside a pod.
  if (!options.context.empty() && !is_there) {
    return fail(plain_error(
        fmt::format("context \"{}\" does not exist: there is no {}", options.context, own)));
  }
  if (!is_there && environment.service_host.empty()) {
    return find_up(files, environment.up_kubeconfig);
  }
  if (options.context.empty() && !environment.service_host.empty()) {
    remote::InClusterSource source;
    source.host = environment.service_host;
    source.port = environment.service_port;
    return remote::in_cluster_access(files, source);
  }
  return remote::load_kubeconfig(files, {own}, options.context);
}

}  // namespace

Result<remote::Access> find_cluster(env::Files& files, const ClusterFlags& options,
                                    const ClusterEnvironment& environment) {
  TRY(remote::Access access, find_named(files, options, environment));
  if (!access.proxy) {
    TRY(access.proxy, remote::proxy_from_environment(access.server, environment.proxy));
  }
  return access;
}

}  // namespace windlass::cli
