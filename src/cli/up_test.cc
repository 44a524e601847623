#include "cli/up.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <future>
#include <thread>

#include "api/codec/base64.h"
#include "cli/kubeconfig.h"
#include "cli/testing.h"
#include "cli/up_credentials.h"
#include "net/tls_testing.h"
#include "posix/posix_files.h"
#include "posix/posix_processes.h"
#include "posix/posix_random.h"
#include "posix/testing.h"
#include "posix/worker_thread.h"

namespace windlass::cli {
namespace {

using net::testing::TextLog;
using net::testing::TlsClient;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A running `windlass up` in this process, on a thread of its own.
class RunningUp {
 public:
  RunningUp(const std::string& directory, const std::string& listen) : loop_(clock_) {
    UpOptions options;
    options.data_dir = directory;
    options.listen = listen;
    thread_ = std::thread([this, options] { run(options); });
    ready.get_future().wait();
  }
  ~RunningUp() { stop(); }

  ExitCode stop() {
    if (thread_.joinable()) {
      loop_.post([this] {
        if (session_) {
          session_->interrupt();
        }
      });
      thread_.join();
    }
    return code_;
  }

  // Read after stop(), or once ready.
  testing::TextOutput output;
  TextLog log;

 private:
  // Tells when there is something to read.
  class Signalling final : public Output {
   public:
    explicit Signalling(RunningUp& owner) : owner_(owner) {}
    void out(std::string_view text) override {
      owner_.output.out(text);
      owner_.say_ready();
    }
    void err(std::string_view text) override { owner_.output.err(text); }
    bool interactive() const override { return false; }

   private:
    RunningUp& owner_;
  };

  void say_ready() {
    if (!std::exchange(said_ready_, true)) {
      ready.set_value();
    }
  }

  void run(const UpOptions& options) {
    posix::PosixFiles files;
    posix::PosixProcesses processes(loop_);
    posix::WorkerThread worker(clock_, "journal");
    Signalling signalling(*this);
    session_.emplace(env::Env{clock_, random_, loop_, log, files, processes}, worker, options,
                     signalling, [this](ExitCode code) {
                       code_ = code;
                       loop_.stop();
                     });
    session_->start();
    loop_.run();
    session_.reset();
    say_ready();
  }

  std::promise<void> ready;
  bool said_ready_ = false;
  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::EventLoop loop_;
  std::optional<UpSession> session_;
  ExitCode code_ = ExitCode::ok;
  std::thread thread_;
};

std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

// What a kubeconfig says.
struct Access {
  net::Endpoint endpoint;
  std::string authority;
  std::string token;

  explicit Access(const std::string& kubeconfig) {
    endpoint = *net::parse_endpoint(between(kubeconfig, "server: https://", "\n"));
    api::decode_base64(between(kubeconfig, "certificate-authority-data: ", "\n"), authority);
    token = *token_of_kubeconfig(kubeconfig);
  }

  std::string request(const std::string& line, const std::string& content_type = "",
                      const std::string& body = "") const {
    TlsClient client(endpoint, authority);
    EXPECT_TRUE(client.connected());
    client.send(line + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " +
                token + "\r\nContent-Type: " + content_type +
                "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.receive(~size_t{0});
  }
};

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
  const std::string token = *token_of_kubeconfig(parent.read("state/kubeconfig"));
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

// reliability.md 3.3: a planted value is looked for in everything that is written about requests.
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

TEST(Up, TheDefaultDirectoryFollowsXdg) {
  EXPECT_EQ(default_data_dir("/state", "/users/u"), "/state/windlass");
  EXPECT_EQ(default_data_dir("", "/users/u"), "/users/u/.local/state/windlass");
  EXPECT_EQ(default_data_dir("relative", "/users/u"), "/users/u/.local/state/windlass");
}

TEST(Credentials, TokensAreKeptAsDigests) {
  const auto digest = apiserver::digest_of_token("t");
  const std::vector<apiserver::TokenEntry> tokens = {
      {digest, apiserver::authenticated_user("admin", {"system:masters", "b"})}};
  const std::string text = tokens_text(tokens);
  EXPECT_THAT(text, HasSubstr(" admin system:masters,b\n"));
  const auto parsed = parse_tokens(text);
  ASSERT_TRUE(parsed.has_value());
  ASSERT_EQ(parsed->size(), 1u);
  EXPECT_EQ(parsed->front().digest, digest);
  EXPECT_EQ(parsed->front().user, tokens.front().user);
  EXPECT_EQ(parse_tokens("# x\nabc admin").error().message,
            "line 2 is not SHA256 USER GROUP,GROUP");
}

TEST(Credentials, AreRenewedWhenTheyRunOutAndOtherwiseKept) {
  const posix::TemporaryDirectory directory;
  posix::PosixFiles files;
  posix::PosixRandom random;
  const Time now = posix::PosixClock().now();
  const auto open = [&](Time at) {
    const CredentialSource source{files, random, at, directory.path()};
    const Credentials credentials = *open_credentials(source, "127.0.0.1");
    EXPECT_TRUE(
        write_kubeconfigs(directory.path(), "https://127.0.0.1:1", credentials).has_value());
    return credentials;
  };
  const Credentials first = open(now);
  const Credentials same = open(now + hours(24));
  EXPECT_EQ(same.authority.certificate_pem, first.authority.certificate_pem);
  EXPECT_EQ(same.server.certificate_pem, first.server.certificate_pem);
  EXPECT_EQ(same.user_tokens.front().token, first.user_tokens.front().token);
  const Credentials later = open(now + net::kCertificateLifetime);
  EXPECT_EQ(later.authority.certificate_pem, first.authority.certificate_pem);
  EXPECT_NE(later.server.certificate_pem, first.server.certificate_pem);
  const Credentials much_later = open(now + net::kAuthorityLifetime);
  EXPECT_NE(much_later.authority.certificate_pem, first.authority.certificate_pem);

  std::filesystem::remove(directory / "tokens");
  const Credentials renewed = open(now);
  EXPECT_NE(renewed.user_tokens.front().token, first.user_tokens.front().token);
}

TEST(Kubeconfig, CarriesWhatAClientNeeds) {
  const std::string text = kubeconfig_text({"https://[::1]:6443", "PEM", "admin", "t0ken"});
  EXPECT_THAT(text, HasSubstr("server: https://[::1]:6443\n"));
  EXPECT_THAT(text, HasSubstr("certificate-authority-data: UEVN\n"));
  EXPECT_EQ(token_of_kubeconfig(text), "t0ken");
  EXPECT_EQ(token_of_kubeconfig("apiVersion: v1\n"), std::nullopt);
}

}  // namespace
}  // namespace windlass::cli
