#include "cli/commands/node/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "cli/commands/kubeconfig.h"
#include "cli/commands/up_testing.h"
#include "posix/testing.h"
#include "virtual_world/virtual_containers.h"

namespace windlass::cli {
namespace {

using testing::Access;
using ::testing::HasSubstr;
using testing::RunningUp;
using ::testing::StartsWith;

constexpr Duration kPatience = seconds(60);

// A `windlass node` on a thread of its own.
class RunningNode {
 public:
  RunningNode(const remote::ClusterAccess& access, NodeOptions options, Duration runs_for = {})
      : loop_(clock_) {
    thread_ = std::thread(
        [this, access, options = std::move(options), runs_for] { run(access, options, runs_for); });
  }
  ~RunningNode() { interrupt(); }

  // Before it has ended, or it is too late.
  bool says(const std::string& text) {
    std::unique_lock lock(output_.mutex);
    return output_.changed.wait_for(
        lock, kPatience, [this, &text] { return output_.text.find(text) != std::string::npos; });
  }
  ExitCode interrupt() {
    return end([](NodeSession& session) { session.interrupt(); });
  }
  ExitCode power_down() {
    return end([](NodeSession& session) { session.power_down(); });
  }
  ExitCode join() {
    if (thread_.joinable()) {
      thread_.join();
    }
    return code_;
  }

  std::vector<std::string> environment;  // of the container that was started last; after the end
  size_t running = 0;                    // when it ended
  std::vector<int> signals;              // that its containers got

 private:
  struct Told final : Output {
    void out(std::string_view more) override { err(more); }
    void err(std::string_view more) override {
      const std::lock_guard lock(mutex);
      text += more;
      changed.notify_all();
    }
    bool interactive() const override { return false; }
    std::mutex mutex;
    std::condition_variable changed;
    std::string text;
  };

  ExitCode end(const std::function<void(NodeSession&)>& how) {
    loop_.post([this, how] {
      if (session_) {
        how(*session_);
      }
    });
    return join();
  }

  void run(const remote::ClusterAccess& access, const NodeOptions& options, Duration runs_for) {
    posix::PosixFiles files;
    const auto containers = std::make_shared<virtual_world::VirtualContainers>(
        loop_, clock_,
        [this,
         runs_for](const env::ContainerRequest& request) -> Result<virtual_world::VirtualProcess> {
          environment = request.environment;
          virtual_world::VirtualProcess process;
          process.duration = runs_for;
          return process;
        });
    plane::NodeMachine machine;
    machine.capacity = {{"cpu", "2"}, {"memory", "1Gi"}, {"pods", "10"}};
    session_.emplace(
        env::Env{clock_, random_, loop_, log_, files}, loop_,
        [containers](const std::string&, plane::ContainerLife) { return containers; }, access,
        options, machine, output_,
        [this](ExitCode code) {
          code_ = code;
          loop_.stop();
        });
    session_->start();
    loop_.run();
    session_.reset();
    running = containers->running();
    for (const auto& signal : containers->signals()) {
      signals.push_back(signal.number);
    }
  }

  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::EventLoop loop_;
  testing::TextLog log_;
  Told output_;
  std::optional<NodeSession> session_;
  ExitCode code_ = ExitCode::ok;
  std::thread thread_;
};

class NodeSessionTest : public ::testing::Test {
 protected:
  NodeSessionTest() : up_(state(), "127.0.0.1:0"), admin_(directory_.read("state/kubeconfig")) {}

  std::string state() const { return directory_ / "state"; }

  // As `windlass kubeconfig --role node --user a` has it.
  remote::ClusterAccess rights_of_a_node() {
    testing::TextOutput text;
    EXPECT_EQ(print_kubeconfig({state(), "node", "a", ""}, files_, posix::PosixClock().now(), text),
              ExitCode::ok);
    directory_.write("a.kubeconfig", text.out_text);
    auto access = find_cluster(files_, {directory_ / "a.kubeconfig", ""}, {});
    EXPECT_TRUE(access.has_value());
    return *access;
  }
  NodeOptions options() const {
    NodeOptions options;
    options.images.host_root = {true, true};
    options.name = "a";
    options.data_dir = state();
    options.labels = {{"disk", "ssd"}};
    options.report_timeout = kPatience;
    return options;
  }

  void create(const std::string& resource, const std::string& object) {
    EXPECT_THAT(
        admin_.request("POST /api/v1/namespaces/default/" + resource, "application/json", object),
        StartsWith("HTTP/1.1 201"));
  }
  void create_pod(const std::string& more = "") {
    create("pods", R"({"metadata":{"name":"p"},"spec":{"nodeName":"a","restartPolicy":"Never",)"
                   R"("terminationGracePeriodSeconds":1,)"
                   R"("containers":[{"name":"c","image":"i")" +
                       more + "}]}}");
  }
  std::string pod() { return admin_.request("GET /api/v1/namespaces/default/pods/p"); }
  bool pod_says(const std::string& text) {
    posix::PosixClock clock;
    const MonotonicTime until = clock.monotonic() + kPatience;
    while (clock.monotonic() < until) {
      if (pod().find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  }

  const posix::TemporaryDirectory directory_;
  posix::PosixFiles files_;
  RunningUp up_;
  const Access admin_;
};

TEST_F(NodeSessionTest, RunsPodsWithTheRightsOfANode) {
  create("configmaps", R"({"metadata":{"name":"m"},"data":{"FROM_MAP":"1"}})");
  create("secrets", R"({"metadata":{"name":"s"},"data":{"FROM_SECRET":"Mg=="}})");
  RunningNode node(rights_of_a_node(), options());
  ASSERT_TRUE(node.says("node a is ready at https://"));
  EXPECT_THAT(admin_.request("GET /api/v1/nodes/a"), HasSubstr(R"("disk":"ssd")"));
  create_pod(R"(,"envFrom":[{"configMapRef":{"name":"m"}},{"secretRef":{"name":"s"}}])");
  EXPECT_TRUE(pod_says(R"("phase":"Succeeded")")) << pod();
  EXPECT_EQ(node.interrupt(), ExitCode::ok);
  EXPECT_THAT(node.environment, ::testing::IsSupersetOf({"FROM_MAP=1", "FROM_SECRET=2"}));
}

TEST_F(NodeSessionTest, ItsLogsAreReadWhereTheDataDirectoryIsTheServers) {
  RunningNode node(rights_of_a_node(), options(), virtual_world::VirtualProcess::kForever);
  ASSERT_TRUE(node.says("is ready"));
  create_pod();
  ASSERT_TRUE(pod_says(R"("phase":"Running")")) << pod();
  const std::string logs = "GET /api/v1/namespaces/default/pods/p/log";
  EXPECT_THAT(admin_.request(logs), StartsWith("HTTP/1.1 200"));
  std::filesystem::rename(state() + "/agents", directory_ / "elsewhere");
  EXPECT_THAT(admin_.request(logs), HasSubstr("which is not that of this server"));
}

TEST_F(NodeSessionTest, CtrlCLeavesThePodsRunning) {
  RunningNode node(rights_of_a_node(), options(), virtual_world::VirtualProcess::kForever);
  ASSERT_TRUE(node.says("is ready"));
  create_pod();
  ASSERT_TRUE(pod_says(R"("phase":"Running")")) << pod();
  EXPECT_EQ(node.interrupt(), ExitCode::ok);
  EXPECT_TRUE(node.says("1 pod keeps running"));
  EXPECT_EQ(node.running, 1u);
  EXPECT_THAT(pod(), HasSubstr(R"("phase":"Running")"));
}

// disruption.md K-74
TEST_F(NodeSessionTest, PowerDownEndsThePodsAndTheServerKnows) {
  RunningNode node(rights_of_a_node(), options(), virtual_world::VirtualProcess::kForever);
  ASSERT_TRUE(node.says("is ready"));
  create_pod();
  ASSERT_TRUE(pod_says(R"("phase":"Running")")) << pod();
  EXPECT_EQ(node.power_down(), ExitCode::ok);
  EXPECT_EQ(node.running, 0u);
  EXPECT_EQ(node.signals, std::vector<int>{15});
  EXPECT_THAT(pod(), HasSubstr(R"("reason":"Terminated")"));
}

TEST_F(NodeSessionTest, PowerDownDoesNotWaitForAServerThatIsGone) {
  NodeOptions impatient = options();
  impatient.report_timeout = milliseconds(1);
  RunningNode node(rights_of_a_node(), impatient, virtual_world::VirtualProcess::kForever);
  ASSERT_TRUE(node.says("is ready"));
  create_pod();
  ASSERT_TRUE(pod_says(R"("phase":"Running")")) << pod();
  up_.stop();
  EXPECT_EQ(node.power_down(), ExitCode::ok);
  EXPECT_TRUE(node.says("The next start reports the results of the pods"));
  EXPECT_EQ(node.signals, std::vector<int>{15});
  EXPECT_EQ(node.running, 0u);
}

TEST_F(NodeSessionTest, TwoOfOneNameCannotShareAFolder) {
  RunningNode node(rights_of_a_node(), options());
  ASSERT_TRUE(node.says("is ready"));
  RunningNode second(rights_of_a_node(), options());
  EXPECT_EQ(second.join(), ExitCode::failed);
  EXPECT_TRUE(second.says("error: ") && second.says("in use"));
}

TEST_F(NodeSessionTest, ADataDirectoryThatIsOpenToOthersIsRefused) {
  NodeOptions lax = options();
  lax.data_dir = directory_ / "lax";
  std::filesystem::create_directory(lax.data_dir);
  std::filesystem::permissions(lax.data_dir, std::filesystem::perms(0755));
  RunningNode node(rights_of_a_node(), lax);
  EXPECT_EQ(node.join(), ExitCode::failed);
  EXPECT_TRUE(node.says("chmod 700 " + lax.data_dir));
}

// Each would run every pod.
TEST_F(NodeSessionTest, TwoOfOneNameCannotShareACluster) {
  RunningNode node(rights_of_a_node(), options());
  ASSERT_TRUE(node.says("is ready"));
  NodeOptions elsewhere = options();
  elsewhere.data_dir = directory_ / "elsewhere";
  RunningNode second(rights_of_a_node(), elsewhere);
  EXPECT_EQ(second.join(), ExitCode::failed);
  EXPECT_TRUE(second.says("another agent has this name"));
  node.interrupt();
  RunningNode again(rights_of_a_node(), options());
  EXPECT_TRUE(again.says("is ready")) << "the same one has its name at once";
}

TEST_F(NodeSessionTest, TheRightsOfAnotherNodeAreNotEnough) {
  NodeOptions other = options();
  other.name = "b";
  RunningNode node(rights_of_a_node(), other);
  EXPECT_EQ(node.join(), ExitCode::failed);
  EXPECT_TRUE(node.says("nodes \"b\" is forbidden"));
}

TEST_F(NodeSessionTest, ANodeReadsNoSecretThatItsPodsDoNotName) {
  create("secrets", R"({"metadata":{"name":"s"},"data":{"A":"Mg=="}})");
  create_pod(R"(,"envFrom":[{"secretRef":{"name":"t"}}])");
  rights_of_a_node();
  const Access node(directory_.read("a.kubeconfig"));
  const std::string secrets = "GET /api/v1/namespaces/default/secrets/";
  EXPECT_THAT(node.request(secrets + "s"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(node.request(secrets + "none"), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(node.request(secrets + "t"), StartsWith("HTTP/1.1 404"));
}

}  // namespace
}  // namespace windlass::cli
