// The scheduler under refused and lost requests, from seeds: no node is ever given more than it
// has, every pod finds its place once the faults stop, and the same seed gives the same run.
#include <gtest/gtest.h>

#include <map>

#include "base/generator.h"
#include "scheduler/scheduler_testing.h"

namespace windlass::scheduler {
namespace {

constexpr int kNodes = 3;
constexpr int kPods = 14;

class FaultyRun : public testing::SchedulerTest {
 public:
  explicit FaultyRun(uint64_t seed) : faults_(seed) {}
  void TestBody() override {}

  void run() {
    for (int i = 0; i < kNodes; ++i) {
      add_node(fmt::format("n{}", i), "2");
    }
    const auto maybe = [this](double chance) {
      return [this, chance](const std::string& line) -> std::optional<Status> {
        const bool hit = is_faulty_ && !line.starts_with("create") && faults_.chance(chance);
        return hit ? std::optional(internal_error("injected")) : std::nullopt;
      };
    };
    calls.refuse = maybe(0.2);
    calls.lose_answer = maybe(0.2);
    start();
    for (int i = 0; i < kPods; ++i) {
      add_pod(fmt::format("p{}", i), "500m", fmt::format("priority: {},", i % 3));
      step();
    }
    for (int i = 0; i < 40; ++i) {
      finish_deleted();
      step();
    }
    is_faulty_ = false;
    for (int i = 0; i < 60; ++i) {
      finish_deleted();
      step();
    }
  }

  // Room for twelve pods of half a cpu: none stands empty while a pod waits.
  int bound() {
    int count = 0;
    for (const auto& pod : api.pods()) {
      count += !pod->spec().node_name().empty() && pod->status().phase() != "Failed" ? 1 : 0;
    }
    return count;
  }
  size_t live() { return api.pods().size(); }
  const std::vector<std::string>& trace() const { return calls.calls; }

 private:
  void step() {
    api.world.run_for(milliseconds(static_cast<int64_t>(faults_.uniform(1500))));
    std::map<std::string, int> per_node;
    for (const auto& pod : api.pods()) {
      if (!pod->spec().node_name().empty() && pod->status().phase() != "Failed") {
        ++per_node[pod->spec().node_name()];
      }
    }
    for (const auto& [node, pods] : per_node) {
      EXPECT_LE(pods, 4) << node;  // safety.md N7
    }
  }
  // The kubelet's part.
  void finish_deleted() {
    for (const auto& pod : api.pods()) {
      if (pod->metadata().has_deletion_timestamp() && faults_.chance(0.5)) {
        EXPECT_TRUE(api.remove_pod(pod->metadata().name(), 0).answer);
      }
    }
  }

  Generator faults_;
  bool is_faulty_ = true;
};

TEST(SchedulerFaults, N7_NoNodeIsOvercommittedAndEveryPodIsPlacedInTheEnd) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    FaultyRun run(seed);
    run.run();
    EXPECT_EQ(run.bound(), std::min<int>(12, static_cast<int>(run.live()))) << "seed " << seed;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(SchedulerFaults, TheSameSeedGivesTheSameRun) {
  FaultyRun first(7);
  first.run();
  FaultyRun second(7);
  second.run();
  EXPECT_EQ(first.trace(), second.trace());
}

}  // namespace
}  // namespace windlass::scheduler
