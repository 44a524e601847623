#include "scheduler/queue.h"

#include <gtest/gtest.h>

#include "scheduler/cluster/model_testing.h"
#include "scheduler/fit.h"
#include "virtual_world/world.h"

namespace windlass::scheduler {
namespace {

using testing::cpu_shape;
using testing::make_pod;

using Names = std::vector<std::string>;
using Patience = QueuedPod::Patience;

class QueueTest : public ::testing::Test {
 protected:
  Names take_all() {
    Names names;
    while (QueuedPod* queued = queue.take()) {
      names.push_back(queued->pod->name);
    }
    return names;
  }
  void add(const std::string& name, int32_t priority = 0) {
    queue.add(make_pod(name, cpu_shape(1, priority)));
  }
  // Taken and given back as fitting nowhere.
  void park(const std::string& name, const std::string& group, uint64_t reasons = 1) {
    add(name);
    QueuedPod* queued = queue.take();
    ASSERT_EQ(queued->pod->name, name);
    queue.park(*queued, group, reasons);
  }
  static bool always(const PodInfo&, uint64_t) { return true; }

  virtual_world::VirtualWorld world{1};
  int told = 0;
  SchedulingQueue queue{world.executor(), world.clock(), {}, [this] { ++told; }};
};

TEST_F(QueueTest, S1_PriorityThenTime) {
  add("first");
  add("second");
  add("urgent", 10);
  add("negligible", -1);
  EXPECT_GT(told, 0);
  EXPECT_EQ(take_all(), (Names{"urgent", "first", "second", "negligible"}));
  EXPECT_FALSE(queue.has_ready());
}

TEST_F(QueueTest, S3_ErrorsBackOffTwiceAsLongEachTime) {
  add("p");
  for (const int wait : {1, 2, 4, 8, 10, 10}) {
    QueuedPod* queued = queue.take();
    ASSERT_NE(queued, nullptr) << wait;
    queue.back_off(*queued, Patience::full);
    EXPECT_FALSE(queue.has_ready());
    queue.wake(always);
    world.run_for(seconds(wait) - milliseconds(1));
    EXPECT_FALSE(queue.has_ready()) << wait;
    world.run_for(milliseconds(1));
    EXPECT_TRUE(queue.has_ready()) << wait;
  }
}

TEST_F(QueueTest, S3_AWokenPodIsTakenEarlyWhenNothingElseIsActive) {
  park("p", "g");
  EXPECT_FALSE(queue.has_ready());
  queue.wake(always);
  add("other");
  EXPECT_EQ(take_all(), (Names{"other", "p"}));
}

TEST_F(QueueTest, S4_NobodyWaitsMuchLongerThanFiveMinutes) {
  park("p", "g");
  world.run_for(minutes(5) - seconds(1));
  EXPECT_FALSE(queue.has_ready());
  world.run_for(seconds(31));
  EXPECT_EQ(take_all(), Names{"p"});
}

TEST_F(QueueTest, S4_AnEmptyQueueSetsNoTimers) {
  park("p", "g");
  queue.remove("p");
  EXPECT_TRUE(world.run_until_idle());
}

TEST_F(QueueTest, S5a_OnlyPodsThatTheChangeCouldHelpAreWoken) {
  park("cpu", "g1", bit(Reason::cpu));
  park("taint", "g2", bit(Reason::taint));
  queue.wake([](const PodInfo&, uint64_t reasons) { return reasons == bit(Reason::cpu); });
  EXPECT_EQ(take_all(), Names{"cpu"});
  EXPECT_EQ(queue.unschedulable(), 1u);
}

// What the last one that was tried found is true of all that are like it, though it waits behind
// them now.
TEST_F(QueueTest, S5_TheReasonsOfAGroupAreThoseOfItsLastAttempt) {
  const auto lack_cpu = [](const PodInfo&, uint64_t reasons) {
    return reasons == bit(Reason::cpu);
  };
  park("a", "g", 0);
  park("b", "g", 0);
  queue.wake(*queue.find("a"));
  QueuedPod* again = queue.take();
  ASSERT_EQ(again->pod->name, "a");
  queue.park(*again, "g", bit(Reason::cpu));
  queue.wake(lack_cpu);
  EXPECT_EQ(take_all(), Names{"b"});
  queue.wake_next("g");
  EXPECT_EQ(take_all(), Names{"a"});
}

// A change of its own must not bring back what is not true any more.
TEST_F(QueueTest, S5_APodThatIsReplacedKeepsTheReasonsOfItsGroup) {
  park("a", "g", 0);
  park("b", "g", bit(Reason::cpu));
  queue.remove("b");
  queue.replace(*queue.find("a"), make_pod("a", cpu_shape(1)));
  queue.wake([](const PodInfo&, uint64_t reasons) { return reasons == bit(Reason::cpu); });
  EXPECT_EQ(take_all(), Names{"a"});
}

TEST_F(QueueTest, OfAGroupOnlyTheFirstIsWokenAndItsSuccessWakesTheNext) {
  park("a", "g");
  park("b", "g");
  park("c", "other");
  queue.wake(always);
  EXPECT_EQ(take_all(), (Names{"a", "c"}));
  queue.wake_next("g");
  EXPECT_EQ(take_all(), Names{"b"});
}

TEST_F(QueueTest, AWokenPodThatGoesAwayPassesItsChanceOn) {
  park("a", "g");
  park("b", "g");
  queue.wake(always);
  queue.remove("a");
  EXPECT_EQ(take_all(), Names{"b"});
}

TEST_F(QueueTest, S6_AChangeDuringTheAttemptIsNotLost) {
  add("p");
  QueuedPod* queued = queue.take();
  queue.listen(*queued);
  queue.wake(always);
  EXPECT_FALSE(queue.has_ready());
  queue.park(*queued, "g", 1);
  EXPECT_EQ(take_all(), Names{"p"});
}

TEST_F(QueueTest, P16_APodThatWaitsForNewsIsTakenWhenTheyCome) {
  add("p");
  queue.back_off(*queue.take(), Patience::until_event);
  EXPECT_FALSE(queue.has_ready());
  queue.wake(always);
  EXPECT_EQ(take_all(), Names{"p"});
  queue.back_off(*queue.find("p"), Patience::until_event);
  world.run_for(seconds(2));
  EXPECT_EQ(take_all(), Names{"p"});
}

TEST_F(QueueTest, ReplacingAPodKeepsItsPlace) {
  add("a");
  add("b");
  queue.replace(*queue.find("a"), make_pod("a", cpu_shape(2)));
  EXPECT_EQ(take_all(), (Names{"a", "b"}));
  park("c", "g");
  queue.replace(*queue.find("c"), make_pod("c", cpu_shape(2)));
  EXPECT_EQ(queue.unschedulable(), 1u);
  queue.wake(*queue.find("c"));
  EXPECT_EQ(take_all(), Names{"c"});
}

TEST_F(QueueTest, CountsWhoWaits) {
  park("parked", "g");
  add("working");
  queue.take();
  add("active");
  EXPECT_EQ(queue.waiting(), 2u);
}

}  // namespace
}  // namespace windlass::scheduler
