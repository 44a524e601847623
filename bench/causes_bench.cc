// What grouping failures by cause costs: 10,000 attempts of four causes, with log tails as the
// ledger keeps them. The attempts are in memory; reading them is not measured.
#include <benchmark/benchmark.h>

#include <vector>

#include "base/check.h"
#include "ledger/causes/cause_text.h"
#include "ledger/causes/failure_cause.h"
#include "ledger/causes/line_pattern.h"
#include "ledger/causes/telling_line.h"
#include "schema/ledger/v1/attempt.pb.h"
#include "verify/ledgers/attempt_maker.h"

namespace {

using namespace windlass::ledger;  // NOLINT: a benchmark, not a library

constexpr int kFailures = 10'000;

void group_failures(benchmark::State& state) {
  const std::vector<AttemptPtr> attempts = planted_failures(kFailures);
  for (auto _ : state) {
    CauseGroups groups;
    for (const AttemptPtr& attempt : attempts) {
      groups.add(attempt);
    }
    CHECK(groups.causes().size() == 4, "four causes are planted");
    benchmark::DoNotOptimize(causes_block(groups));
  }
  state.SetItemsProcessed(state.iterations() * kFailures);
}
BENCHMARK(group_failures)->Unit(benchmark::kMillisecond);

// A log of 16 KiB without any report of a crash.
void group_failures_with_full_tails(benchmark::State& state) {
  std::vector<AttemptPtr> attempts;
  for (int i = 0; i < kFailures / 10; ++i) {
    std::string log;
    while (log.size() < 16'384) {
      log += "2026-01-02T03:04:05Z INFO worker " + std::to_string(i) + " read a record\n";
    }
    attempts.push_back(AttemptMaker().index(i).exit(1).log(log).make());
  }
  for (auto _ : state) {
    CauseGroups groups;
    for (int repeat = 0; repeat < 10; ++repeat) {
      for (const AttemptPtr& attempt : attempts) {
        groups.add(attempt);
      }
    }
    CHECK(groups.causes().size() == 1, "one cause is planted");
  }
  state.SetItemsProcessed(state.iterations() * kFailures);
}
BENCHMARK(group_failures_with_full_tails)->Unit(benchmark::kMillisecond);

void normalise_line(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        line_pattern("2026-01-02T03:04:05Z ERROR cannot reach https://db-3.example.com:5432/x "
                     "after 1m2.5s: record 17 of '/data/part-0003.csv' is no JSON"));
  }
}
BENCHMARK(normalise_line);

}  // namespace

BENCHMARK_MAIN();
