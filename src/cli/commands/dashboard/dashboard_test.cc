#include "cli/commands/dashboard/dashboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <future>
#include <optional>
#include <thread>

#include "cli/commands/up_testing.h"
#include "net/testing.h"
#include "posix/testing.h"

namespace windlass::cli {
namespace {

using testing::Access;
using testing::between;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::RunningUp;
using ::testing::StartsWith;
using testing::TextOutput;

// `windlass dashboard` on a thread of its own.
class RunningDashboard {
 public:
  RunningDashboard(const std::string& kubeconfig, DashboardOptions options) : loop_(clock_) {
    posix::PosixFiles files;
    auto access = find_cluster(files, {.kubeconfig = kubeconfig}, {});
    EXPECT_TRUE(access) << access.error().message;
    thread_ = std::thread([this, access = *access, options] { run(access, options); });
    said_.get_future().wait();
  }
  ~RunningDashboard() { interrupt(); }

  ExitCode interrupt() {
    loop_.post([this] {
      if (session_) {
        session_->interrupt();
      }
    });
    return wait();
  }
  ExitCode wait() {
    if (thread_.joinable()) {
      thread_.join();
    }
    return code_;
  }

  // Once it has said something, or ended.
  TextOutput output;

 private:
  class Signalling final : public Output {
   public:
    explicit Signalling(RunningDashboard& owner) : owner_(owner) {}
    void out(std::string_view text) override {
      owner_.output.out(text);
      owner_.say();
    }
    void err(std::string_view text) override { owner_.output.err(text); }
    bool interactive() const override { return false; }

   private:
    RunningDashboard& owner_;
  };

  void say() {
    if (!std::exchange(has_said_, true)) {
      said_.set_value();
    }
  }

  void run(const remote::ClusterAccess& access, const DashboardOptions& options) {
    posix::PosixFiles files;
    Signalling signalling(*this);
    session_.emplace(env::Env{clock_, random_, loop_, log_, files}, loop_, access, options,
                     signalling, [this](ExitCode code) {
                       code_ = code;
                       loop_.stop();
                     });
    session_->start();
    loop_.run();
    session_.reset();
    say();
  }

  std::promise<void> said_;
  bool has_said_ = false;
  posix::PosixClock clock_;
  posix::PosixRandom random_;
  testing::TextLog log_;
  posix::EventLoop loop_;
  std::optional<DashboardSession> session_;
  ExitCode code_ = ExitCode::failed;
  std::thread thread_;
};

// A `windlass up`, and pages of it.
class DashboardTest : public ::testing::Test {
 protected:
  DashboardTest() : up_(parent_ / "state", "127.0.0.1:0") {}

  std::string kubeconfig(const std::string& user) const {
    return parent_ / (user == "admin" ? "state/kubeconfig" : "state/viewer.kubeconfig");
  }
  Access access(const std::string& user) const {
    return Access(parent_.read(user == "admin" ? "state/kubeconfig" : "state/viewer.kubeconfig"));
  }

  // What a browser sends and gets; `headers` end with a line feed.
  std::string browse(const std::string& line, const std::string& headers,
                     const std::string& body = "") const {
    const Access server = access("admin");
    testing::TlsClient client(server.endpoint, server.authority, {});
    EXPECT_TRUE(client.connected());
    client.send(line + " HTTP/1.1\r\nHost: " + server.endpoint.text() +
                "\r\nConnection: close\r\n" + headers +
                "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.receive(~size_t{0});
  }

  // The headers of a session.
  std::string log_in(const std::string& user) const {
    RunningDashboard dashboard(kubeconfig(user), {});
    EXPECT_EQ(dashboard.wait(), ExitCode::ok) << dashboard.output.err_text;
    const std::string token = between(dashboard.output.out_text, "#login=", "\n");
    const std::string answer = browse("POST /ui/data/login", "", R"({"token":")" + token + R"("})");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    return "Cookie: " + between(answer, "Set-Cookie: ", ";") +
           "\r\nX-Windlass-Key: " + between(answer, R"("key":")", "\"") +
           "\r\nSec-Fetch-Site: same-origin\r\n";
  }

  posix::TemporaryDirectory parent_;
  RunningUp up_;
};

TEST_F(DashboardTest, PrintsALoginToThePageOfWindlassUp) {
  RunningDashboard dashboard(kubeconfig("admin"), {});
  EXPECT_EQ(dashboard.wait(), ExitCode::ok);
  EXPECT_THAT(dashboard.output.out_text,
              MatchesRegex("https://127\\.0\\.0\\.1:[0-9]+/ui/#login=[0-9a-f]{64}\n"));
  EXPECT_THAT(browse("GET /ui/", ""), HasSubstr("<title>Windlass</title>"));
  EXPECT_THAT(browse("GET /ui/data/overview", log_in("admin")), HasSubstr(R"("full":true)"));
}

TEST_F(DashboardTest, ABrowserIsLedToThePageByAFileOfTheOwner) {
  // In place of a browser: a program that keeps what it was given.
  const std::string browser = parent_ / "browser";
  const std::string file = parent_ / "page.html";
  const std::string seen = parent_ / "seen";
  ASSERT_EQ(::mkfifo(seen.c_str(), 0600), 0);
  posix::PosixFiles files;
  ASSERT_TRUE(files.write(browser, "#!/bin/sh\ncat \"$1\" > " + seen + "\n", 0700));
  RunningDashboard dashboard(kubeconfig("admin"), {.browser = {browser, file}});
  EXPECT_EQ(dashboard.wait(), ExitCode::ok) << dashboard.output.err_text;
  const std::string url = between(dashboard.output.out_text, "", "\n");
  const auto page = files.read(seen, 1000);  // waits for the program
  ASSERT_TRUE(page) << page.error().message;
  EXPECT_THAT(*page, HasSubstr("content=\"0;url=" + url + "\""));
  struct stat info = {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
}

TEST_F(DashboardTest, TheApiKnowsNoSessions) {
  const std::string session = log_in("admin");
  EXPECT_THAT(browse("GET /api/v1/namespaces", session), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(browse("GET /ui/data/overview", ""), StartsWith("HTTP/1.1 401"));
}

TEST_F(DashboardTest, APageHasTheRightsOfTheUserWhoLoggedIn) {
  access("admin").request(
      "POST /apis/batch/v1/namespaces/default/jobs", "application/json",
      R"({"metadata":{"name":"sweep"},"spec":{"completions":2,"completionMode":"Indexed",)"
      R"("suspend":true,"template":{"spec":{"restartPolicy":"Never","containers":)"
      R"([{"name":"main","image":"i"}]}}}})");
  const std::string viewer = log_in("viewer");
  EXPECT_THAT(browse("GET /ui/data/job?namespace=default&name=sweep", viewer),
              HasSubstr(R"("cells":"nn")"));
  EXPECT_THAT(browse("GET /ui/data/rights?namespace=default", viewer),
              HasSubstr(R"({"rerun":false})"));
  const std::string order = R"({"namespace":"default","name":"sweep","indexes":"1"})";
  EXPECT_THAT(browse("POST /ui/data/rerun", viewer, order), StartsWith("HTTP/1.1 403"));

  const std::string admin = log_in("admin");
  EXPECT_THAT(browse("GET /ui/data/rights?namespace=default", admin),
              HasSubstr(R"({"rerun":true})"));
  const std::string refused = browse("POST /ui/data/rerun", admin, order);
  EXPECT_THAT(refused, StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(refused, HasSubstr("finished"));
  EXPECT_THAT(refused, Not(HasSubstr("error:")));
}

TEST_F(DashboardTest, ALogThatCannotBeReadSaysWhy) {
  EXPECT_THAT(browse("GET /ui/data/log?namespace=default&pod=none", log_in("admin")),
              HasSubstr("pods \\\"none\\\" not found"));
}

TEST_F(DashboardTest, ServesThePageForTheClusterOfAKubeconfig) {
  RunningDashboard dashboard(kubeconfig("admin"), {.serve = true});
  const std::string url = dashboard.output.out_text;
  EXPECT_THAT(url, MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/ui/#login=[0-9a-f]{64}\n"));
  const auto endpoint = *net::parse_endpoint(between(url, "http://", "/ui/"));
  const auto ask = [&](const std::string& line, const std::string& headers,
                       const std::string& body = "") {
    net::testing::Client client(endpoint);
    client.send(line + " HTTP/1.1\r\nHost: " + endpoint.text() + "\r\nConnection: close\r\n" +
                headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.receive_rest();
  };
  const std::string answer =
      ask("POST /ui/data/login", "", R"({"token":")" + between(url, "#login=", "\n") + R"("})");
  EXPECT_THAT(answer, Not(HasSubstr("; Secure")));
  const std::string session = "Cookie: " + between(answer, "Set-Cookie: ", ";") +
                              "\r\nX-Windlass-Key: " + between(answer, R"("key":")", "\"") + "\r\n";
  EXPECT_THAT(ask("GET /ui/data/overview", session), HasSubstr(R"("full":true)"));
  EXPECT_THAT(ask("GET /ui/data/rights?namespace=default", session),
              HasSubstr(R"({"rerun":true})"));
  // No one else gets the rights of the kubeconfig.
  EXPECT_THAT(ask("POST /ui/data/logins", "", "{}"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask("GET /api/v1/namespaces", session), StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(dashboard.interrupt(), ExitCode::ok);
}

TEST_F(DashboardTest, ThePageWithoutEncryptionStaysOnThisMachine) {
  RunningDashboard dashboard(kubeconfig("admin"), {.serve = true, .listen = "0.0.0.0:0"});
  EXPECT_EQ(dashboard.wait(), ExitCode::usage);
  EXPECT_THAT(dashboard.output.err_text, HasSubstr("without encryption"));
}

}  // namespace
}  // namespace windlass::cli
