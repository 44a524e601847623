#include "controllers/node_lifecycle/zones.h"

#include <gtest/gtest.h>

namespace windlass::controllers::node_lifecycle {
namespace {

TEST(Zones, N7_States) {
  const struct {
    size_t ready;
    size_t not_ready;
    ZoneState state;
    double rate;
  } cases[] = {
      {1, 0, ZoneState::normal, 0.1},     {0, 1, ZoneState::full, 0.1},
      {0, 2, ZoneState::full, 0.1},       {1, 2, ZoneState::normal, 0.1},
      {2, 3, ZoneState::partial, 0},      {2, 2, ZoneState::normal, 0.1},
      {45, 55, ZoneState::partial, 0.01}, {46, 54, ZoneState::normal, 0.1},
      {22, 28, ZoneState::partial, 0},    {22, 29, ZoneState::partial, 0.01},
      {0, 0, ZoneState::normal, 0.1},
  };
  for (const auto& c : cases) {
    const ZoneCount count{c.ready, c.not_ready};
    EXPECT_EQ(state_of(count, {}), c.state) << c.ready << " of " << count.all();
    EXPECT_EQ(rate_of(count, {}), c.rate) << c.ready << " of " << count.all();
  }
}

}  // namespace
}  // namespace windlass::controllers::node_lifecycle
