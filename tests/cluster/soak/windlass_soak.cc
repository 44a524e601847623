// windlass_soak: `windlass controller` for a long time against our API server over TLS, with a bad
// line between them. Rounds of Jobs with known ends begin all the time; each must end as it must,
// leave no finalizer behind, and go. The memory of the controller must not grow.
// Exit 0 when all of that held, 1 otherwise, 2 on wrong usage.
#include <fmt/format.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <string>
#include <vector>

#include "cluster/soak/controller_process.h"
#include "cluster/soak/fault_mix.h"
#include "cluster/soak/memory.h"
#include "cluster/soak/round.h"
#include "plane/kubeconfig_text.h"
#include "posix/testing.h"
#include "remote/testing.h"

namespace windlass::cluster_tests {
namespace {

constexpr char kUsage[] =
    "usage: windlass_soak PROGRAM [--minutes N] [--every SECONDS] [--lease SECONDS] "
    "[--seed S]\n"
    "  PROGRAM          windlass\n"
    "  --minutes N      for so long (1); rounds that run then are waited for\n"
    "  --every SECONDS  a new round of Jobs (5)\n"
    "  --lease SECONDS  of the controller (15): more on a machine where processes are paused, "
    "which\n"
    "                   a leader rightly takes for the loss of its Lease\n"
    "  --seed S         of the faults (1)\n";

constexpr Duration kOutageEvery = minutes(4);
constexpr Duration kOutage = seconds(3);
constexpr size_t kMaxOpenRounds = 60;  // more would say that nothing ends
constexpr int64_t kSamples = 60;
constexpr Duration kWarm = minutes(30);   // caches of the controller fill for ten minutes
constexpr uint64_t kRoundsPerCutOne = 5;  // one in so many is not waited for

void say(const std::string& text) {
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

struct Arguments {
  std::string program;
  double minutes = 1;
  double every = 5;
  int lease = 15;
  uint64_t seed = 1;
};

class Soak {
 public:
  explicit Soak(const Arguments& arguments)
      : length_(milliseconds(static_cast<int64_t>(arguments.minutes * 60'000))),
        every_(milliseconds(static_cast<int64_t>(arguments.every * 1000))),
        faults_(arguments.seed),
        random_(arguments.seed + 1),
        controller_(arguments.program, write_kubeconfig(), std::chrono::seconds(arguments.lease),
                    directory_ / "controller.log") {
    cluster_.choose_faults(
        [this](const http::Request& request) { return faults_.choose(request); });
  }

  int run() {
    started_ = user_.clock.monotonic();
    user_.loop.post([this] { begin_round(); });
    user_.loop.schedule(length_ / kSamples, [this] { sample(); });
    user_.loop.schedule(kOutageEvery, [this] { begin_outage(); });
    user_.loop.run();
    return report();
  }

 private:
  std::string write_kubeconfig() {
    const remote::ClusterAccess access = cluster_.access();
    return directory_.write(
        "kubeconfig", plane::kubeconfig_text({access.server.text(), access.authority_pem, "admin",
                                              "", access.certificate_pem, access.key_pem}));
  }

  Duration age() { return user_.clock.monotonic() - started_; }
  bool is_late() { return age() >= length_; }

  void begin_round() {
    if (is_late()) {
      return stop_if_over();
    }
    user_.loop.schedule(every_, [this] { begin_round(); });
    if (rounds_.size() >= kMaxOpenRounds) {
      ++rounds_skipped_;
      return;
    }
    const uint64_t draw = random_.uniform(2 * kRoundsPerCutOne);
    const Round::End end = draw == 0   ? Round::End::jobs_deleted
                           : draw == 1 ? Round::End::namespace_deleted
                                       : Round::End::waited_for;
    const auto place = rounds_.emplace(rounds_.end());
    *place = std::make_unique<Round>(
        client::ClientEnv{user_.client, user_.loop, user_.clock, user_.random, log_},
        fmt::format("soak-{}", ++rounds_begun_), end, milliseconds(random_.between(50, 4000)),
        [this, place] { on_round_over(place); });
    (*place)->start();
  }

  using Place = std::list<std::unique_ptr<Round>>::iterator;
  void on_round_over(Place place) {
    ++rounds_over_;
    jobs_ += (*place)->jobs();
    for (const std::string& mistake : (*place)->mistakes()) {
      mistakes_.push_back(mistake);
      say("WRONG  " + mistake);
    }
    rounds_.erase(place);
    stop_if_over();
  }

  void stop_if_over() {
    if (is_late() && rounds_.empty()) {
      user_.loop.stop();
    }
  }

  void sample() {
    if (const auto code = controller_.ended()) {
      mistakes_.push_back(fmt::format("the controller has ended, with {}", *code));
      return user_.loop.stop();
    }
    samples_kb_.push_back(controller_.resident_kb());
    const FaultMix::Tally tally = faults_.tally();
    say(
        fmt::format("{:5.1f} min  {:6.1f} MB  CPU {:6.1f} s  requests {} ({} harmed)  rounds {} "
                    "({} open)  Jobs {}",
                    to_seconds(age()) / 60, static_cast<double>(samples_kb_.back()) / 1024,
                    to_seconds(controller_.cpu()), tally.requests, tally.harmed, rounds_over_,
                    rounds_.size(), jobs_));
    if (!is_late()) {
      user_.loop.schedule(length_ / kSamples, [this] { sample(); });
    }
  }

  void begin_outage() {
    cluster_.pause();
    ++outages_;
    user_.loop.schedule(kOutage, [this] {
      cluster_.resume();
      user_.loop.schedule(kOutageEvery, [this] { begin_outage(); });
    });
  }

  static double to_seconds(Duration duration) {
    return static_cast<double>(duration.count()) / 1e9;
  }

  int report() {
    const int code = controller_.stop();
    if (code != 0) {
      mistakes_.push_back(fmt::format("the controller ended with {}, not 0:\n{}", code,
                                      directory_.read("controller.log")));
    }
    if (rounds_skipped_ > 0) {
      mistakes_.push_back(
          fmt::format("{} rounds could not begin: too many did not end", rounds_skipped_));
    }
    const Growth growth = growth_of(samples_kb_);
    if (length_ >= kWarm && !growth.within_limits()) {
      mistakes_.push_back("the controller's memory grows");
    }
    for (const auto& [kind, count] : faults_.tally().kinds) {
      say(fmt::format("  {:6}  {}", count, kind));
    }
    say(
        fmt::format("{} rounds, {} Jobs, {} outages of the server; memory {} kB in the second "
                    "quarter, {} kB in the last",
                    rounds_over_, jobs_, outages_, growth.before_kb, growth.after_kb));
    for (const std::string& mistake : mistakes_) {
      say("WRONG  " + mistake);
    }
    say(mistakes_.empty() ? "all as it must be" : fmt::format("{} mistakes", mistakes_.size()));
    return mistakes_.empty() ? 0 : 1;
  }

  const Duration length_;
  const Duration every_;
  posix::TemporaryDirectory directory_;
  FaultMix faults_;
  Generator random_;
  cli::testing::TestCluster cluster_{0};
  net::testing::TextLog log_;
  remote::testing::TestClient user_{cluster_.access()};
  ControllerProcess controller_;
  MonotonicTime started_;
  std::list<std::unique_ptr<Round>> rounds_;
  size_t rounds_begun_ = 0;
  size_t rounds_over_ = 0;
  size_t rounds_skipped_ = 0;
  size_t jobs_ = 0;
  size_t outages_ = 0;
  std::vector<int64_t> samples_kb_;
  std::vector<std::string> mistakes_;
};

bool read_arguments(const std::vector<std::string>& words, Arguments& out) {
  if (words.empty() || words.size() % 2 == 0) {
    return false;
  }
  out.program = words[0];
  for (size_t i = 1; i < words.size(); i += 2) {
    const char* value = words[i + 1].c_str();
    if (words[i] == "--minutes") {
      out.minutes = std::atof(value);
    } else if (words[i] == "--every") {
      out.every = std::atof(value);
    } else if (words[i] == "--lease") {
      out.lease = std::atoi(value);
    } else if (words[i] == "--seed") {
      out.seed = std::strtoull(value, nullptr, 10);
    } else {
      return false;
    }
  }
  return out.minutes > 0 && out.every > 0 && out.lease >= 15;
}

}  // namespace
}  // namespace windlass::cluster_tests

int main(int count, char** arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  windlass::cluster_tests::Arguments read;
  if (!windlass::cluster_tests::read_arguments({arguments + 1, arguments + count}, read)) {
    std::fputs(windlass::cluster_tests::kUsage, stderr);
    return 2;
  }
  return windlass::cluster_tests::Soak(read).run();
}
