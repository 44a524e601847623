#include "cli/commands/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/up_testing.h"
#include "posix/testing.h"

namespace windlass::cli {
namespace {

using testing::Access;
using ::testing::HasSubstr;
using testing::RunningUp;
using ::testing::StartsWith;
using testing::TextOutput;

struct Printed {
  ExitCode code;
  std::string text;
  std::string error;
};

Printed print(const KubeconfigOptions& options) {
  posix::PosixFiles files;
  TextOutput output;
  const ExitCode code = print_kubeconfig(options, files, posix::PosixClock().now(), output);
  return {code, output.out_text, output.err_text};
}

class KubeconfigCommand : public ::testing::Test {
 protected:
  Access access(const std::string& role, const std::string& user) {
    const Printed printed = print({.data_dir = directory, .role = role, .user = user});
    EXPECT_EQ(printed.code, ExitCode::ok) << printed.error;
    return Access(printed.text);
  }

  posix::TemporaryDirectory parent;
  std::string directory = parent / "state";
  RunningUp up{directory, "127.0.0.1:0"};
};

TEST_F(KubeconfigCommand, AViewerReadsAllButSecrets) {
  const Access alice = access("viewer", "alice");
  EXPECT_EQ(alice.token, "");
  EXPECT_THAT(alice.request("GET /api/v1/namespaces"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(alice.request("GET /api/v1/namespaces/default/secrets/s"),
              HasSubstr(R"(User \"alice\" cannot get resource \"secrets\")"));
  EXPECT_THAT(alice.request("DELETE /api/v1/namespaces/default/configmaps/c"),
              StartsWith("HTTP/1.1 403"));
}

TEST_F(KubeconfigCommand, AnAdminMayDoEverything) {
  EXPECT_THAT(access("admin", "").request("GET /api/v1/secrets"), StartsWith("HTTP/1.1 200"));
}

// api.md, node identity: its own Node, Lease and bound pods only.
TEST_F(KubeconfigCommand, ANodeGetsAtWhatIsItsOwn) {
  const Access admin(parent.read("state/kubeconfig"));
  const Access node = access("node", "n1");
  const std::string json = "application/json";
  EXPECT_THAT(node.request("POST /api/v1/nodes", json, R"({"metadata":{"name":"n1"}})"),
              StartsWith("HTTP/1.1 201"));
  EXPECT_THAT(node.request("POST /api/v1/nodes", json, R"({"metadata":{"name":"n2"}})"),
              StartsWith("HTTP/1.1 403"));
  const std::string leases = "POST /apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
  EXPECT_THAT(node.request(leases, json, R"({"metadata":{"name":"n1"}})"),
              StartsWith("HTTP/1.1 201"));
  EXPECT_THAT(node.request(leases, json, R"({"metadata":{"name":"n2"}})"),
              StartsWith("HTTP/1.1 403"));
  for (const char* name : {"n1", "n2"}) {
    const std::string pod = std::string(R"({"metadata":{"name":"on-)") + name +
                            R"("},"spec":{"nodeName":")" + name +
                            R"(","containers":[{"name":"c","image":"i"}]}})";
    EXPECT_THAT(admin.request("POST /api/v1/namespaces/default/pods", json, pod),
                StartsWith("HTTP/1.1 201"));
  }
  const std::string pods = "/api/v1/namespaces/default/pods/";
  const std::string merge = "application/merge-patch+json";
  const std::string running = R"({"status":{"phase":"Running"}})";
  EXPECT_THAT(node.request("GET " + pods + "on-n1"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(node.request("PATCH " + pods + "on-n1/status", merge, running),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(node.request("GET " + pods + "on-n2"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(node.request("PATCH " + pods + "on-n2/status", merge, running),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(node.request("DELETE " + pods + "on-n2"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(node.request("GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn1"),
              StartsWith("HTTP/1.1 200"));
  for (const char* line :
       {"GET /api/v1/pods", "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn2",
        "GET /api/v1/secrets", "GET /api/v1/namespaces/default/secrets/s", "GET /api/v1/nodes/n2",
        "DELETE /api/v1/nodes/n2", "GET /apis/batch/v1/jobs"}) {
    EXPECT_THAT(node.request(line), StartsWith("HTTP/1.1 403")) << line;
  }
}

TEST_F(KubeconfigCommand, SaysWhatIsMissing) {
  const auto refused = [&](const std::string& role, const std::string& user) {
    const Printed printed = print({.data_dir = directory, .role = role, .user = user});
    EXPECT_EQ(printed.code, ExitCode::usage);
    EXPECT_EQ(printed.text, "");
    return printed.error;
  };
  EXPECT_THAT(refused("node", ""), HasSubstr("--role node needs the name of the node"));
  EXPECT_THAT(refused("root", ""), HasSubstr("must be admin, viewer or node"));
  EXPECT_THAT(refused("viewer", "system:node:n1"), HasSubstr("system:"));
  EXPECT_THAT(refused("viewer", "a: b\n"), HasSubstr("letters, digits"));
  EXPECT_THAT(refused("viewer", std::string(65, 'a')), HasSubstr("longer than 64"));
  const Printed nowhere = print({.data_dir = parent / "nowhere"});
  EXPECT_EQ(nowhere.code, ExitCode::failed);
  EXPECT_THAT(nowhere.error, HasSubstr("Use --data-dir to name the data directory"));
}

TEST_F(KubeconfigCommand, AServerIsNamedByWhatItsCertificateHas) {
  const std::string named = parent / "named";
  const RunningUp other(named, "127.0.0.1:0", {.server_names = {"box", "2001:db8::7"}});
  for (const char* server :
       {"https://box:6443", "https://[2001:db8::7]:6443", "https://localhost:7000"}) {
    const Printed printed = print({.data_dir = named, .server = server});
    EXPECT_EQ(printed.code, ExitCode::ok) << printed.error;
    EXPECT_THAT(printed.text, HasSubstr(server));
  }
  const Printed elsewhere = print({.data_dir = directory, .server = "https://box:6443"});
  EXPECT_EQ(elsewhere.code, ExitCode::failed);
  EXPECT_EQ(elsewhere.text, "");
  EXPECT_THAT(elsewhere.error, HasSubstr("windlass up --server-name box"));
  for (const char* server : {"http://box:6443", "box:6443"}) {
    EXPECT_EQ(print({.data_dir = named, .server = server}).code, ExitCode::failed) << server;
  }
}

}  // namespace
}  // namespace windlass::cli
