#include "remote/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "virtual_world/virtual_files.h"

namespace windlass::remote {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTwoClusters = R"(
apiVersion: v1
kind: Config
current-context: dev
contexts:
- {name: dev, context: {cluster: dev, user: cert, namespace: team-a}}
- {name: prod, context: {cluster: prod, user: token}}
- {name: lax, context: {cluster: lax, user: file}}
- {name: gone, context: {cluster: nowhere, user: cert}}
- {name: exec, context: {cluster: dev, user: exec}}
- {name: proxied, context: {cluster: proxied}}
- {name: open, context: {cluster: open, user: token}}
- {name: half, context: {cluster: dev, user: half}}
clusters:
- {name: dev, cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: UEVN}}
- {name: prod, cluster: {server: "https://api.example.com/base/", certificate-authority: ca.crt, tls-server-name: kubernetes}}
- {name: lax, cluster: {server: "https://[::1]:1", insecure-skip-tls-verify: true}}
- {name: proxied, cluster: {server: "https://h", proxy-url: "ftp://p"}}
- {name: open, cluster: {server: "http://h"}}
users:
- {name: cert, user: {client-certificate-data: Q0VSVA==, client-key: /etc/key.pem}}
- {name: token, user: {token: t0ken}}
- {name: file, user: {tokenFile: secret/token, token: ignored}}
- {name: exec, user: {exec: {command: aws}}}
- {name: half, user: {client-certificate-data: Q0VSVA==}}
)";

class KubeconfigFile : public ::testing::Test {
 protected:
  KubeconfigFile() { files_.put("home/config", kTwoClusters); }
  Result<ClusterAccess> load(const std::string& context) {
    return load_kubeconfig(files_, {"home/config"}, context);
  }
  std::string error(const std::string& context) {
    const auto access = load(context);
    return access ? "" : access.error().message;
  }
  virtual_world::VirtualFiles files_;
};

TEST_F(KubeconfigFile, SaysWhereAndWho) {
  const auto dev = load("");
  ASSERT_TRUE(dev.has_value()) << dev.error().message;
  EXPECT_EQ(dev->context, "dev");
  EXPECT_EQ(dev->server.text(), "https://127.0.0.1:6443");
  EXPECT_EQ(dev->ns, "team-a");
  EXPECT_EQ(dev->authority_pem, "PEM");
  EXPECT_EQ(dev->certificate_pem, "CERT");
  EXPECT_EQ(dev->key_file, "/etc/key.pem");
  EXPECT_TRUE(dev->verify);

  const auto prod = load("prod");
  ASSERT_TRUE(prod.has_value()) << prod.error().message;
  EXPECT_EQ(prod->server.text(), "https://api.example.com:443/base");
  EXPECT_EQ(prod->authority_file, "home/ca.crt");
  EXPECT_EQ(prod->tls_server_name, "kubernetes");
  EXPECT_EQ(prod->token, "t0ken");
  EXPECT_EQ(prod->ns, "default");

  const auto lax = load("lax");
  ASSERT_TRUE(lax.has_value()) << lax.error().message;
  EXPECT_FALSE(lax->verify);
  EXPECT_EQ(lax->server.host, "::1");
  EXPECT_EQ(lax->token_file, "home/secret/token");
  EXPECT_EQ(lax->token, "");
}

TEST_F(KubeconfigFile, RefusesWhatItCannotDo) {
  EXPECT_THAT(error("nobody"), HasSubstr("context \"nobody\" does not exist"));
  EXPECT_THAT(error("gone"), HasSubstr("cluster \"nowhere\""));
  EXPECT_THAT(error("exec"), HasSubstr("exec.apiVersion \"\": only client.authentication"));
  EXPECT_THAT(error("proxied"), HasSubstr("only proxies at http://"));
  EXPECT_THAT(error("open"), HasSubstr("never sent to a server without TLS"));
  EXPECT_THAT(error("half"), HasSubstr("go together"));
  EXPECT_THAT(load_kubeconfig(files_, {"home/none"}, "").error().message, HasSubstr("home/none"));
}

TEST_F(KubeconfigFile, ReadsExecPlugins) {
  const auto plugin = [this](const std::string& exec) {
    files_.put("home/exec",
               "current-context: c\n"
               "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
               "clusters:\n- name: k\n  cluster:\n    server: https://k\n"
               "    certificate-authority-data: Q0E=\n"
               "    extensions: [{name: client.authentication.k8s.io/exec, extension: {a: b}}]\n"
               "users: [{name: u, user: {exec: {" +
                   exec + "}}}]\n");
    return load_kubeconfig(files_, {"home/exec"}, "");
  };
  const std::string version = "apiVersion: client.authentication.k8s.io/v1, ";
  const auto access = plugin(version +
                             "command: aws, args: [eks, get-token], env: [{name: A, value: b}], "
                             "installHint: install it, provideClusterInfo: true");
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(access->exec->command, (std::vector<std::string>{"aws", "eks", "get-token"}));
  EXPECT_EQ(access->exec->environment, std::vector<std::string>{"A=b"});
  EXPECT_EQ(access->exec->install_hint, "install it");
  EXPECT_EQ(access->exec->cluster_json,
            R"({"certificate-authority-data":"Q0E=","config":{"a":"b"},"server":"https://k"})");
  EXPECT_EQ(plugin(version + "command: bin/login")->exec->command.front(), "home/bin/login");
  EXPECT_EQ(plugin(version + "command: /bin/login")->exec->command.front(), "/bin/login");
  EXPECT_EQ(plugin(version + "command: x")->exec->cluster_json, "");
  EXPECT_THAT(plugin(version + "args: [x]").error().message, HasSubstr("exec has no command"));
  EXPECT_THAT(plugin(version + "command: x, interactiveMode: Always").error().message,
              HasSubstr("wants to ask at a terminal"));
}

TEST_F(KubeconfigFile, TheFirstOfSeveralFilesWins) {
  files_.put("other", "current-context: prod\nusers: [{name: token, user: {token: other}}]\n");
  const auto access = load_kubeconfig(files_, split_paths("other::home/config"), "");
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(access->context, "prod");
  EXPECT_EQ(access->token, "other");
}

TEST_F(KubeconfigFile, OfSeveralFilesSomeMayBeMissing) {
  for (const char* paths : {"home/config:none", "none:home/config", "none:home/config:none"}) {
    const auto access = load_kubeconfig(files_, split_paths(paths), "");
    ASSERT_TRUE(access.has_value()) << paths << ": " << access.error().message;
    EXPECT_EQ(access->context, "dev");
  }
  EXPECT_THAT(load_kubeconfig(files_, split_paths("none:neither"), "").error().message,
              HasSubstr("neither"));
}

// The plugin cannot read what the kubeconfig only names.
TEST_F(KubeconfigFile, APluginIsToldTheAuthorityItself) {
  files_.put("home/ca.crt", "CA");
  const auto load = [this](const std::string& cluster) {
    files_.put("home/exec",
               "current-context: c\n"
               "contexts: [{name: c, context: {cluster: k, user: u}}]\n"
               "clusters: [{name: k, cluster: {server: https://k, " +
                   cluster +
                   "}}]\n"
                   "users: [{name: u, user: {exec: {command: x, provideClusterInfo: true, "
                   "apiVersion: client.authentication.k8s.io/v1}}}]\n");
    return load_kubeconfig(files_, {"home/exec"}, "");
  };
  const auto access = load("certificate-authority: ca.crt, proxy-url: \"http://p:1\"");
  ASSERT_TRUE(access.has_value()) << access.error().message;
  EXPECT_EQ(
      access->exec->cluster_json,
      R"({"certificate-authority-data":"Q0E=","proxy-url":"http://p:1","server":"https://k"})");
  EXPECT_THAT(load("certificate-authority: none.crt").error().message, HasSubstr("none.crt"));
}

TEST(ServerUrl, TakesWhatKubectlTakes) {
  EXPECT_EQ(parse_server_url("https://h")->text(), "https://h:443");
  EXPECT_EQ(parse_server_url("http://10.0.0.1:8080/a/b")->text(), "http://10.0.0.1:8080/a/b");
  EXPECT_EQ(parse_server_url("https://[fe80::1]:7")->authority(), "[fe80::1]:7");
  for (const char* bad :
       {"", "h:6443", "ftp://h", "https://", "https://h:0", "https://h:70000", "https://h:x",
        "https://[::1", "https://a b", "https://u@h", "https://h/a?b", "https://h/a\r\nX: y"}) {
    EXPECT_FALSE(parse_server_url(bad).has_value()) << bad;
  }
}

TEST(InCluster, IsWhatEveryPodFinds) {
  virtual_world::VirtualFiles files;
  files.put("/sa/namespace", "jobs");
  const auto access = in_cluster_access(files, {"10.96.0.1", "443", "/sa"});
  ASSERT_TRUE(access.has_value());
  EXPECT_EQ(access->server.text(), "https://10.96.0.1:443");
  EXPECT_EQ(access->token_file, "/sa/token");
  EXPECT_EQ(access->ns, "jobs");
  EXPECT_EQ(in_cluster_access(files, {"fd00::1", "443", "/sa"})->server.host, "fd00::1");
  EXPECT_THAT(in_cluster_access(files, {"", "", "/sa"}).error().message, HasSubstr("--kubeconfig"));
}

}  // namespace
}  // namespace windlass::remote
