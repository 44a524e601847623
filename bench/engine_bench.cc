// The Job engine over the whole life of one Job (life_testing.h), from 1,000 to 1,000,000 pods: a
// table of CPU time (the best of three lives or more), pods looked at, memory and text, and how
// each grows with the number of pods. Usage: engine_bench [most pods [part of a title]]. Every
// figure is held against its limit, and has a star when it is beyond. Exits with 1 when that is one
// that does not depend on the machine.
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>

#include "verify/engine/job_life_testing.h"

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

// The other forms must match: the allocator's own would know nothing of the headers.
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return operator new(size);
}

void* operator new[](size_t size) {
  return operator new(size);
}

void operator delete[](void* pointer) noexcept {
  operator delete(pointer);
}

void operator delete[](void* pointer, size_t) noexcept {
  operator delete(pointer);
}

namespace windlass::engine::testing {
namespace {

constexpr double kMaxObservationNs = 1000;
constexpr double kMaxDecisionNs = 2000;
constexpr double kMaxExponent = 1.05;
constexpr double kMaxBytesPerPod = 128;
constexpr int64_t kFewest = 1000;
constexpr int kLives = 3;
constexpr double kLeastNs = 1e9;  // short lives are repeated for so long

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
  void end(EngineCall call) override {
    (call == EngineCall::observe ? observed_ns : decided_ns) += cpu_ns() - began_;
    charging = false;
    most_bytes = std::max(most_bytes, engine_bytes - before_);
  }
  void rest() override { rested_bytes = std::max(rested_bytes, engine_bytes - before_); }
  double observed_ns = 0;
  double decided_ns = 0;
  size_t rested_bytes = 0;  // when nothing was under way
  size_t most_bytes = 0;    // with a round of writes, and what it says to the outside

 private:
  double began_ = 0;
  size_t before_ = engine_bytes;
};

struct Row {
  double pods = 0;
  double observation_ns = 0;  // for one
  double decision_ns = 0;     // for one pod
  double life_ns = 0;         // likewise, with all that is observed
  double visits = 0;          // in all
  double bytes_per_pod = 0;   // held at rest, by the most pods known at a time
  double round_kilobytes = 0;
  double status_writes = 0;
  double text_per_write = 0;
};

Row live(const LifePlan& plan) {
  CpuMeter meter;
  Life life(plan, meter);
  life.run();
  Row row;
  row.pods = static_cast<double>(plan.pods);
  row.observation_ns = meter.observed_ns / static_cast<double>(life.observations());
  row.decision_ns = meter.decided_ns / row.pods;
  row.life_ns = (meter.observed_ns + meter.decided_ns) / row.pods;
  row.visits = static_cast<double>(life.visits());
  row.bytes_per_pod =
      static_cast<double>(meter.rested_bytes) / static_cast<double>(life.most_pods());
  row.round_kilobytes =
      static_cast<double>(std::max(meter.most_bytes, meter.rested_bytes) - meter.rested_bytes) /
      1024;
  row.status_writes = static_cast<double>(life.status_writes());
  row.text_per_write = static_cast<double>(life.text_bytes()) / row.status_writes;
  return row;
}

Row measure(const LifePlan& plan) {
  const double began = cpu_ns();
  Row best = live(plan);
  for (int lives = 1; lives < kLives || cpu_ns() - began < kLeastNs; ++lives) {
    const Row row = live(plan);
    best.observation_ns = std::min(best.observation_ns, row.observation_ns);
    best.decision_ns = std::min(best.decision_ns, row.decision_ns);
    best.life_ns = std::min(best.life_ns, row.life_ns);
  }
  return best;
}

double exponent(const Row& small, const Row& large, double a, double b) {
  return std::log(b / a) / std::log(large.pods / small.pods);
}

// Prints a figure, with a star when it is beyond its limit; whether it is within.
bool print(int width, double value, double limit) {
  const bool good = value <= limit;
  std::printf("%*.0f%c", width, value, good ? ' ' : '*');
  return good;
}

struct Met {
  bool times = true;
  bool figures = true;  // that do not depend on the machine
};

template <class MakePlan>
void table(std::string_view title, int64_t most, Met& met, MakePlan make_plan) {
  if (title.find(wanted_title) == std::string_view::npos) {
    return;
  }
  std::printf("\n%.*s\n%10s %11s %15s %11s %11s %10s %9s %8s %12s\n",
              static_cast<int>(title.size()), title.data(), "pods", "ns/observ.", "ns/pod decided",
              "ns/pod all", "bytes/pod", "visits/pod", "KB/round", "writes", "bytes/write");
  std::vector<Row> rows;
  for (int64_t pods = kFewest; pods <= most; pods *= 10) {
    rows.push_back(measure(make_plan(pods)));
    const Row& row = rows.back();
    std::printf("%10.0f ", row.pods);
    met.times &= print(10, row.observation_ns, kMaxObservationNs);
    met.times &= print(15, row.decision_ns, kMaxDecisionNs);
    std::printf("%11.0f ", row.life_ns);
    met.figures &= print(10, row.bytes_per_pod, kMaxBytesPerPod);
    std::printf("%9.2f %9.0f %8.0f %12.0f\n", row.visits / row.pods, row.round_kilobytes,
                row.status_writes, row.text_per_write);
    std::fflush(stdout);
  }
  const Row& small = rows.front();
  const Row& large = rows.back();
  if (rows.size() > 1) {
    const double visits = exponent(small, large, small.visits, large.visits);
    const double time =
        exponent(small, large, small.decision_ns * small.pods, large.decision_ns * large.pods);
    std::printf("%10s visits grow as n^%.3f%s, time of decisions as n^%.3f\n", "", visits,
                visits <= kMaxExponent ? "" : "*", time);
    met.figures &= visits <= kMaxExponent;
  }
}

int run(int64_t most, std::string_view title) {
  wanted_title = title;
  Met met;
  table("Indexed, 1,000 at a time", most, met, [](int64_t pods) { return LifePlan{.pods = pods}; });
  table("Indexed, all at once", most, met,
        [](int64_t pods) { return LifePlan{.pods = pods, .parallelism = pods, .wave = pods}; });
  table("Indexed, all at once, in any order", most, met, [](int64_t pods) {
    return LifePlan{.pods = pods, .parallelism = pods, .wave = pods, .shuffled = true};
  });
  // The most that the API allows at a time; each status write has up to as many intervals.
  table("Indexed, 100,000 at a time, 1,000 end in any order", most, met, [](int64_t pods) {
    return LifePlan{
        .pods = pods, .parallelism = std::min<int64_t>(pods, 100'000), .shuffled = true};
  });
  table("Not indexed, 1,000 at a time", most, met,
        [](int64_t pods) { return LifePlan{.pods = pods, .indexed = false}; });
  const bool good = met.times && met.figures;
  std::printf("\n%s\n", good ? "Every figure is within its limit."
                             : "Figures with a star are beyond their limit.");
  return met.figures ? 0 : 1;
}

}  // namespace
}  // namespace windlass::engine::testing

int main(int argc, char** argv) {
  const int64_t most = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  return windlass::engine::testing::run(most, argc > 2 ? argv[2] : "");
}
