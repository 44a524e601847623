// `windlass up` on a machine that goes down (disruption.md K-71).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "cli/up_testing.h"
#include "posix/testing.h"
#include "sim/sim_containers.h"

namespace windlass::cli {
namespace {

using testing::Access;
using ::testing::HasSubstr;
using testing::RunningUp;
using ::testing::StartsWith;

// A machine that goes down when a test says so.
class ScriptedShutdown final : public env::MachineShutdown {
 public:
  void watch(std::optional<Duration>, OnChange on_change) override {
    on_change_ = std::move(on_change);
  }
  void release() override {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }

  // On the thread of the loop.
  void say(bool imminent) { on_change_(imminent); }
  bool is_released_within(Duration limit) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return released_; });
  }

 private:
  OnChange on_change_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool released_ = false;
};

TEST(UpShutdown, K71_AMachineThatGoesDownWaitsForPods) {
  const posix::TemporaryDirectory parent;
  ScriptedShutdown shutdown;
  testing::UpMachine machine;
  machine.nodes = 1;
  machine.machine.capacity = {{"cpu", "2"}, {"memory", "1Gi"}, {"pods", "10"}};
  machine.machine.shutdown = &shutdown;
  machine.containers = [](posix::EventLoop& loop, env::Clock& clock) {
    auto containers = std::make_shared<sim::SimContainers>(
        loop, clock, [](const env::ContainerRequest&) -> Result<sim::SimProcess> {
          sim::SimProcess process;
          process.duration = sim::SimProcess::kForever;
          return process;
        });
    return [containers](const std::string&, ContainerLife) { return containers; };
  };
  RunningUp up(parent / "state", "127.0.0.1:0", machine);
  const Access admin(parent.read("state/kubeconfig"));
  EXPECT_THAT(admin.request("POST /api/v1/namespaces/default/pods", "application/json",
                            R"({"metadata":{"name":"p"},"spec":{"nodeName":"node-1",)"
                            R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})"),
              StartsWith("HTTP/1.1 201"));
  const auto pod = [&admin] { return admin.request("GET /api/v1/namespaces/default/pods/p"); };
  for (int tries = 0; tries < 10'000 && pod().find("\"Running\"") == std::string::npos; ++tries) {
  }
  up.post([&shutdown] { shutdown.say(true); });
  ASSERT_TRUE(shutdown.is_released_within(seconds(60)));
  EXPECT_THAT(pod(), HasSubstr("\"reason\":\"Terminated\""));
  EXPECT_THAT(admin.request("GET /api/v1/nodes/node-1"), HasSubstr("node is shutting down"));
  up.stop();
  EXPECT_THAT(up.output.err_text, HasSubstr("The machine shuts down"));
}

}  // namespace
}  // namespace windlass::cli
