// What an attempt costs in the ledger, and how long a search among 1,000,000 takes: `./dev bench
// ledger`. Prints a table; the limits are in docs/reference/performance.md.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "base/check.h"
#include "ledger/sqlite/attempt_reader.h"
#include "ledger/sqlite/ledger_file.h"
#include "posix/files/data_directory.h"
#include "posix/testing.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

constexpr size_t kAttempts = 1'000'000;
constexpr size_t kJobAttempts = 1'000;
constexpr size_t kGroupRows = 200;
constexpr int kRounds = 9;

using LedgerBenchClock = std::chrono::steady_clock;

double millis_since(LedgerBenchClock::time_point start) {
  return std::chrono::duration<double, std::milli>(LedgerBenchClock::now() - start).count();
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// As the control plane records one: a container with requests and limits, times, a verdict.
AttemptPtr bench_attempt(size_t number) {
  auto attempt = std::make_shared<api::ledger::v1::Attempt>();
  const size_t job = number % (kAttempts / kJobAttempts);
  const size_t index = number / (kAttempts / kJobAttempts);
  const auto at = 1'700'000'000 + static_cast<int64_t>(number / 50);
  attempt->mutable_metadata()->set_namespace_("team-research");
  attempt->mutable_metadata()->set_name(fmt::format(
      "{:08x}-1234-4321-8765-{:012x}", number * 2'654'435'761U % 4'294'967'296U, number));
  attempt->mutable_job()->set_name(fmt::format("nightly-training-{:04}", job));
  attempt->mutable_job()->set_uid(fmt::format("{:08x}-aaaa-4bbb-8ccc-0123456789ab", job));
  attempt->set_index(static_cast<int32_t>(index));
  attempt->set_number(1);
  attempt->set_pod_name(fmt::format("nightly-training-{:04}-{}-x7k2p", job, index));
  attempt->set_node_name(fmt::format("worker-{:03}.cluster.example", number % 200));
  attempt->set_phase(number % 10 == 0 ? "Failed" : "Succeeded");
  attempt->mutable_created_at()->set_seconds(at - 65);
  attempt->mutable_scheduled_at()->set_seconds(at - 65);
  attempt->mutable_started_at()->set_seconds(at - 60);
  attempt->mutable_ended_at()->set_seconds(at);
  auto* container = attempt->add_containers();
  container->set_name("main");
  container->set_image("registry.example/research/trainer:2026-11-18");
  container->set_exit_code(number % 10 == 0 ? static_cast<int32_t>(1 + number % 7) : 0);
  container->set_reason(number % 10 == 0 ? "Error" : "Completed");
  container->mutable_started_at()->set_seconds(at - 60);
  container->mutable_finished_at()->set_seconds(at);
  for (auto* resources : {container->mutable_requests(), container->mutable_limits()}) {
    (*resources)["cpu"].set_string("500m");
    (*resources)["memory"].set_string("512Mi");
  }
  container->set_peak_memory_bytes(123'456'789);
  container->set_cpu_microseconds(45'678'901);
  attempt->set_deciding_container("main");
  attempt->mutable_verdict()->set_counted(attempt->phase());
  if (number % 10 == 0) {
    attempt->mutable_verdict()->set_rule(0);
    attempt->mutable_verdict()->set_rule_name("bad-input");
    attempt->mutable_verdict()->set_action("Count");
  }
  return attempt;
}

void fill(LedgerFile& file) {
  double spent = 0;
  double waited = 0;
  std::vector<AttemptPtr> group;
  for (size_t i = 0; i < kAttempts;) {
    group.clear();
    for (size_t k = 0; k < kGroupRows; ++k) {
      group.push_back(bench_attempt(i++));
    }
    const auto start = LedgerBenchClock::now();
    const double cpu = cpu_seconds();
    CHECK(file.append(group, time_from_unix(1'700'000'000)) == sqlite::SqliteResult::done,
          file.why());
    file.maintain(Time::min());
    spent += cpu_seconds() - cpu;
    waited += millis_since(start);
  }
  fmt::print("{:<58} {:>9.1f} us\n",
             fmt::format("CPU time per attempt, in groups of {}", kGroupRows),
             spent * 1e6 / kAttempts);
  fmt::print("{:<58} {:>9.1f} us\n", "elapsed time per attempt, syncs included",
             waited * 1e3 / kAttempts);
  fmt::print("{:<58} {:>9.0f} B\n", "file per attempt, without log tail",
             static_cast<double>(file.bytes()) / kAttempts);
}

size_t search_all(AttemptReader& reader, const AttemptFilter& filter) {
  size_t found = 0;
  std::string next;
  do {
    const AttemptPage page = reader.find(filter, 5'000, next).value();
    found += page.items.size();
    next = page.next;
  } while (!next.empty());
  return found;
}

void measure(AttemptReader& reader, const std::string& name, const AttemptFilter& filter) {
  std::vector<double> times;
  size_t found = 0;
  for (int i = 0; i < kRounds; ++i) {
    const auto start = LedgerBenchClock::now();
    found = search_all(reader, filter);
    times.push_back(millis_since(start));
  }
  std::sort(times.begin(), times.end());
  fmt::print("{:<58} {:>9.2f} ms (worst {:.2f})\n", fmt::format("{}: {} found", name, found),
             times[times.size() / 2], times.back());
}

void measure_all() {
  const posix::TemporaryDirectory folder;
  LedgerOptions options;
  options.keep_bytes = uint64_t{1} << 40;
  auto file = LedgerFile::open(posix::enter_directory(folder.path()).value(), options).value();
  fill(*file);
  auto reader = AttemptReader::open(posix::enter_directory(folder.path()).value(), {}).value();
  measure(*reader, "one Job by name", {.ns = "team-research", .job = "nightly-training-0500"});
  measure(*reader, "one Job by name, its failures",
          {.job = "nightly-training-0500", .exit_code = 4, .counted = "Failed"});
  measure(*reader, "one index of one Job",
          {.job = "nightly-training-0500", .indexes = IndexSet{77}});
  measure(*reader, "one pod by UID", {.pod_uid = bench_attempt(765'432)->metadata().name()});
  measure(*reader, "one minute by time",
          {.since = time_from_unix(1'700'010'000), .until = time_from_unix(1'700'010'060)});
  measure(*reader, "no attempt, after a look at all",
          {.exit_code = 99, .node = "worker-007.cluster.example"});
}

}  // namespace
}  // namespace windlass::ledger

int main() {
  windlass::ledger::measure_all();
  return 0;
}
