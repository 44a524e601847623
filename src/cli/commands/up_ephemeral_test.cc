// `windlass up --ephemeral`: what tests start, and what is left of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "api/codec/json/json_value.h"
#include "cli/commands/commands.h"
#include "cli/commands/up_testing.h"
#include "cli/flags/parsed_options_testing.h"
#include "posix/testing.h"
#include "virtual_world/virtual_containers.h"

namespace windlass::cli {
namespace {

using testing::Access;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::parsed;
using testing::RunningUp;
using ::testing::StartsWith;

constexpr const char* kAnyPort = "127.0.0.1:0";

TEST(EphemeralUp, SaysInOneLineHowToReachItAndKeepsTheStoreInMemory) {
  const posix::TemporaryDirectory directory;
  RunningUp up(directory.path(), kAnyPort, {.ephemeral = true});
  ASSERT_EQ(up.output.err_text, "");
  ASSERT_TRUE(up.output.out_text.ends_with('\n'));
  EXPECT_EQ(up.output.out_text.find('\n'), up.output.out_text.size() - 1);
  const auto line = api::parse_json_value(up.output.out_text);
  ASSERT_TRUE(line.has_value());
  const auto member = [&line](const char* name) { return line->value.find(name)->text; };
  EXPECT_EQ(member("apiVersion"), "windlass.dev/v1");
  EXPECT_EQ(member("kind"), "Ready");
  EXPECT_EQ(member("kubeconfig"), directory / "kubeconfig");
  EXPECT_EQ(member("pid"), std::to_string(::getpid()));

  const Access admin(directory.read("kubeconfig"));
  EXPECT_EQ(member("server"), "https://" + admin.endpoint.text());
  EXPECT_THAT(admin.request("POST /api/v1/namespaces/default/configmaps", "application/json",
                            R"({"metadata":{"name":"kept"}})"),
              StartsWith("HTTP/1.1 201 Created"));
  EXPECT_THAT(admin.request("GET /api/v1/namespaces/default/configmaps/kept"),
              StartsWith("HTTP/1.1 200 OK"));
  posix::PosixFiles files;
  EXPECT_THAT(*files.list(directory.path()), ElementsAre("kubeconfig", "viewer.kubeconfig"));
  EXPECT_EQ(up.stop(), ExitCode::ok);
}

TEST(EphemeralUp, KillsItsPodsWhenItEnds) {
  const posix::TemporaryDirectory directory;
  plane::ContainerLife life = plane::ContainerLife::outlive_owner;
  std::shared_ptr<virtual_world::VirtualContainers> containers;
  testing::UpMachine machine{.nodes = 1, .ephemeral = true};
  machine.machine.capacity = {{"cpu", "2"}, {"memory", "1Gi"}, {"pods", "10"}};
  machine.containers = [&](posix::EventLoop& loop, env::Clock& clock) {
    containers = std::make_shared<virtual_world::VirtualContainers>(
        loop, clock, [](const env::ContainerRequest&) -> Result<virtual_world::VirtualProcess> {
          virtual_world::VirtualProcess process;
          process.duration = virtual_world::VirtualProcess::kForever;
          process.term_delay = virtual_world::VirtualProcess::kForever;
          return process;
        });
    return [&](const std::string&, plane::ContainerLife wanted) {
      life = wanted;
      return containers;
    };
  };
  RunningUp up(directory.path(), kAnyPort, machine);
  const Access admin(directory.read("kubeconfig"));
  EXPECT_THAT(admin.request("POST /api/v1/namespaces/default/pods", "application/json",
                            R"({"metadata":{"name":"p"},"spec":{"nodeName":"node-1",)"
                            R"("containers":[{"name":"c","image":"i"}]}})"),
              StartsWith("HTTP/1.1 201"));
  for (int tries = 0; tries < 10'000 &&
                      admin.request("GET /api/v1/namespaces/default/pods/p").find("\"Running\"") ==
                          std::string::npos;
       ++tries) {
  }
  EXPECT_EQ(life, plane::ContainerLife::with_owner);
  EXPECT_EQ(up.stop(), ExitCode::ok);
  EXPECT_EQ(containers->running(), 0U);
  containers.reset();
}

TEST(EphemeralUp, TakesAFreePortUnlessOneIsGiven) {
  EXPECT_EQ(parsed<UpOptions>({"up"}).listen, "127.0.0.1:6443");
  EXPECT_EQ(parsed<UpOptions>({"up", "--ephemeral"}).listen, kAnyPort);
  EXPECT_EQ(parsed<UpOptions>({"up", "--ephemeral", "--listen", "[::1]:7000"}).listen,
            "[::1]:7000");
}

TEST(EphemeralUp, RefusesWhatMakesNoSense) {
  EXPECT_EQ(parsed<UpOptions>({"up", "--ephemeral", "--parent-pid", "7"}).parent_pid, 7);
  const auto refused = [](std::vector<std::string> arguments) {
    testing::TextOutput output;
    arguments.insert(arguments.begin(), "up");
    EXPECT_EQ(run_command_line(all_commands(), arguments, output), ExitCode::usage);
    return output.err_text;
  };
  EXPECT_THAT(refused({"--parent-pid", "7"}), HasSubstr("--parent-pid needs --ephemeral"));
  EXPECT_THAT(refused({"--ephemeral", "--data-dir", "d"}), HasSubstr("keeps no data"));
  EXPECT_THAT(refused({"--ephemeral", "--parent-pid", "0"}), HasSubstr("--parent-pid"));
  EXPECT_THAT(refused({"--ephemeral", "--parent-pid", "2147483647"}),
              HasSubstr("watch process 2147483647: no such process"));
}

TEST(EphemeralUp, TimeScaleShortensTheWaitsOfControllers) {
  const auto periods = parsed<UpOptions>({"up", "--time-scale", "100"}).periods;
  EXPECT_EQ(periods.backoff_base, milliseconds(100));
  EXPECT_EQ(periods.backoff_cap, seconds(6));
  EXPECT_EQ(periods.default_toleration, seconds(3));
  EXPECT_EQ(periods.node_monitor_grace, seconds(50)) << "nodes send heartbeats as often as before";
  EXPECT_EQ(
      parsed<UpOptions>({"up", "--time-scale", "2", "--backoff-base", "1s"}).periods.backoff_base,
      milliseconds(500));
  EXPECT_EQ(parsed<UpOptions>({"up", "--time-scale", "10000", "--backoff-base", "1ms"})
                .periods.backoff_base,
            milliseconds(1));
}

}  // namespace
}  // namespace windlass::cli
