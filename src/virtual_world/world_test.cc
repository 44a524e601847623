#include "virtual_world/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace windlass::virtual_world {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

// Three executors with tasks that post and schedule more; the order comes out as letters.
std::string scenario(VirtualWorld& world) {
  std::string order;
  for (const char* name : {"a", "b", "c"}) {
    VirtualExecutor& executor = world.executor(name);
    for (char digit = '1'; digit <= '3'; ++digit) {
      executor.post([&order, &executor, name, digit] {
        order += name;
        order += digit;
        executor.schedule(seconds(1), [&order, name] { order += name; });
      });
    }
  }
  EXPECT_TRUE(world.run_until_idle());
  return order;
}

TEST(VirtualWorld, SameSeedSameOrderAndHash) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    VirtualWorld first(seed);
    VirtualWorld second(seed);
    EXPECT_EQ(scenario(first), scenario(second));
    EXPECT_EQ(first.trace_hash(), second.trace_hash());
    EXPECT_EQ(first.steps(), second.steps());
  }
}

TEST(VirtualWorld, OtherSeedsGiveOtherOrders) {
  std::set<std::string> orders;
  std::set<uint64_t> hashes;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    VirtualWorld world(seed);
    orders.insert(scenario(world));
    hashes.insert(world.trace_hash());
  }
  EXPECT_GT(orders.size(), 45U);
  EXPECT_EQ(hashes.size(), 50U);
}

TEST(VirtualWorld, TasksOfOneExecutorRunInTheOrderTheyWerePosted) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    VirtualWorld world(seed);
    const std::string order = scenario(world);
    for (const char* name : {"a", "b", "c"}) {
      const auto place = [&](char digit) { return order.find(std::string(name) + digit); };
      EXPECT_THAT(place('2'), AllOf(Ge(place('1')), Le(place('3'))));
    }
  }
}

TEST(VirtualWorld, ATaskAndADueTimerRunInEitherOrder) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    VirtualWorld world(seed);
    std::string order;
    world.executor().schedule(Duration::zero(), [&] { order += 't'; });
    world.executor().post([&] { order += 'p'; });
    EXPECT_TRUE(world.run_until_idle());
    orders.insert(order);
  }
  EXPECT_EQ(orders, (std::set<std::string>{"pt", "tp"}));
}

TEST(VirtualWorld, NothingRunsInsideTheCallThatAsksForIt) {
  VirtualWorld world(1);
  bool inside = true;
  int ran = 0;
  world.executor().post([&] {
    world.executor().post([&] { ran += inside ? 100 : 1; });
    world.executor().schedule(-seconds(1), [&] { ran += inside ? 100 : 1; });
    inside = false;
  });
  EXPECT_TRUE(world.run_until_idle());
  EXPECT_EQ(ran, 2);
}

TEST(VirtualWorld, TimeStandsStillWhileThereIsWorkAndThenJumps) {
  VirtualWorld world(1);
  const MonotonicTime start = world.clock().monotonic();
  const Time wall = world.clock().now();
  std::vector<Duration> seen;
  const auto note = [&] { seen.push_back(world.clock().monotonic() - start); };
  world.executor().schedule(hours(24 * 365), note);
  world.executor().schedule(milliseconds(1), note);
  world.executor().post(note);
  EXPECT_TRUE(world.run_until_idle());
  EXPECT_EQ(seen, (std::vector<Duration>{Duration::zero(), milliseconds(1), hours(24 * 365)}));
  EXPECT_EQ(world.clock().now() - wall, hours(24 * 365));
}

TEST(VirtualWorld, WallTimeMayJumpWithoutMovingTimers) {
  VirtualWorld world(1);
  const Time wall = world.clock().now();
  const MonotonicTime start = world.clock().monotonic();
  world.clock().shift_wall(-hours(1));
  EXPECT_EQ(world.clock().now(), wall - hours(1));
  EXPECT_EQ(world.clock().monotonic(), start);
}

TEST(VirtualWorld, RunForStopsAtItsEnd) {
  VirtualWorld world(1);
  const MonotonicTime start = world.clock().monotonic();
  int ran = 0;
  world.executor().schedule(seconds(10), [&] { ++ran; });
  world.executor().schedule(seconds(10) + nanoseconds(1), [&] { ++ran; });
  world.run_for(seconds(10));
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(world.clock().monotonic() - start, seconds(10));
  world.run_for(seconds(1));
  EXPECT_EQ(ran, 2);
}

TEST(VirtualWorld, RunUntilAsksAfterEveryStep) {
  VirtualWorld world(1);
  int ran = 0;
  for (int i = 1; i <= 10; ++i) {
    world.executor().schedule(seconds(i), [&] { ++ran; });
  }
  EXPECT_TRUE(world.run_until([&] { return ran == 4; }, hours(1)));
  EXPECT_EQ(ran, 4);
  EXPECT_FALSE(world.run_until([&] { return ran == 10; }, seconds(2))) << "the limit comes first";
  EXPECT_FALSE(world.run_until([&] { return ran == 11; }, hours(1))) << "nothing is left to run";
}

TEST(VirtualWorld, RunUntilIdleGivesUpOnAnEndlessLoop) {
  VirtualWorld world(1);
  std::function<void()> again = [&] { world.executor().post(again); };
  again();
  EXPECT_FALSE(world.run_until_idle(1000));
}

TEST(VirtualWorld, CancelledTimersDoNotRun) {
  VirtualWorld world(1);
  int ran = 0;
  const env::TimerId timer = world.executor().schedule(seconds(1), [&] { ++ran; });
  world.executor().cancel(timer);
  EXPECT_TRUE(world.run_until_idle());
  EXPECT_EQ(ran, 0);
}

TEST(VirtualWorld, APausedExecutorRunsNothingAndOthersGoOn) {
  VirtualWorld world(1);
  std::string order;
  VirtualExecutor& slow = world.executor("slow");
  slow.pause();
  slow.post([&] { order += 's'; });
  slow.schedule(seconds(1), [&] { order += 't'; });
  world.executor().schedule(seconds(5), [&] { order += 'm'; });
  world.run_for(seconds(10));
  EXPECT_EQ(order, "m");
  slow.resume();
  const MonotonicTime before = world.clock().monotonic();
  EXPECT_TRUE(world.run_until_idle());
  EXPECT_EQ(order.size(), 3U);
  EXPECT_EQ(world.clock().monotonic(), before) << "an overdue timer does not turn time back";
}

TEST(VirtualWorld, ClearDropsWhatWaits) {
  VirtualWorld world(1);
  int ran = 0;
  world.executor().post([&] { ++ran; });
  world.executor().schedule(seconds(1), [&] { ++ran; });
  world.executor().clear();
  EXPECT_TRUE(world.run_until_idle());
  EXPECT_EQ(ran, 0);
}

TEST(VirtualWorld, TraceAndLogArePartOfTheHash) {
  const auto hash = [](std::string_view trace, std::string_view line) {
    VirtualWorld world(1);
    world.trace(trace);
    world.log().info(line, {{"k", "v"}});
    return world.trace_hash();
  };
  EXPECT_EQ(hash("a", "b"), hash("a", "b"));
  EXPECT_NE(hash("a", "b"), hash("x", "b"));
  EXPECT_NE(hash("a", "b"), hash("a", "x"));
}

TEST(VirtualWorld, RandomComesFromTheSeedAndNotFromTheSchedule) {
  VirtualWorld plain(7);
  VirtualWorld busy(7);
  scenario(busy);
  EXPECT_EQ(plain.random().next(), busy.random().next());
  EXPECT_NE(VirtualWorld(7).random().next(), VirtualWorld(8).random().next());
  std::array<std::byte, 19> first;
  std::array<std::byte, 19> second;
  plain.random().fill(first);
  busy.random().fill(second);
  EXPECT_EQ(first, second);
}

TEST(VirtualLog, KeepsLines) {
  VirtualLog log;
  log.warning("pod is gone", {{"pod", "a b"}});
  EXPECT_THAT(log.lines(), testing::ElementsAre("warning pod is gone pod=\"a b\""));
  EXPECT_TRUE(log.contains("is gone"));
  EXPECT_FALSE(log.contains("is there"));
}

}  // namespace
}  // namespace windlass::virtual_world
