#include "placement/resources.h"

#include <gtest/gtest.h>

#include <limits>

namespace windlass::placement {
namespace {

Resources cpu(int64_t milli) {
  Resources resources;
  resources.milli_cpu = milli;
  return resources;
}

struct RequestCase {
  const char* name;
  std::vector<ContainerResourceRequest> init;
  std::vector<ContainerResourceRequest> containers;
  int64_t overhead;
  int64_t want;
};

TEST(PodRequests, S10_LargerOfRunningAndInitializing) {
  const RequestCase cases[] = {
      {"nothing asked", {}, {{cpu(0)}}, 0, 0},
      {"sum of containers", {}, {{cpu(100)}, {cpu(200)}}, 0, 300},
      {"init containers run alone", {{cpu(250)}, {cpu(200)}}, {{cpu(100)}}, 0, 250},
      {"containers larger than any init", {{cpu(250)}}, {{cpu(300)}}, 0, 300},
      {"sidecar runs beside the containers", {{cpu(50), true}}, {{cpu(100)}}, 0, 150},
      {"sidecar runs beside later inits", {{cpu(50), true}, {cpu(200)}}, {{cpu(100)}}, 0, 250},
      {"but not beside earlier ones", {{cpu(200)}, {cpu(50), true}}, {{cpu(100)}}, 0, 200},
      {"overhead on top", {{cpu(250)}}, {{cpu(100)}}, 30, 280},
  };
  for (const RequestCase& c : cases) {
    EXPECT_EQ(pod_requests(c.init, c.containers, cpu(c.overhead)), cpu(c.want)) << c.name;
  }
}

TEST(PodRequests, S10_EachResourceByItself) {
  Resources init = cpu(500);
  init.memory = 10;
  init.extended["example.com/gpu"] = 2;
  Resources main = cpu(100);
  main.memory = 100;
  const std::vector<ContainerResourceRequest> inits{{init}};
  const std::vector<ContainerResourceRequest> mains{{main}};
  const Resources total = pod_requests(inits, mains, {});
  EXPECT_EQ(total.milli_cpu, 500);
  EXPECT_EQ(total.memory, 100);
  EXPECT_EQ(total.extended.at("example.com/gpu"), 2);
}

TEST(Resources, HugeAmountsDoNotWrap) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  Resources sum = cpu(kMax);
  add(sum, cpu(1));
  EXPECT_EQ(sum.milli_cpu, kMax);
  subtract(sum, cpu(kMax));
  subtract(sum, cpu(5));
  EXPECT_EQ(sum.milli_cpu, 0);
}

// Each names a resource of its own: the sums of all sidecars are not copied for each.
TEST(PodRequests, ThousandsOfSidecars) {
  std::vector<ContainerResourceRequest> init(20'000);
  for (size_t i = 0; i < init.size(); ++i) {
    init[i].requests.extended["example.com/r" + std::to_string(i)] = 1;
    init[i].requests.milli_cpu = 1;
    init[i].sidecar = i % 2 == 0;
  }
  init.back().requests.extended["example.com/r0"] = 5;
  const Resources total = pod_requests(init, {}, {});
  EXPECT_EQ(total.milli_cpu, 10'001);
  EXPECT_EQ(total.extended.size(), init.size());
  EXPECT_EQ(total.extended.at("example.com/r0"), 6) << "the last step, beside the first sidecar";
  EXPECT_EQ(total.extended.at("example.com/r1"), 1);
}

}  // namespace
}  // namespace windlass::placement
