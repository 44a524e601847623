// The whole control plane in one process, with hollow nodes and the durable store: how long Jobs
// take that do nothing, so that everything measured is the control plane itself. `./dev bench
// control-plane`; with --large also 100,000 indexes; with words (succeed, fail, fail-per-index,
// jobs, beside, idle, ledger) and --size=N only these. Prints tables; the limits are in
// docs/reference/performance.md.
//
// The first two follow KEP-3850's benchmarks: all indexes succeed, and all fail once with a
// back-off of at most 10 ms. Every scenario gets a control plane and a data directory of its own.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/check.h"
#include "client/informer.h"
#include "node/hollow/hollow_nodes.h"
#include "plane/attempt_ledger.h"
#include "plane/control_plane.h"
#include "posix/event_loop.h"
#include "posix/files/data_directory.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_random.h"
#include "posix/testing.h"
#include "posix/worker_thread.h"
#include "schema/batch/v1/job.pb.h"
#include "store/sqlite/sqlite_journal.h"
#include "store/store.h"
#include "virtual_world/virtual_log.h"

namespace windlass {
namespace {

using BenchClock = std::chrono::steady_clock;
using node::hollow::Behavior;
using node::hollow::PodSpec;

constexpr size_t kNodes = 1'000;
constexpr Duration kBackoff = milliseconds(10);
constexpr Duration kGiveUp = minutes(20);

double seconds_since(BenchClock::time_point start) {
  return std::chrono::duration<double>(BenchClock::now() - start).count();
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

size_t resident_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) {
      return static_cast<size_t>(std::stoul(line.substr(6))) / 1024;
    }
  }
  return 0;
}

struct Ended {
  std::string name;
  bool complete = false;
  bool failed = false;
};

Ended read_end(const api::Message& message) {
  const auto& job = static_cast<const api::batch::v1::Job&>(message);
  Ended ended{job.metadata().name()};
  for (const auto& condition : job.status().conditions()) {
    ended.complete |= condition.type() == "Complete" && condition.status() == "True";
    ended.failed |= condition.type() == "Failed" && condition.status() == "True";
  }
  return ended;
}

// A control plane on a data directory, and its nodes.
class Rig {
 public:
  explicit Rig(node::hollow::Script script, bool with_ledger = false)
      : loop_(clock_),
        worker_(clock_, "journal"),
        journal_(loop_, worker_, log_, open_file(folder_.path())),
        store_(&journal_) {
    CHECK(store_.load(), "an empty directory loads");
    plane::ControlPlaneOptions options;
    options.periods.backoff_base = kBackoff;
    options.periods.backoff_cap = kBackoff;
    if (with_ledger) {
      ledger_worker_.emplace(clock_, "ledger");
      auto ledger = plane::open_ledger({clock_, random_, loop_, log_, files_}, *ledger_worker_,
                                       metrics_, folder_.path(), "ledger.db", {});
      CHECK(ledger.has_value(), "a new ledger opens");
      ledger_ = *std::move(ledger);
      options.ledger = ledger_.get();
    }
    plane_.emplace(env::Env{clock_, random_, loop_, log_, files_}, store_, options);
    plane_->start();
    node::hollow::HollowOptions hollow;
    for (size_t i = 0; i < kNodes; ++i) {
      hollow.nodes.push_back(node::hollow::hollow_config(i));
    }
    hollow.script = std::move(script);
    nodes_.emplace(env(), std::move(hollow));
    jobs_.emplace(env(), client::Collection{&api::kinds::job()}, read_end);
    jobs_->add_handler({[this](const Ended& job) { on_job(job); },
                        [this](const Ended&, const Ended& job) { on_job(job); },
                        {}});
    jobs_->start();
    nodes_->start([this] { loop_.stop(); });
    loop_.run();
    settle();
  }
  ~Rig() {
    jobs_.reset();
    nodes_.reset();
    plane_.reset();
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  client::ClientEnv env() { return plane_->client_env(); }
  posix::EventLoop& loop() { return loop_; }
  uint64_t revision() const { return store_.revision(); }
  uint64_t groups() const { return journal_.groups(); }
  // Attempts that the ledger has.
  double recorded() {
    return metrics_.counter("windlass_ledger_records_total", "", {"result"}).value({"recorded"});
  }

  std::function<void(const std::string& name)> on_complete;

  void create(const std::string& name, int32_t completions, int32_t parallelism,
              std::optional<int32_t> per_index = {}, std::function<void()> created = {}) {
    auto job = std::make_shared<api::batch::v1::Job>();
    job->mutable_metadata()->set_name(name);
    job->mutable_metadata()->set_namespace_("default");
    auto& spec = *job->mutable_spec();
    spec.set_completions(completions);
    spec.set_parallelism(parallelism);
    spec.set_completion_mode("Indexed");
    if (per_index) {
      spec.set_backoff_limit_per_index(*per_index);
    } else {
      spec.set_backoff_limit(completions + 1);
    }
    auto& pod = *spec.mutable_template_()->mutable_spec();
    pod.set_restart_policy("Never");
    auto& container = *pod.add_containers();
    container.set_name("main");
    container.set_image("none");
    plane_->client().create({&api::kinds::job(), "default", name}, job,
                            [created](const Result<client::ObjectPtr>& answer) {
                              CHECK(answer.has_value(), "the Job is created");
                              if (created) {
                                created();
                              }
                            });
  }
  // Until `count` Jobs have completed in all.
  void run_until_complete(size_t count) {
    wanted_ = count;
    if (complete_.size() < wanted_) {
      run_for(kGiveUp);
    }
    CHECK(complete_.size() >= wanted_, "all Jobs completed in time");
  }
  void run_for(Duration duration) {
    const env::TimerId timer = loop_.schedule(duration, [this] { loop_.stop(); });
    loop_.run();
    loop_.cancel(timer);
  }
  // Until hardly more than heartbeats is written.
  void settle() {
    for (uint64_t written = kNodes; written > kNodes / 10;) {
      const uint64_t before = revision();
      run_for(milliseconds(300));
      written = revision() - before;
    }
  }

 private:
  static std::unique_ptr<store::RevisionLog> open_file(const std::string& path) {
    auto file = store::RevisionLog::open(*posix::open_data_directory(path), {});
    CHECK(file.has_value(), "a new file opens");
    return *std::move(file);
  }

  void on_job(const Ended& job) {
    CHECK(!job.failed, "no Job fails here");
    if (job.complete && complete_.insert(job.name).second) {
      if (on_complete) {
        on_complete(job.name);
      }
      if (complete_.size() == wanted_) {
        loop_.stop();
      }
    }
  }

  posix::TemporaryDirectory folder_;
  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::PosixFiles files_;
  virtual_world::VirtualLog log_;
  posix::EventLoop loop_;
  posix::WorkerThread worker_;
  store::SqliteJournal journal_;
  store::Store store_;
  MetricRegistry metrics_;
  std::optional<posix::WorkerThread> ledger_worker_;
  std::unique_ptr<ledger::SqliteLedger> ledger_;
  std::optional<plane::ControlPlane> plane_;
  std::optional<node::hollow::HollowNodes> nodes_;
  std::optional<client::Informer<Ended>> jobs_;
  std::set<std::string> complete_;
  size_t wanted_ = 0;
};

Behavior at_once(int exit_code = 0) {
  Behavior behavior;
  behavior.duration = Duration::zero();
  behavior.exit_code = exit_code;
  return behavior;
}

enum class Story { succeed, fail_once, fail_once_per_index };

std::string_view text_of(Story story) {
  switch (story) {
    case Story::succeed:
      return "all succeed";
    case Story::fail_once:
      return "all fail once, backoffLimit";
    case Story::fail_once_per_index:
      break;
  }
  return "all fail once, backoffLimitPerIndex";
}

node::hollow::Script script_of(Story story, std::set<std::string>& failed) {
  return [&failed, story](const PodSpec& pod) {
    const bool fails = story != Story::succeed && failed.insert(pod.index).second;
    return at_once(fails ? 1 : 0);
  };
}

void measure_indexes(Story story, int32_t indexes) {
  std::set<std::string> failed;
  Rig rig(script_of(story, failed));
  const uint64_t revision = rig.revision();
  const uint64_t groups = rig.groups();
  const double processor = processor_seconds();
  const auto start = BenchClock::now();
  rig.create("job", indexes, indexes,
             story == Story::fail_once_per_index ? std::optional(1) : std::nullopt);
  rig.run_until_complete(1);
  const double took = seconds_since(start);
  const double pods = indexes * (story == Story::succeed ? 1.0 : 2.0);
  const double writes = static_cast<double>(rig.revision() - revision);
  fmt::print("| {} | {} | {:.2f} s | {:.2f} s | {:.0f} | {:.1f} | {:.0f} | {} MB |\n",
             text_of(story), indexes, took, processor_seconds() - processor, pods / took,
             writes / pods, writes / static_cast<double>(rig.groups() - groups),
             resident_megabytes());
}

struct LedgerCost {
  double seconds = 0;
  double processor = 0;
};

LedgerCost run_with(Story story, int32_t indexes, bool with_ledger) {
  std::set<std::string> failed;
  Rig rig(script_of(story, failed), with_ledger);
  const double processor = processor_seconds();
  const auto start = BenchClock::now();
  rig.create("job", indexes, indexes);
  rig.run_until_complete(1);
  const LedgerCost cost{seconds_since(start), processor_seconds() - processor};
  const double pods = indexes * (story == Story::succeed ? 1.0 : 2.0);
  CHECK(rig.recorded() == (with_ledger ? pods : 0), "each pod has one record");
  return cost;
}

// Turn and turn about, so that what else the machine does hits both.
void measure_ledger(Story story, int32_t indexes) {
  constexpr int kTurns = 5;
  std::vector<double> seconds[2];
  std::vector<double> processor[2];
  for (int turn = 0; turn < 2 * kTurns; ++turn) {
    const size_t with = turn % 4 == 1 || turn % 4 == 2 ? 1 : 0;
    const LedgerCost cost = run_with(story, indexes, with == 1);
    seconds[with].push_back(cost.seconds);
    processor[with].push_back(cost.processor);
  }
  const auto least = [](const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
  };
  fmt::print(
      "{}, {} indexes, best of {}: without a ledger {:.2f} s and {:.2f} s of processor time, with "
      "one {:.2f} s and {:.2f} s: {:+.1f} % and {:+.1f} % (limit 5 % of pods per second)\n",
      text_of(story), indexes, kTurns, least(seconds[0]), least(processor[0]), least(seconds[1]),
      least(processor[1]), 100 * (least(seconds[1]) / least(seconds[0]) - 1),
      100 * (least(processor[1]) / least(processor[0]) - 1));
}

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<size_t>(share * static_cast<double>(values.size())))];
}

// As fast as they can be created, or so many a second.
void measure_many_jobs(size_t count, std::optional<size_t> per_second) {
  constexpr size_t kCreators = 64;
  constexpr Duration kTick = milliseconds(25);
  std::map<std::string, BenchClock::time_point> ended;
  std::vector<double> latencies;
  Rig rig([&ended](const PodSpec& pod) {
    ended[pod.job] = BenchClock::now();
    return at_once();
  });
  rig.on_complete = [&](const std::string& name) {
    latencies.push_back(seconds_since(ended.at(name)) * 1000);
  };
  size_t next = 0;
  const auto create_one = [&](const std::function<void()>& then) {
    if (next < count) {
      rig.create(fmt::format("job-{}", next++), 1, 1, {}, then);
    }
  };
  const std::function<void()> create_next = [&] { create_one(create_next); };
  const std::function<void()> tick = [&] {
    for (size_t i = 0; i < *per_second / 40; ++i) {
      create_one([] {});
    }
    rig.env().executor.schedule(kTick, tick);
  };
  const double processor = processor_seconds();
  const auto start = BenchClock::now();
  for (size_t i = 0; i < kCreators && !per_second; ++i) {
    create_next();
  }
  if (per_second) {
    tick();
  }
  rig.run_until_complete(count);
  fmt::print(
      "{} Jobs of one pod, {}: {:.2f} s, {:.2f} s of processor time (limit 30 s); pod's end to "
      "Complete: p50 {:.0f} ms, p99 {:.0f} ms (limit 100 ms), {} MB\n",
      count, per_second ? fmt::format("{} a second", *per_second) : "as fast as possible",
      seconds_since(start), processor_seconds() - processor, percentile(latencies, 0.5),
      percentile(latencies, 0.99), resident_megabytes());
}

void measure_small_beside_large(int32_t indexes) {
  constexpr int kSmall = 20;
  Rig rig([](const PodSpec& pod) {
    Behavior behavior = at_once();
    behavior.duration = pod.job == "large" ? milliseconds(100) : Duration::zero();
    return behavior;
  });
  std::map<std::string, BenchClock::time_point> created;
  std::vector<double> took;
  bool large_done = false;
  rig.on_complete = [&](const std::string& name) {
    if (name == "large") {
      large_done = true;
    } else if (!large_done) {
      took.push_back(seconds_since(created.at(name)));
      rig.loop().stop();
    }
  };
  rig.create("large", indexes, std::min(indexes, 10'000));
  rig.run_for(milliseconds(500));
  for (int i = 0; i < kSmall && !large_done; ++i) {
    const std::string name = fmt::format("small-{}", i);
    created[name] = BenchClock::now();
    rig.create(name, 1, 1);
    rig.run_for(minutes(1));
    rig.run_for(milliseconds(20));
  }
  CHECK(!took.empty(), "a small Job completed before the large one");
  fmt::print(
      "a Job of one pod beside one of {}: {} of them, median {:.2f} s, slowest {:.2f} s (limit 2 "
      "s)\n",
      indexes, took.size(), percentile(took, 0.5), percentile(took, 1));
}

void measure_idle() {
  Rig rig([](const PodSpec&) { return at_once(); });
  rig.create("job", 1'000, 1'000);
  rig.run_until_complete(1);
  rig.settle();
  size_t heartbeats = 0;
  const auto count = [&heartbeats](const auto&...) { ++heartbeats; };
  client::Informer<int> leases(rig.env(), {&api::kinds::lease(), "kube-node-lease"},
                               [](const api::Message&) { return 0; });
  client::Informer<int> nodes(rig.env(), {&api::kinds::node()},
                              [](const api::Message&) { return 0; });
  leases.add_handler({{}, count, {}});
  nodes.add_handler({{}, count, {}});
  leases.start();
  nodes.start();
  rig.run_for(milliseconds(500));
  heartbeats = 0;
  const uint64_t revision = rig.revision();
  const double processor = processor_seconds();
  rig.run_for(seconds(30));
  fmt::print(
      "idle with {} nodes for 30 s: {} writes, {} of them heartbeats; {:.2f} s of processor time\n",
      kNodes, rig.revision() - revision, heartbeats, processor_seconds() - processor);
}

struct Wanted {
  std::set<std::string> words = {};  // empty: everything
  bool large = false;
  std::optional<int32_t> size = {};

  bool has(const std::string& word) const { return words.empty() || words.contains(word); }
  std::vector<int32_t> sizes() const {
    if (size) {
      return {*size};
    }
    std::vector<int32_t> all = {10, 100, 1'000, 10'000};
    if (large) {
      all.push_back(100'000);
    }
    return all;
  }
};

Wanted read_words(const std::vector<std::string>& words) {
  constexpr std::string_view kSize = "--size=";
  Wanted wanted;
  for (const std::string& word : words) {
    if (word == "--large") {
      wanted.large = true;
    } else if (word.starts_with(kSize)) {
      wanted.size = std::stoi(word.substr(kSize.size()));
    } else {
      wanted.words.insert(word);
    }
  }
  return wanted;
}

void measure_stories(const Wanted& wanted) {
  fmt::print(
      "| Job | indexes | time | processor | pods/s | writes per pod | writes per commit | memory "
      "|\n"
      "|---|---|---|---|---|---|---|---|\n");
  const std::pair<const char*, Story> stories[] = {{"succeed", Story::succeed},
                                                   {"fail", Story::fail_once},
                                                   {"fail-per-index", Story::fail_once_per_index}};
  for (const auto& [word, story] : stories) {
    if (!wanted.has(word)) {
      continue;
    }
    for (const int32_t size : wanted.sizes()) {
      measure_indexes(story, size);
    }
  }
  fmt::print("\n");
}

void measure_all(const Wanted& wanted) {
  measure_stories(wanted);
  if (wanted.has("jobs")) {
    const auto count = static_cast<size_t>(wanted.size.value_or(10'000));
    measure_many_jobs(count, std::nullopt);
    measure_many_jobs(count, 400);
  }
  if (wanted.has("beside")) {
    measure_small_beside_large(wanted.size.value_or(wanted.large ? 100'000 : 20'000));
  }
  if (wanted.has("idle")) {
    measure_idle();
  }
  if (wanted.has("ledger")) {
    measure_ledger(Story::succeed, wanted.size.value_or(10'000));
    measure_ledger(Story::fail_once, wanted.size.value_or(10'000));
  }
}

}  // namespace
}  // namespace windlass

int main(int argc, char** argv) {
  windlass::measure_all(windlass::read_words({argv + 1, argv + argc}));
  return 0;
}
