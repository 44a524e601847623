// windlass_cluster_scenarios KUBECONFIG [MANAGER] [NAMESPACE]: runs all scenarios on the cluster
// that the kubeconfig names and says which ended as they must. `tests/cluster/run` starts the
// controller.
#include <fmt/format.h>
#include <signal.h>

#include <cstdio>

#include "client/object_identity.h"
#include "cluster/suite.h"
#include "posix/event_loop.h"
#include "posix/posix_clock.h"
#include "posix/posix_files.h"
#include "posix/posix_log.h"
#include "posix/posix_random.h"
#include "remote/kubeconfig.h"
#include "remote/remote_client.h"
#include "remote/server_features.h"

namespace windlass::cluster_tests {
namespace {

constexpr Duration kPatience = minutes(10);

void say(const std::string& text) {
  std::fputs((text + "\n").c_str(), stdout);
}

bool has_fields(const remote::ServerFeatures& features, const Scenario& scenario) {
  const std::string spec = scenario.spec;
  const auto uses = [&spec](const char* field) { return spec.find(field) != std::string::npos; };
  return (features.backoff_limit_per_index || !uses("backoffLimitPerIndex")) &&
         (features.pod_replacement_policy || !uses("podReplacementPolicy")) &&
         (features.success_policy || !uses("successPolicy"));
}

class Program {
 public:
  Program(remote::Access access, std::string manager, std::string ns)
      : credentials_(files_, clock_, std::move(access)),
        manager_(std::move(manager)),
        ns_(std::move(ns)) {}

  int run() {
    loop_.post([this] { read_features(); });
    loop_.run();
    return failed_ == 0 ? 0 : 1;
  }

 private:
  void read_features() {
    client_.get_text("/openapi/v3/apis/batch/v1", [this](const Result<std::string>& text) {
      remote::ServerFeatures features;
      if (const auto known = text ? remote::read_features(*text)
                                  : Result<remote::ServerFeatures>(fail(text.error()))) {
        features = *known;
        for (const std::string& line : features.missing()) {
          say("the server has no " + line);
        }
      } else {
        say("what the server can do is not known: " + known.error().message);
      }
      for (const Scenario& scenario : scenarios()) {
        if (has_fields(features, scenario)) {
          chosen_.push_back(&scenario);
        } else {
          say(fmt::format("skipped {}: the server has not got its fields", scenario.name));
        }
      }
      start();
    });
  }

  void start() {
    suite_.emplace(client::ClientEnv{client_, loop_, clock_, random_, log_}, ns_, manager_,
                   chosen_);
    suite_->when_done([this] { report(); });
    loop_.schedule(kPatience, [this] { report(); });
    suite_->start();
  }

  void report() {
    size_t passed = 0;
    for (const Scenario* scenario : chosen_) {
      const auto job = suite_->ended().find(scenario->name);
      const auto refused = suite_->refused().find(scenario->name);
      const std::string mistakes = refused != suite_->refused().end() ? refused->second
                                   : job == suite_->ended().end()
                                       ? "has not ended"
                                       : mistakes_in(*scenario, *job->second);
      mistakes.empty() ? ++passed : ++failed_;
      say(mistakes.empty() ? fmt::format("ok      {}", scenario->name)
                           : fmt::format("FAILED  {}: {}", scenario->name, mistakes));
    }
    say(fmt::format("{} passed, {} failed", passed, failed_));
    loop_.stop();
  }

  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::PosixFiles files_;
  posix::PosixLog log_{clock_, env::LogLevel::warning};
  posix::EventLoop loop_{clock_};
  remote::Credentials credentials_;
  remote::Dialer dialer_{loop_, clock_, credentials_};
  remote::Transport transport_{loop_, clock_, dialer_, {}};
  remote::RemoteClient client_{transport_, random_};
  const std::string manager_;
  const std::string ns_;
  std::vector<const Scenario*> chosen_;
  std::optional<Suite> suite_;
  size_t failed_ = 0;
};

}  // namespace
}  // namespace windlass::cluster_tests

int main(int count, char** arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.empty() || words.size() > 3) {
    std::fputs("usage: windlass_cluster_scenarios KUBECONFIG [MANAGER] [NAMESPACE]\n", stderr);
    return 2;
  }
  windlass::posix::PosixFiles files;
  auto access = windlass::remote::load_kubeconfig(files, {words[0]}, "");
  if (!access) {
    std::fputs((access.error().message + "\n").c_str(), stderr);
    return 2;
  }
  const std::string ns = words.size() > 2 ? words[2] : access->ns;
  windlass::cluster_tests::Program program(*std::move(access), words.size() > 1 ? words[1] : "",
                                           ns);
  return program.run();
}
