#include "node/pressure/ranking.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::node::pressure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kMebi = 1 << 20;

std::vector<std::string> order(EvictionSignal signal, std::vector<Candidate> pods,
                               uint64_t missing = 0) {
  std::vector<std::string> uids;
  for (const Candidate& pod : in_order_of_eviction(signal, std::move(pods), missing)) {
    uids.push_back(pod.uid);
  }
  return uids;
}

TEST(EvictionRanking, K61_AboveTheRequestThenPriorityThenHowMuchAbove) {
  const std::vector<Candidate> pods = {
      {"within", -5, 90, 100, {}},  {"above", 0, 110, 100, {}},    {"far-above", 0, 300, 100, {}},
      {"important", 7, 900, 0, {}}, {"exactly", -9, 100, 100, {}}, {"same", 0, 110, 100, {}},
  };
  for (const EvictionSignal signal :
       {EvictionSignal::memory, EvictionSignal::disk, EvictionSignal::inodes}) {
    EXPECT_THAT(order(signal, pods),
                ElementsAre("far-above", "above", "same", "important", "exactly", "within"));
  }
}

TEST(EvictionRanking, K61_ForProcessesPriorityThenHowMany) {
  EXPECT_THAT(order(EvictionSignal::pids,
                    {{"few", 0, 3, 0, {}}, {"many", 0, 30, 0, {}}, {"important", 1, 99, 0, {}}}),
              ElementsAre("many", "few", "important"));
}

TEST(EvictionRanking, S104_K61_CriticalPodsNeverGo) {
  EXPECT_THAT(
      order(EvictionSignal::memory, {{"critical", 2'000'000'000, 900, 0, {}}, {"p", 0, 5, 0, {}}}),
      ElementsAre("p"));
  EXPECT_THAT(order(EvictionSignal::memory, {{"critical", 2'000'001'000, 900, 0, {}}}), IsEmpty());
}

TEST(EvictionRanking, PodsWhoseEndWouldNotHelpStay) {
  EXPECT_THAT(order(EvictionSignal::disk, {{"small", 0, 9, 0, {}}, {"enough", 0, 10, 0, {}}}, 1000),
              ElementsAre("enough"));
  EXPECT_THAT(order(EvictionSignal::disk, {{"none", 0, 0, 0, {}}}), IsEmpty());
}

TEST(EvictionRanking, K60_TheMessage) {
  const Threshold memory{EvictionSignal::memory, {20223 * kMebi, 0, "20223Mi"}};
  const Candidate pod{
      "p", 0, 0, 0, {{"c", 3090252ULL * 1024, 0}, {"modest", 5, 5}, {"d", 3 * kMebi, kMebi}}};
  EXPECT_EQ(
      eviction_message(memory, {19399088ULL * 1024, 0}, pod),
      "The node was low on resource: memory. Threshold quantity: 20223Mi, available: "
      "19399088Ki. Container c was using 3090252Ki, request is 0, has larger consumption of "
      "memory. Container d was using 3Mi, request is 1Mi, has larger consumption of memory. ");
  const Threshold disk{EvictionSignal::disk, {0, 10'000, "10%"}};
  EXPECT_EQ(eviction_message(disk, {4096, 100 * kMebi}, {"p", 0, 0, 0, {{"c", 8192, 0}}}),
            "The node was low on resource: ephemeral-storage. Threshold quantity: 10Mi, available: "
            "4Ki. Container c was using 8Ki, request is 0, has larger consumption of "
            "ephemeral-storage. ");
  EXPECT_EQ(eviction_message({EvictionSignal::pids, {10, 0, "10"}}, {3, 100}, pod),
            "The node was low on resource: pids. Threshold quantity: 10, available: 3. ");
}

}  // namespace
}  // namespace windlass::node::pressure
