// windlass_cluster_scenarios [--probe] KUBECONFIG [MANAGER] [NAMESPACE]: runs all scenarios on the
// cluster that the kubeconfig names and says which ended as they must. `tests/cluster/run` starts
// the controller. With --probe it only says what the server drops: exit 0 when a Job can name its
// controller there, 3 when not and no controller takes up a Job that names none, else 1. SIGINT and
// SIGTERM end a run with 130, after its Jobs and pods are deleted; a second one does not wait.
#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "base/generator.h"
#include "cluster/cleanup.h"
#include "cluster/preparation.h"
#include "cluster/suite.h"
#include "posix/event_loop.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_log.h"
#include "posix/posix_random.h"
#include "posix/signals.h"
#include "remote/kubeconfig.h"
#include "remote/remote_client.h"
#include "remote/server_features.h"

namespace windlass::cluster_tests {
namespace {

constexpr Duration kPatience = minutes(10);
// Of the cluster's own controller, which begins with a new Job within a second.
constexpr Duration kTimeToShowItself = seconds(5);

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

constexpr int kNoManagers = 3;
constexpr int kInterrupted = 130;

class Program {
 public:
  Program(remote::ClusterAccess access, bool probe, std::string manager, std::string ns)
      : credentials_(files_, clock_, std::move(access)),
        probe_only_(probe),
        manager_(std::move(manager)),
        ns_(std::move(ns)),
        suffix_("-" + name_suffix(random_)) {}

  int run() {
    loop_.post([this] { preparation_.start(); });
    loop_.run();
    return exit_code_;
  }

 private:
  client::ClientEnv env() { return {client_, loop_, clock_, random_, log_}; }

  void on_prepared(const Result<remote::ServerFeatures>& kept) {
    if (!kept) {
      say("the scenarios cannot begin: " + kept.error().message);
      return stop(1);
    }
    if (probe_only_) {
      for (const std::string& line : kept->missing()) {
        say("the server keeps no " + line);
      }
      return stop(kept->managed_by ? 0 : kNoManagers);
    }
    if (!manager_.empty() && !kept->managed_by) {
      say("the server does not keep spec.managedBy");
      return stop(kNoManagers);
    }
    for (const Scenario& scenario : scenarios()) {
      if (has_fields(*kept, scenario)) {
        chosen_.push_back(&scenario);
      } else {
        say(fmt::format("skipped {}: the server does not keep its fields", scenario.name));
      }
    }
    suite_.emplace(env(), ns_, manager_, chosen_, suffix_);
    suite_->when_done([this] { loop_.post([this] { report(); }); });
    loop_.schedule(kPatience, [this] { report(); });
    suite_->start();
  }

  std::string what_became_of(const Scenario& scenario) const {
    if (const auto refused = suite_->refused().find(scenario.name);
        refused != suite_->refused().end()) {
      return "refused: " + refused->second;
    }
    if (const auto job = suite_->ended().find(scenario.name); job != suite_->ended().end()) {
      return mistakes_in(scenario, *job->second);
    }
    const auto job = suite_->seen().find(scenario.name);
    return "has not ended: " +
           (job == suite_->seen().end() ? "it was never seen" : outcome_of(*job->second));
  }

  void report() {
    if (std::exchange(reported_, true)) {
      return;
    }
    size_t failed = 0;
    for (const Scenario* scenario : chosen_) {
      const std::string mistakes = what_became_of(*scenario);
      failed += mistakes.empty() ? 0u : 1u;
      say(mistakes.empty() ? fmt::format("ok      {}", scenario->name)
                           : fmt::format("FAILED  {}: {}", scenario->name, mistakes));
    }
    say(fmt::format("{} passed, {} failed, {} skipped", chosen_.size() - failed, failed,
                    scenarios().size() - chosen_.size()));
    clean_up(failed == 0 ? 0 : 1);
  }

  void interrupt() {
    if (!suite_ || std::exchange(interrupted_, true)) {
      return stop(kInterrupted);
    }
    if (!std::exchange(reported_, true)) {
      say("interrupted: the Jobs and their pods are deleted");
      clean_up(kInterrupted);
    }
  }

  // Their controller is needed for that.
  void clean_up(int exit_code) {
    std::vector<std::string> jobs;
    for (const Scenario* scenario : chosen_) {
      jobs.push_back(suite_->job_name(*scenario));
    }
    cleanup_.emplace(env(), ns_, std::move(jobs), [this, exit_code](size_t left) {
      if (left > 0) {
        say(fmt::format("FAILED  {} pods cannot be deleted", left));
      }
      stop(left == 0 ? exit_code : 1);
    });
    cleanup_->start();
  }

  void stop(int exit_code) {
    exit_code_ = exit_code;
    loop_.stop();
  }

  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::PosixFiles files_;
  posix::PosixLog log_{clock_, env::LogLevel::warning};
  posix::EventLoop loop_{clock_};
  posix::Signals signals_{loop_, {SIGINT, SIGTERM}, [this](int /*number*/) { interrupt(); }};
  remote::Credentials credentials_;
  remote::Dialer dialer_{loop_, clock_, credentials_};
  remote::Transport transport_{loop_, clock_, random_, dialer_, {}};
  remote::RemoteClient client_{transport_, random_};
  const bool probe_only_;
  const std::string manager_;
  const std::string ns_;
  const std::string suffix_;  // so that runs do not meet each other's Jobs
  // In a run our own controller is at work already.
  Preparation preparation_{env(), ns_, "windlass-probe" + suffix_,
                           [this](const auto& kept) { on_prepared(kept); },
                           probe_only_ ? kTimeToShowItself : Duration::zero()};
  std::vector<const Scenario*> chosen_;
  std::optional<Suite> suite_;
  std::optional<Cleanup> cleanup_;
  bool reported_ = false;
  bool interrupted_ = false;
  int exit_code_ = 1;
};

}  // namespace
}  // namespace windlass::cluster_tests

int main(int count, char** arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> words(arguments + 1, arguments + count);
  const bool probe = !words.empty() && words[0] == "--probe";
  words.erase(words.begin(), words.begin() + (probe ? 1 : 0));
  if (words.empty() || words.size() > 3) {
    std::fputs("usage: windlass_cluster_scenarios [--probe] KUBECONFIG [MANAGER] [NAMESPACE]\n",
               stderr);
    return 2;
  }
  windlass::posix::PosixFiles files;
  auto access = windlass::remote::load_kubeconfig(files, {words[0]}, "");
  if (!access) {
    std::fputs((access.error().message + "\n").c_str(), stderr);
    return 2;
  }
  const std::string manager = words.size() > 1 ? words[1] : "";
  const std::string ns = words.size() > 2 ? words[2] : access->ns;
  return windlass::cluster_tests::Program(*std::move(access), probe, manager, ns).run();
}
