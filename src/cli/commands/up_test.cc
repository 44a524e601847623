#include "cli/commands/up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "cli/commands/up_testing.h"
#include "plane/server_credentials.h"
#include "posix/testing.h"
#include "virtual_world/virtual_containers.h"

namespace windlass::cli {
namespace {

using testing::Access;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunningUp;
using ::testing::StartsWith;

TEST(Up, ServesKubectlAndKeepsWhatItAcknowledged) {
  const posix::TemporaryDirectory parent;
  const std::string directory = parent / "state";
  std::string token;
  {
    RunningUp up(directory, "127.0.0.1:0");
    EXPECT_EQ(up.output.out_text, "export KUBECONFIG=" + directory + "/kubeconfig\n");
    EXPECT_THAT(up.output.err_text, HasSubstr("is ready at https://127.0.0.1:"));
    const Access admin(parent.read("state/kubeconfig"));
    token = admin.token;
    EXPECT_EQ(token.size(), 64u);
    EXPECT_THAT(admin.request("GET /api/v1/namespaces/default"), StartsWith("HTTP/1.1 200 OK"));
    EXPECT_THAT(admin.request("POST /api/v1/namespaces/default/configmaps", "application/json",
                              R"({"metadata":{"name":"kept"},"data":{"a":"b"}})"),
                StartsWith("HTTP/1.1 201 Created"));
    EXPECT_EQ(up.stop(), ExitCode::ok);
    EXPECT_THAT(up.output.err_text, Not(HasSubstr("error")));
  }
  RunningUp again(directory, "127.0.0.1:0");
  const Access admin(parent.read("state/kubeconfig"));
  EXPECT_EQ(admin.token, token);
  EXPECT_THAT(admin.request("GET /api/v1/namespaces/default/configmaps/kept"),
              StartsWith("HTTP/1.1 200 OK"));
}

TEST(Up, ViewersReadAllButSecretsAndNobodyElseGetsIn) {
  const posix::TemporaryDirectory parent;
  RunningUp up(parent / "state", "127.0.0.1:0");
  const Access viewer(parent.read("state/viewer.kubeconfig"));
  EXPECT_THAT(viewer.request("GET /api/v1/namespaces"), StartsWith("HTTP/1.1 200"));
  const std::string secrets = viewer.request("GET /api/v1/secrets");
  EXPECT_THAT(secrets, StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(secrets, HasSubstr("cannot list resource"));
  EXPECT_THAT(viewer.request("DELETE /api/v1/namespaces/default"), StartsWith("HTTP/1.1 403"));

  Access stranger = viewer;
  stranger.token = std::string(64, '0');
  EXPECT_THAT(stranger.request("GET /api/v1/namespaces"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(stranger.request("GET /healthz"), StartsWith("HTTP/1.1 401"));
}

TEST(Up, FilesAreTheOwnersAlone) {
  const posix::TemporaryDirectory parent;
  const std::string directory = parent / "state";
  { RunningUp up(directory, "127.0.0.1:0"); }
  struct stat info = {};
  ASSERT_EQ(::stat(directory.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0700u);
  for (const char* name : {"kubeconfig", "viewer.kubeconfig", "tokens", "ca.key", "server.key"}) {
    ASSERT_EQ(::stat((directory + '/' + name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 07777U, 0600u) << name;
  }
  const std::string token = *plane::token_of_kubeconfig(parent.read("state/kubeconfig"));
  EXPECT_THAT(parent.read("state/tokens"), Not(HasSubstr(token)));

  ::chmod((directory + "/ca.key").c_str(), 0644);
  RunningUp lax(directory, "127.0.0.1:0");
  EXPECT_EQ(lax.stop(), ExitCode::failed);
  EXPECT_THAT(lax.output.err_text, HasSubstr("chmod 600 " + directory + "/ca.key"));
  EXPECT_EQ(lax.output.out_text, "");
}

TEST(Up, OneProcessPerDirectoryAndOneServerPerPort) {
  const posix::TemporaryDirectory parent;
  RunningUp first(parent / "state", "127.0.0.1:0");
  RunningUp second(parent / "state", "127.0.0.1:0");
  EXPECT_EQ(second.stop(), ExitCode::failed);
  EXPECT_THAT(second.output.err_text, HasSubstr("/state is in use by process "));

  const Access admin(parent.read("state/kubeconfig"));
  RunningUp third(parent / "other", admin.endpoint.text());
  EXPECT_EQ(third.stop(), ExitCode::failed);
  EXPECT_THAT(third.output.err_text, HasSubstr("address already in use"));
  EXPECT_THAT(third.output.err_text, HasSubstr("--listen"));

  RunningUp wrong(parent / "wrong", "nowhere");
  EXPECT_EQ(wrong.stop(), ExitCode::usage);
}

// safety.md H6: a planted value is looked for in everything that is written about requests.
TEST(Up, SecretsAreInNoLogAndInNoError) {
  const posix::TemporaryDirectory parent;
  RunningUp up(parent / "state", "127.0.0.1:0");
  const Access admin(parent.read("state/kubeconfig"));
  const std::string canary = "Q0FOQVJZLUNBTkFSWQ==";
  const std::string secrets = "/api/v1/namespaces/default/secrets";
  const std::string json = "application/json";
  EXPECT_THAT(admin.request("POST " + secrets, json,
                            R"({"metadata":{"name":"s"},"data":{"a":")" + canary + "\"}}"),
              StartsWith("HTTP/1.1 201"));
  admin.request("POST " + secrets, json,
                R"({"metadata":{"name":"s"},"data":{"a":")" + canary + "\"}}");
  admin.request("PATCH " + secrets + "/s", "application/merge-patch+json",
                R"({"data":{"b":")" + canary + "\"}}");
  admin.request("POST " + secrets, json,
                R"({"metadata":{"name":"bad name"},"data":{"a":")" + canary + "\"}}");
  admin.request("POST " + secrets, json, "{\"data\":\"" + canary);
  admin.request("PUT " + secrets + "/s", json, canary);
  // Answers to what cannot be read: errors end up in the logs of clients.
  for (const auto& [type, body] : std::vector<std::pair<std::string, std::string>>{
           {"application/merge-patch+json", R"({"data":{"a":"CANARY, not base64"}})"},
           {"application/strategic-merge-patch+json", R"({"data":{"a":"CANARY, not base64"}})"},
           {"application/strategic-merge-patch+json", R"({"data":"CANARY"})"},
           {"application/json-patch+json", R"([{"op":"test","path":"/data/a","value":"CANARY"}])"},
           {"application/apply-patch+yaml",
            "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: CANARY-}}"}}) {
    const std::string told = admin.request("PATCH " + secrets + "/s?fieldManager=m", type, body);
    EXPECT_THAT(told, StartsWith("HTTP/1.1 4"));
    EXPECT_THAT(told, Not(HasSubstr("CANARY"))) << type;
  }
  Access wrong = admin;
  wrong.token = "CANARY-TOKEN";
  EXPECT_THAT(wrong.request("GET " + secrets), Not(HasSubstr("CANARY-TOKEN")));
  const Access viewer(parent.read("state/viewer.kubeconfig"));
  EXPECT_THAT(viewer.request("GET " + secrets + "/s"), Not(HasSubstr(canary)));
  EXPECT_THAT(viewer.request("GET /metrics"), Not(HasSubstr("CANARY")));
  up.stop();
  for (const std::string& text : {up.log.text(), up.output.out_text, up.output.err_text}) {
    EXPECT_THAT(text, Not(HasSubstr(canary)));
    EXPECT_THAT(text, Not(HasSubstr("CANARY")));
    EXPECT_THAT(text, Not(HasSubstr(admin.token)));
  }
}

// Its nodes have to come up first: only they know what an earlier one left running.
TEST(Up, APowerFailureWhileItComesUpIsLeftToTheNodes) {
  const posix::TemporaryDirectory parent;
  posix::PosixClock clock;
  posix::PosixRandom random;
  posix::PosixFiles files;
  testing::TextLog log;
  testing::TextOutput output;
  posix::EventLoop loop(clock);
  posix::WorkerThread worker(clock, "journal");
  const auto containers = std::make_shared<virtual_world::VirtualContainers>(
      loop, clock, [](const env::ContainerRequest&) -> Result<virtual_world::VirtualProcess> {
        return virtual_world::VirtualProcess();
      });
  UpOptions options;
  options.data_dir = parent / "state";
  options.listen = "127.0.0.1:0";
  options.nodes = 1;
  options.images.host_root = {true, true};
  plane::NodeMachine machine;
  machine.capacity = {{"cpu", "2"}, {"memory", "1Gi"}, {"pods", "10"}};
  std::optional<ExitCode> code;
  UpSession session(
      env::Env{clock, random, loop, log, files}, loop, worker,
      [containers](const std::string&, plane::ContainerLife) { return containers; }, options,
      machine, output,
      [&](ExitCode with) {
        code = with;
        loop.stop();
      });
  session.start();
  session.power_down();
  loop.run();
  EXPECT_EQ(code, ExitCode::ok);
  EXPECT_EQ(output.err_text, "Stopping 0 pods\n");
  EXPECT_EQ(output.out_text, "") << "up prints that it is ready only when it is";
}

TEST(Credentials, TokensAreKeptAsDigests) {
  const auto digest = apiserver::digest_of_token("t");
  const std::vector<apiserver::TokenEntry> tokens = {
      {digest, apiserver::authenticated_user("admin", {"system:masters", "b"})}};
  const std::string text = plane::tokens_text(tokens);
  EXPECT_THAT(text, HasSubstr(" admin system:masters,b\n"));
  const auto parsed = plane::parse_tokens(text);
  ASSERT_TRUE(parsed.has_value());
  ASSERT_EQ(parsed->size(), 1u);
  EXPECT_EQ(parsed->front().digest, digest);
  EXPECT_EQ(parsed->front().user, tokens.front().user);
  EXPECT_EQ(plane::parse_tokens("# x\nabc admin").error().message,
            "line 2: must be SHA256 USER GROUP,GROUP");
}

TEST(Credentials, AreRenewedWhenTheyRunOutAndOtherwiseKept) {
  const posix::TemporaryDirectory directory;
  posix::PosixFiles files;
  posix::PosixRandom random;
  const Time now = posix::PosixClock().now();
  const auto open = [&](Time at) {
    const plane::CredentialSource source{files, random, at, directory.path()};
    const plane::ServerCredentials credentials = *plane::open_credentials(source, {"127.0.0.1"});
    EXPECT_TRUE(
        plane::write_kubeconfigs(files, directory.path(), "https://127.0.0.1:1", credentials)
            .has_value());
    return credentials;
  };
  const plane::ServerCredentials first = open(now);
  // As on a full disk, there is no way to write a new one; it is not needed.
  std::filesystem::create_directory(directory / "kubeconfig.new");
  EXPECT_EQ(open(now).user_tokens.front().token, first.user_tokens.front().token);
  std::filesystem::remove(directory / "kubeconfig.new");
  const plane::ServerCredentials same = open(now + hours(24));
  EXPECT_EQ(same.authority.certificate_pem, first.authority.certificate_pem);
  EXPECT_EQ(same.server.certificate_pem, first.server.certificate_pem);
  EXPECT_EQ(same.user_tokens.front().token, first.user_tokens.front().token);
  const plane::ServerCredentials later = open(now + net::kCertificateLifetime);
  EXPECT_EQ(later.authority.certificate_pem, first.authority.certificate_pem);
  EXPECT_NE(later.server.certificate_pem, first.server.certificate_pem);
  const plane::ServerCredentials much_later = open(now + net::kAuthorityLifetime);
  EXPECT_NE(much_later.authority.certificate_pem, first.authority.certificate_pem);
  EXPECT_TRUE(much_later.authority_replaced);
  EXPECT_FALSE(first.authority_replaced || same.authority_replaced || later.authority_replaced);

  std::filesystem::remove(directory / "tokens");
  const plane::ServerCredentials renewed = open(now);
  EXPECT_NE(renewed.user_tokens.front().token, first.user_tokens.front().token);
}

TEST(Credentials, TheServerIsCertifiedForFurtherNames) {
  const posix::TemporaryDirectory directory;
  posix::PosixFiles files;
  posix::PosixRandom random;
  const plane::CredentialSource source{files, random, posix::PosixClock().now(), directory.path()};
  const auto certificate = [&](const std::vector<std::string>& names) {
    return plane::open_credentials(source, names)->server.certificate_pem;
  };
  const std::string plain = certificate({"0.0.0.0"});
  EXPECT_FALSE(net::is_certified_for(plain, "box"));
  const std::string named = certificate({"box", "192.0.2.7", "0.0.0.0"});
  for (const char* name : {"box", "192.0.2.7", "127.0.0.1", "localhost"}) {
    EXPECT_TRUE(net::is_certified_for(named, name)) << name;
  }
  EXPECT_EQ(certificate({"0.0.0.0"}), named) << "it is good for all that is asked for";
}

TEST(Kubeconfig, CarriesWhatAClientNeeds) {
  const std::string text = plane::kubeconfig_text({"https://[::1]:6443", "PEM", "admin", "t0ken"});
  EXPECT_THAT(text, HasSubstr("server: https://[::1]:6443\n"));
  EXPECT_THAT(text, HasSubstr("certificate-authority-data: UEVN\n"));
  EXPECT_EQ(plane::token_of_kubeconfig(text), "t0ken");
  EXPECT_EQ(plane::server_of_kubeconfig(text), "https://[::1]:6443");
  EXPECT_EQ(plane::token_of_kubeconfig("apiVersion: v1\n"), std::nullopt);
}

}  // namespace
}  // namespace windlass::cli
