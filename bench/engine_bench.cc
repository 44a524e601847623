// The Job engine over the whole life of one Job (life_testing.h), from 1,000 to 1,000,000 pods: a
// table of CPU time, pods looked at, memory and text, and how each grows with the number of pods.
// Usage: engine_bench [most pods [part of a title]]. Exits with 1 when a figure that does not
// depend on the machine is beyond its limit.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "job/life_testing.h"

namespace {

// Every block carries its size and whether the engine asked for it.
struct BlockHeader {
  size_t size = 0;
  bool charged = false;
};
constexpr size_t kHeader = 16;
static_assert(sizeof(BlockHeader) <= kHeader);

bool charging = false;
size_t engine_bytes = 0;
size_t most_engine_bytes = 0;

}  // namespace

// Kept out of line: inlined, the compiler takes the two for a mismatched pair.
[[gnu::noinline]] void* operator new(size_t size) {
  void* block = std::malloc(size + kHeader);
  if (block == nullptr) {
    std::abort();
  }
  new (block) BlockHeader{size, charging};
  engine_bytes += charging ? size : 0;
  return static_cast<char*>(block) + kHeader;
}

[[gnu::noinline]] void operator delete(void* pointer) noexcept {
  if (pointer == nullptr) {
    return;
  }
  char* block = static_cast<char*>(pointer) - kHeader;
  const auto* header = std::launder(reinterpret_cast<BlockHeader*>(block));
  engine_bytes -= header->charged ? header->size : 0;
  std::free(block);
}

[[gnu::noinline]] void operator delete(void* pointer, size_t) noexcept {
  operator delete(pointer);
}

namespace windlass::job::testing {
namespace {

constexpr double kMaxExponent = 1.05;
constexpr double kMaxBytesPerPod = 128;
constexpr int64_t kFewest = 1000;

std::string_view wanted_title;

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

class CpuMeter : public Meter {
 public:
  void begin() override {
    charging = true;
    began_ = cpu_ns();
  }
  void end(bool observing) override {
    (observing ? observed_ns : decided_ns) += cpu_ns() - began_;
    charging = false;
  }
  void rest() override { most_engine_bytes = std::max(most_engine_bytes, engine_bytes); }
  double observed_ns = 0;
  double decided_ns = 0;

 private:
  double began_ = 0;
};

struct Row {
  double pods = 0;
  double observation_ns = 0;  // for one
  double decision_ns = 0;     // for one pod
  double known = 0;           // pods at the same time
  double visits = 0;          // in all
  double bytes_per_pod = 0;   // of pods known at the same time
  double status_writes = 0;
  double text_per_write = 0;
};

Row measure(const LifePlan& plan) {
  CpuMeter meter;
  most_engine_bytes = engine_bytes;
  const size_t before = engine_bytes;
  Life life(plan, meter);
  life.run();
  const auto pods = static_cast<double>(plan.pods);
  Row row;
  row.pods = pods;
  row.observation_ns = meter.observed_ns / static_cast<double>(life.observations());
  row.decision_ns = meter.decided_ns / pods;
  row.known = static_cast<double>(life.most_pods());
  row.visits = static_cast<double>(life.visits());
  row.bytes_per_pod =
      static_cast<double>(most_engine_bytes - before) / static_cast<double>(life.most_pods());
  row.status_writes = static_cast<double>(life.status_writes());
  row.text_per_write = static_cast<double>(life.text_bytes()) / row.status_writes;
  return row;
}

double exponent(const Row& small, const Row& large, double a, double b) {
  return std::log(b / a) / std::log(large.pods / small.pods);
}

// Whether the figures that do not depend on the machine are within their limits.
template <class MakePlan>
bool table(std::string_view title, int64_t most, MakePlan make_plan) {
  if (title.find(wanted_title) == std::string_view::npos) {
    return true;
  }
  std::printf("\n%.*s\n%10s %12s %14s %12s %10s %8s %12s\n", static_cast<int>(title.size()),
              title.data(), "pods", "ns/observ.", "ns/pod decided", "visits/pod", "bytes/pod",
              "writes", "bytes/write");
  std::vector<Row> rows;
  bool good = true;
  for (int64_t pods = kFewest; pods <= most; pods *= 10) {
    rows.push_back(measure(make_plan(pods)));
    const Row& row = rows.back();
    std::printf("%10.0f %12.0f %14.0f %12.2f %10.1f %8.0f %12.0f\n", row.pods, row.observation_ns,
                row.decision_ns, row.visits / row.pods, row.bytes_per_pod, row.status_writes,
                row.text_per_write);
    std::fflush(stdout);
    // Below 100,000 pods what a round of writes takes weighs more than what is kept.
    good = good && (row.known < 100'000 || row.bytes_per_pod <= kMaxBytesPerPod);
  }
  const Row& small = rows.front();
  const Row& large = rows.back();
  if (rows.size() > 1) {
    const double visits = exponent(small, large, small.visits, large.visits);
    const double time =
        exponent(small, large, small.decision_ns * small.pods, large.decision_ns * large.pods);
    std::printf("%10s visits grow as n^%.3f, time of decisions as n^%.3f\n", "", visits, time);
    good = good && visits <= kMaxExponent;
  }
  return good;
}

int run(int64_t most, std::string_view title) {
  wanted_title = title;
  bool good =
      table("Indexed, 1,000 at a time", most, [](int64_t pods) { return LifePlan{.pods = pods}; });
  good &= table("Indexed, all at once", most, [](int64_t pods) {
    return LifePlan{.pods = pods, .parallelism = pods, .wave = pods};
  });
  good &= table("Indexed, all at once, in any order", most, [](int64_t pods) {
    return LifePlan{.pods = pods, .parallelism = pods, .wave = pods, .shuffled = true};
  });
  // The most that the API allows at a time; each status write prints up to as many intervals.
  good &= table("Indexed, 100,000 at a time, 1,000 end in any order", most, [](int64_t pods) {
    return LifePlan{
        .pods = pods, .parallelism = std::min<int64_t>(pods, 100'000), .shuffled = true};
  });
  good &= table("Not indexed, 1,000 at a time", most,
                [](int64_t pods) { return LifePlan{.pods = pods, .indexed = false}; });
  std::printf("\n%s\n", good ? "All within the limits." : "BEYOND A LIMIT.");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace windlass::job::testing

int main(int argc, char** argv) {
  const int64_t most = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  return windlass::job::testing::run(most, argc > 2 ? argv[2] : "");
}
