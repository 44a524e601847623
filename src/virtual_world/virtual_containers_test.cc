#include "virtual_world/virtual_containers.h"

#include <gtest/gtest.h>

#include <csignal>
#include <optional>

#include "virtual_world/world.h"

namespace windlass::virtual_world {
namespace {

class VirtualContainersTest : public testing::Test {
 protected:
  static env::ContainerRequest request(const std::string& id) {
    env::ContainerRequest request;
    request.id = id;
    request.command = {"sh"};
    return request;
  }

  void start(const std::string& id, VirtualProcess process) {
    next_ = process;
    containers_.start(
        request(id), [this](Result<void> started) { started_ = std::move(started); },
        [this](const env::ContainerExit& exit) { on_exit(exit); });
  }
  void on_exit(const env::ContainerExit& exit) {
    exit_ = exit;
    ended_after_ = world_.clock().monotonic() - start_;
  }

  VirtualWorld world_{1};
  MonotonicTime start_ = world_.clock().monotonic();
  Result<VirtualProcess> next_ = VirtualProcess();
  VirtualContainers containers_{world_.executor("node"), world_.clock(),
                                [this](const env::ContainerRequest&) { return next_; },
                                world_.faults()};
  std::optional<Result<void>> started_;
  std::optional<env::ContainerExit> exit_;
  Duration ended_after_ = Duration::zero();
};

TEST_F(VirtualContainersTest, EndsAfterItsDuration) {
  start("a", {seconds(30), {42, 0}});
  EXPECT_FALSE(started_.has_value()) << "never inside start()";
  EXPECT_EQ(containers_.running(), 1U);
  EXPECT_TRUE(world_.run_until_idle());
  ASSERT_TRUE(started_.has_value() && exit_.has_value());
  EXPECT_TRUE(started_->has_value());
  EXPECT_EQ(exit_->code, 42);
  EXPECT_EQ(exit_->finished_at - exit_->started_at, seconds(30));
  EXPECT_EQ(ended_after_, seconds(30));
  EXPECT_EQ(containers_.running(), 0U);
}

TEST_F(VirtualContainersTest, TermEndsItAfterItsDelay) {
  VirtualProcess process{VirtualProcess::kForever, {}};
  process.term_delay = seconds(5);
  start("a", process);
  containers_.signal("a", SIGTERM);
  containers_.signal("a", SIGTERM);
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(exit_->code, 143);
  EXPECT_EQ(ended_after_, seconds(5));
}

TEST_F(VirtualContainersTest, ItsOwnEndMayComeBeforeTheTermDelay) {
  VirtualProcess process{seconds(3), {0, 0}};
  process.term_delay = hours(1);
  start("a", process);
  containers_.signal("a", SIGTERM);
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(exit_->code, 0);
  EXPECT_EQ(ended_after_, seconds(3));
}

TEST_F(VirtualContainersTest, KillEndsItAtOnce) {
  VirtualProcess process{VirtualProcess::kForever, {}};
  process.term_delay = VirtualProcess::kForever;
  start("a", process);
  containers_.signal("a", SIGTERM);
  containers_.signal("a", SIGKILL);
  EXPECT_FALSE(exit_.has_value()) << "never inside signal()";
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(exit_->code, 137);
  EXPECT_EQ(exit_->signal, SIGKILL);
  containers_.signal("a", SIGTERM);
  EXPECT_EQ(containers_.signals().size(), 2U) << "nothing reaches one that has ended";
}

TEST_F(VirtualContainersTest, AnErrorOfTheScriptIsTheErrorOfTheStart) {
  next_ = fail(plain_error("exec: nope"));
  containers_.start(
      request("a"), [this](Result<void> started) { started_ = std::move(started); },
      [](const env::ContainerExit&) { FAIL(); });
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(started_->error().message, "exec: nope");
}

TEST_F(VirtualContainersTest, AStartFailsWhereTheFaultPointFires) {
  world_.faults().set("sim_containers.start_failed", 1);
  start("a", {});
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_FALSE(started_->has_value());
  EXPECT_EQ(containers_.known(), 0U) << "asking again may fare better";
}

TEST_F(VirtualContainersTest, N1_TheSameIdIsNotStartedTwice) {
  start("a", {seconds(1), {3, 0}});
  EXPECT_TRUE(world_.run_until_idle());
  exit_.reset();
  start("a", {seconds(1), {0, 0}});
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(containers_.started(), 1U);
  EXPECT_EQ(exit_->code, 3) << "the answer is what became of it";
}

TEST_F(VirtualContainersTest, AnotherAgentAttachesAndHearsOfTheEnd) {
  start("a", {seconds(5), {0, 0}});
  std::optional<env::ContainerExit> heard;
  containers_.attach("a", [&heard](const env::ContainerExit& exit) { heard = exit; });
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_FALSE(exit_.has_value());
  ASSERT_TRUE(heard.has_value());
  EXPECT_EQ(heard->code, 0);
  heard.reset();
  containers_.attach("unheard of", [&heard](const env::ContainerExit& exit) { heard = exit; });
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_TRUE(heard->lost);
}

TEST_F(VirtualContainersTest, WhatIsForgottenIsGoneOnceItIsOver) {
  start("a", {seconds(5), {0, 0}});
  containers_.forget("a");
  EXPECT_EQ(containers_.known(), 1U);
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_EQ(containers_.known(), 0U);
  EXPECT_FALSE(exit_.has_value());
}

TEST_F(VirtualContainersTest, ALostSupervisorLosesTheEnds) {
  start("a", {seconds(5), {0, 0}});
  containers_.lose_running();
  EXPECT_TRUE(world_.run_until_idle());
  EXPECT_TRUE(exit_->lost);
  EXPECT_EQ(exit_->code, 137);
}

TEST(VirtualContainers, ForgetsThemWhenDestroyed) {
  VirtualWorld world(1);
  {
    VirtualContainers containers(world.executor(), world.clock(),
                                 [](const env::ContainerRequest&) -> Result<VirtualProcess> {
                                   return VirtualProcess{seconds(1), {}};
                                 });
    env::ContainerRequest request;
    request.id = "a";
    containers.start(
        request, [](const Result<void>&) { FAIL(); }, [](const env::ContainerExit&) { FAIL(); });
  }
  EXPECT_TRUE(world.run_until_idle());
}

}  // namespace
}  // namespace windlass::virtual_world
