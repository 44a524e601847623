#include <gtest/gtest.h>

#include "base/sanitized_testing.h"
#include "controllers/garbage/collector_testing.h"

namespace windlass::controllers::garbage {
namespace {

constexpr int kScale = kSanitized ? 50 : 1;
constexpr size_t kConcurrentSyncs = 20;

// Quicker than from YAML for each.
void create_pods(CollectorWorld& world, const std::shared_ptr<const Job>& job, int count) {
  const auto first = world.create_pod("p", world.blocking(job));
  for (int i = 0; i < count; ++i) {
    auto pod = std::make_unique<Pod>();
    const std::string name = "p" + std::to_string(i);
    pod->mutable_metadata()->set_name(name);
    pod->mutable_metadata()->set_namespace_("default");
    *pod->mutable_metadata()->mutable_owner_references() = first->metadata().owner_references();
    *pod->mutable_spec() = first->spec();
    ASSERT_TRUE(
        world.api.server.create({&api::kinds::pod(), "default", name}, std::move(pod)).answer);
    if (i % 10'000 == 0) {
      world.settle();
    }
  }
  world.settle();
}

size_t objects_of_an_empty_cluster() {
  return CollectorWorld().collector->objects();
}

struct Load {
  const char* policy;
  int pods;
};

class GarbageAtScale : public ::testing::TestWithParam<Load> {};

TEST_P(GarbageAtScale, AllPodsOfAJobGoWithFewWritesAtATime) {
  CollectorWorld world;
  const auto job = world.create_job("j");
  const int pods = GetParam().pods / kScale;
  create_pods(world, job, pods);
  EXPECT_TRUE(world.client.calls.empty());
  world.remove_job("j", GetParam().policy);
  world.settle(seconds(1));
  EXPECT_FALSE(world.api.job("j"));
  EXPECT_TRUE(world.api.pods().empty());
  EXPECT_LE(world.client.max_writes_in_flight, kConcurrentSyncs);
  EXPECT_EQ(world.collector->objects(), objects_of_an_empty_cluster());
  // One write for each object, and at most one question.
  const size_t all = static_cast<size_t>(pods) + 1;
  EXPECT_LE(world.client.calls.size(), 2 * all + 2 * kConcurrentSyncs);
  EXPECT_EQ(world.client.count("delete pods"), all);
}

INSTANTIATE_TEST_SUITE_P(Policies, GarbageAtScale,
                         ::testing::Values(Load{"Background", 100'000},
                                           Load{"Foreground", 20'000}));

}  // namespace
}  // namespace windlass::controllers::garbage
