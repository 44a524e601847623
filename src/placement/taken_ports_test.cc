#include "placement/taken_ports.h"

#include <gtest/gtest.h>

namespace windlass::placement {
namespace {

using Ports = std::vector<HostPort>;

TEST(TakenPorts, ClashWithTheSameProtocolNumberAndAddressOrWhenOneMeansAllAddresses) {
  TakenPorts taken;
  taken.add({{"TCP", "0.0.0.0", 80}, {"TCP", "10.0.0.1", 81}});
  const auto clashes = [&taken](HostPort port) { return taken.first_taken({port}) != nullptr; };
  EXPECT_TRUE(clashes({"TCP", "0.0.0.0", 80}));
  EXPECT_TRUE(clashes({"TCP", "10.0.0.1", 80}));
  EXPECT_TRUE(clashes({"TCP", "10.0.0.1", 81}));
  EXPECT_TRUE(clashes({"TCP", "0.0.0.0", 81}));
  EXPECT_FALSE(clashes({"TCP", "10.0.0.2", 81}));
  EXPECT_FALSE(clashes({"UDP", "0.0.0.0", 80}));
  EXPECT_FALSE(clashes({"TCP", "0.0.0.0", 82}));
}

TEST(TakenPorts, TheFirstThatIsTakenIsNamed) {
  TakenPorts taken;
  taken.add({{"TCP", "0.0.0.0", 80}});
  const Ports wanted = {{"TCP", "0.0.0.0", 79}, {"TCP", "1.1.1.1", 80}, {"TCP", "0.0.0.0", 80}};
  EXPECT_EQ(taken.first_taken(wanted), &wanted[1]);
}

TEST(TakenPorts, APortIsFreeWhenTheLastPodThatHasItIsGone) {
  const Ports ports = {{"TCP", "0.0.0.0", 80}};
  TakenPorts taken;
  taken.add(ports);
  taken.add(ports);
  taken.remove(ports);
  EXPECT_NE(taken.first_taken(ports), nullptr);
  taken.remove(ports);
  EXPECT_EQ(taken.first_taken(ports), nullptr);
  EXPECT_EQ(taken, TakenPorts());
}

// Two pods with all ports of three protocols: compared one by one, these are 38 billion pairs.
TEST(TakenPorts, AllPortsOfTwoPodsAreComparedByLookUp) {
  Ports mine;
  Ports others;
  for (int32_t port = 1; port <= 65535; ++port) {
    for (const char* protocol : {"TCP", "UDP", "SCTP"}) {
      mine.push_back({protocol, "10.0.0.1", port});
      others.push_back({protocol, "10.0.0.2", port});
    }
  }
  TakenPorts taken;
  taken.add(others);
  EXPECT_EQ(taken.first_taken(mine), nullptr);
  mine.push_back({"TCP", "0.0.0.0", 65535});
  EXPECT_EQ(taken.first_taken(mine), &mine.back());
}

}  // namespace
}  // namespace windlass::placement
