// `windlass up` on a machine that goes down (disruption.md K-71).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "cli/commands/up_testing.h"
#include "posix/testing.h"
#include "virtual_world/virtual_containers.h"

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

constexpr const char* kPod = "GET /api/v1/namespaces/default/pods/p";

// Containers that only a signal ends, after some time; and what became of them by the time the
// session was gone.
struct StubbornContainers {
  std::vector<int> signals;
  size_t running = 0;

  std::function<plane::ContainerFactory(posix::EventLoop&, env::Clock&)> maker(
      Duration term_delay) {
    return [this, term_delay](posix::EventLoop& loop, env::Clock& clock) {
      const auto script =
          [term_delay](const env::ContainerRequest&) -> Result<virtual_world::VirtualProcess> {
        virtual_world::VirtualProcess process;
        process.duration = virtual_world::VirtualProcess::kForever;
        process.term_delay = term_delay;
        return process;
      };
      const std::shared_ptr<virtual_world::VirtualContainers> made(
          new virtual_world::VirtualContainers(loop, clock, script),
          [this](virtual_world::VirtualContainers* containers) {
            for (const auto& signal : containers->signals()) {
              signals.push_back(signal.number);
            }
            running = containers->running();
            delete containers;
          });
      return [made](const std::string&, plane::ContainerLife) { return made; };
    };
  }
};

void start_pod(const Access& admin) {
  EXPECT_THAT(admin.request("POST /api/v1/namespaces/default/pods", "application/json",
                            R"({"metadata":{"name":"p"},"spec":{"nodeName":"node-1",)"
                            R"("restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})"),
              StartsWith("HTTP/1.1 201"));
  for (int tries = 0;
       tries < 10'000 && admin.request(kPod).find("\"Running\"") == std::string::npos; ++tries) {
  }
}

// `windlass down`, or the machine's power daemon.
void power_down_with(const std::function<void(UpSession&)>& signals) {
  const posix::TemporaryDirectory parent;
  testing::UpMachine machine;
  machine.nodes = 1;
  machine.machine.capacity = {{"cpu", "2"}, {"memory", "1Gi"}, {"pods", "10"}};
  StubbornContainers containers;
  machine.containers = containers.maker(milliseconds(500));
  RunningUp up(parent / "state", "127.0.0.1:0", machine);
  start_pod(Access(parent.read("state/kubeconfig")));
  up.post_to_session(signals);
  EXPECT_EQ(up.wait(), ExitCode::ok);
  EXPECT_EQ(containers.signals, std::vector<int>{15});
  EXPECT_EQ(containers.running, 0u) << "it did not wait for the pod";
}

TEST(UpShutdown, WhoAsksForItTwiceTakesNoPodsGracePeriod) {
  power_down_with([](UpSession& session) {
    session.power_down();
    session.power_down();
  });
}

TEST(UpShutdown, PodsHaveTheirGracePeriodAfterACtrlCToo) {
  power_down_with([](UpSession& session) {
    session.interrupt();
    session.power_down();
  });
}

TEST(UpShutdown, K71_AMachineThatGoesDownWaitsForPods) {
  const posix::TemporaryDirectory parent;
  ScriptedShutdown shutdown;
  testing::UpMachine machine;
  machine.nodes = 1;
  machine.machine.capacity = {{"cpu", "2"}, {"memory", "1Gi"}, {"pods", "10"}};
  machine.machine.shutdown = &shutdown;
  StubbornContainers containers;
  machine.containers = containers.maker(Duration::zero());
  RunningUp up(parent / "state", "127.0.0.1:0", machine);
  const Access admin(parent.read("state/kubeconfig"));
  start_pod(admin);
  const auto pod = [&admin] { return admin.request(kPod); };
  up.post([&shutdown] { shutdown.say(true); });
  ASSERT_TRUE(shutdown.is_released_within(seconds(60)));
  EXPECT_THAT(pod(), HasSubstr("\"reason\":\"Terminated\""));
  EXPECT_THAT(admin.request("GET /api/v1/nodes/node-1"), HasSubstr("node is shutting down"));
  up.stop();
  EXPECT_THAT(up.output.err_text, HasSubstr("The machine shuts down"));
}

}  // namespace
}  // namespace windlass::cli
