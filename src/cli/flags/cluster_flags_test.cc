#include "cli/flags/cluster_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "virtual_world/virtual_files.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kConfigOfHost = R"(
current-context: c
contexts: [{name: c, context: {cluster: k}}]
clusters: [{name: k, cluster: {server: "https://HOST:6443"}}]
)";

void put_config(virtual_world::VirtualFiles& files, const std::string& path,
                const std::string& host) {
  std::string text = kConfigOfHost;
  files.put(path, text.replace(text.find("HOST"), 4, host));
}

// Which host is meant, or why none is.
std::string host_found(virtual_world::VirtualFiles& files, const ClusterFlags& flags,
                       const ClusterEnvironment& environment) {
  const auto access = find_cluster(files, flags, environment);
  return access ? access->server.host : access.error().message;
}

TEST(ClusterAccess, LooksInTheOrderOfControllers) {
  virtual_world::VirtualFiles files;
  put_config(files, "flag", "from-flag");
  put_config(files, "variable", "from-variable");
  put_config(files, "/users/u/.kube/config", "from-home");
  ClusterEnvironment environment{"variable", "from-pod",          "443",
                                 "/users/u", "/state/kubeconfig", {}};
  EXPECT_EQ(host_found(files, {"flag", ""}, environment), "from-flag");
  EXPECT_EQ(host_found(files, {}, environment), "from-variable");
  environment.kubeconfig.clear();
  EXPECT_EQ(host_found(files, {}, environment), "from-pod");
  environment.service_host.clear();
  EXPECT_EQ(host_found(files, {}, environment), "from-home");
  environment.home = "/nobody";
  EXPECT_EQ(host_found(files, {}, environment),
            "No cluster to talk to: no --kubeconfig, no $KUBECONFIG, no ~/.kube/config, and no "
            "`windlass up` is running");
  put_config(files, "/state/kubeconfig", "from-up");
  EXPECT_EQ(host_found(files, {}, environment), "from-up");
  environment.up_kubeconfig.clear();
  EXPECT_EQ(host_found(files, {}, environment),
            "No cluster to talk to: no --kubeconfig, no $KUBECONFIG, no ~/.kube/config");
  EXPECT_THAT(host_found(files, {"flag", "other"}, environment),
              HasSubstr("context \"other\" does not exist"));
}

TEST(ClusterAccess, AContextIsThatOfAKubeconfigAlsoInsideAPod) {
  virtual_world::VirtualFiles files;
  put_config(files, "/users/u/.kube/config", "from-home");
  ClusterEnvironment environment{"", "from-pod", "443", "/users/u", "", {}};
  EXPECT_EQ(host_found(files, {"", "c"}, environment), "from-home");
  EXPECT_THAT(host_found(files, {"", "other"}, environment),
              HasSubstr("context \"other\" does not exist"));
  environment.home = "/nobody";
  EXPECT_EQ(host_found(files, {"", "c"}, environment),
            "context \"c\" does not exist: no kubeconfig at /nobody/.kube/config");
}

TEST(ClusterAccess, TheProxyOfTheEnvironmentIsForWhoNamesNone) {
  virtual_world::VirtualFiles files;
  put_config(files, "plain", "h");
  files.put("proxied", R"(
current-context: c
contexts: [{name: c, context: {cluster: k}}]
clusters: [{name: k, cluster: {server: "https://h:6443", proxy-url: "socks5://own:1081"}}]
)");
  ClusterEnvironment environment;
  environment.proxy.https_proxy = "proxy:3128";
  const auto proxy_of = [&](const char* config) {
    const auto access = find_cluster(files, {config, ""}, environment);
    return !access         ? access.error().message
           : access->proxy ? access->proxy->server.authority()
                           : "";
  };
  EXPECT_EQ(proxy_of("plain"), "proxy:3128");
  EXPECT_EQ(proxy_of("proxied"), "own:1081");
  environment.proxy.no_proxy = "h";
  EXPECT_EQ(proxy_of("plain"), "");
  EXPECT_EQ(proxy_of("proxied"), "own:1081");
  environment.proxy = {"ftp://CANARY:x@p", "", ""};
  EXPECT_THAT(proxy_of("plain"), HasSubstr("HTTPS_PROXY: "));
  EXPECT_EQ(proxy_of("plain").find("CANARY"), std::string::npos);
}

}  // namespace
}  // namespace windlass::cli
