#include "sim/sim_processes.h"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>

#include "sim/world.h"

namespace windlass::sim {
namespace {

class SimProcessesTest : public testing::Test {
 protected:
  env::ProcessId spawn(SimProcess process) {
    next_ = process;
    const Result<env::ProcessId> id =
        processes_.spawn({{"sh"}, {}, "", ""}, [this](env::ProcessExit exit) {
          exit_ = exit;
          ended_after_ = world_.clock().monotonic() - start_;
        });
    EXPECT_TRUE(id.has_value());
    return id.value_or(env::ProcessId{0});
  }

  SimWorld world_{1};
  MonotonicTime start_ = world_.clock().monotonic();
  SimProcess next_;
  SimProcesses processes_{world_.executor("node"),
                          [this](const env::SpawnRequest&) -> Result<SimProcess> { return next_; },
                          world_.faults()};
  std::optional<env::ProcessExit> exit_;
  Duration ended_after_ = Duration::zero();
};

TEST_F(SimProcessesTest, EndsAfterItsDuration) {
  spawn({seconds(30), {42, 0}});
  EXPECT_FALSE(exit_.has_value()) << "never inside spawn()";
  EXPECT_EQ(processes_.running(), 1U);
  EXPECT_TRUE(world_.run_until_idle());
  ASSERT_TRUE(exit_.has_value());
  EXPECT_EQ(exit_->code, 42);
  EXPECT_EQ(ended_after_, seconds(30));
  EXPECT_EQ(processes_.running(), 0U);
}

TEST_F(SimProcessesTest, TermEndsItAfterItsDelay) {
  SimProcess process{SimProcess::kForever, {}};
  process.term_delay = seconds(5);
  const env::ProcessId id = spawn(process);
  processes_.signal(id, SIGTERM);
  processes_.signal(id, SIGTERM);
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(exit_->code, 143);
  EXPECT_EQ(ended_after_, seconds(5));
}

TEST_F(SimProcessesTest, ItsOwnEndMayComeBeforeTheTermDelay) {
  SimProcess process{seconds(3), {0, 0}};
  process.term_delay = hours(1);
  processes_.signal(spawn(process), SIGTERM);
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(exit_->code, 0);
  EXPECT_EQ(ended_after_, seconds(3));
}

TEST_F(SimProcessesTest, KillEndsItAtOnce) {
  SimProcess process{SimProcess::kForever, {}};
  process.term_delay = SimProcess::kForever;
  const env::ProcessId id = spawn(process);
  processes_.signal(id, SIGTERM);
  processes_.signal(id, SIGKILL);
  EXPECT_FALSE(exit_.has_value()) << "never inside signal()";
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(exit_->code, 137);
  EXPECT_EQ(exit_->signal, SIGKILL);
  EXPECT_EQ(ended_after_, Duration::zero());
  processes_.signal(id, SIGTERM);
  EXPECT_EQ(processes_.signals().size(), 2U) << "nothing reaches one that has ended";
}

TEST_F(SimProcessesTest, OtherSignalsDoNothing) {
  const env::ProcessId id = spawn({seconds(1), {0, 0}});
  processes_.signal(id, SIGUSR1);
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(exit_->code, 0);
}

TEST_F(SimProcessesTest, SpawnFailsWhereTheFaultPointFires) {
  world_.faults().set("sim_processes.spawn_failed", 1);
  const auto result = processes_.spawn({{"sh"}, {}, "", ""}, [](env::ProcessExit) { FAIL(); });
  EXPECT_FALSE(result.has_value());
  EXPECT_TRUE(world_.run_until_idle());
}

TEST(SimProcesses, AnErrorOfTheScriptIsTheErrorOfSpawn) {
  SimWorld world(1);
  SimProcesses processes(world.executor(),
                         [](const env::SpawnRequest& request) -> Result<SimProcess> {
                           return fail(plain_error("exec: " + request.command[0]));
                         });
  const auto result = processes.spawn({{"nope"}, {}, "", ""}, [](env::ProcessExit) { FAIL(); });
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "exec: nope");
}

TEST(SimProcesses, ForgetsThemWhenDestroyed) {
  SimWorld world(1);
  {
    SimProcesses processes(world.executor(), [](const env::SpawnRequest&) -> Result<SimProcess> {
      return SimProcess{seconds(1), {}};
    });
    ASSERT_TRUE(processes.spawn({{"sh"}, {}, "", ""}, [](env::ProcessExit) { FAIL(); }));
  }
  EXPECT_TRUE(world.run_until_idle());
  EXPECT_EQ(world.steps(), 0U);
}

}  // namespace
}  // namespace windlass::sim
