// Starts that fail: what is the container's own fault is recorded, and what is not may be asked for
// again, with the reason that a kubelet's container would wait with (disruption.md K-10, K-18).
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using testing::bind_mount;
using ::testing::HasSubstr;
using testing::Outcome;
using testing::Rig;

// `<reason>: <message>` of a start that failed; StartError where the run is on record as failed.
std::string start_problem(Rig& rig, const env::ContainerRequest& request) {
  rig.outcomes.erase(request.id);
  const Outcome& outcome = rig.run(request);
  EXPECT_FALSE(outcome.exit.has_value());
  if (!outcome.started || *outcome.started) {
    return "it started";
  }
  const Status& why = outcome.started->error();
  const std::vector<env::ContainerRunInfo> runs = rig.list();
  const bool recorded =
      std::any_of(runs.begin(), runs.end(), [&](const auto& run) { return run.id == request.id; });
  EXPECT_NE(recorded, env::is_not_created(why));
  return (recorded ? "StartError" : why.reason) + ": " + why.message;
}

TEST(ContainerStart, K10_WhatACommandOrItsPlaceIsWrongInIsAStartError) {
  Rig rig;
  EXPECT_EQ(start_problem(rig, rig.request("1", {"/nope"})),
            R"(StartError: exec: "/nope": stat /nope: no such file or directory)");
  EXPECT_EQ(start_problem(rig, rig.request("2", {"nope"})),
            R"(StartError: exec: "nope": executable file not found in $PATH)");
  EXPECT_EQ(start_problem(rig, rig.request("3", {"/etc/passwd"})),
            R"(StartError: exec: "/etc/passwd": stat /etc/passwd: permission denied)");
  auto lost = rig.request("4", {"true"});
  lost.working_directory = "/no/such";
  EXPECT_EQ(start_problem(rig, lost), "StartError: chdir /no/such: no such file or directory");
  // Asked again, the answer is the same.
  EXPECT_EQ(start_problem(rig, rig.request("1", {"true"})),
            R"(StartError: exec: "/nope": stat /nope: no such file or directory)");
}

// N2: one request that no message can carry leaves the others their supervisor.
TEST(ContainerStart, TooManyArgumentsAreTheFaultOfTheirContainerAlone) {
  Rig rig;
  auto other = rig.shell("other", "sleep 60");
  rig.start(other);
  const Outcome& outcome = rig.run(rig.request("1", std::vector<std::string>(70'000, "true")));
  ASSERT_TRUE(outcome.started.has_value());
  EXPECT_EQ(outcome.started->error().message, "exec: argument list too long");
  EXPECT_FALSE(rig.outcomes["other"].exit.has_value());
  EXPECT_EQ(rig.exit_of(rig.shell("2", "exit 3")).code, 3);
  // As many as a message can carry, and more bytes than the kernel takes.
  const Outcome& refused =
      rig.run(rig.request("3", std::vector<std::string>(60'000, std::string(60, 'x'))));
  ASSERT_TRUE(refused.started.has_value());
  EXPECT_FALSE(refused.started->has_value());
}

TEST(ContainerStart, WhatIsNotThereKeepsAContainerWaiting) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  const std::string source = rig.directory / "late";
  auto mount = rig.request("1", {"true"});
  mount.isolation.mounts = {bind_mount(source, "/data")};
  EXPECT_EQ(start_problem(rig, mount),
            "CreateContainerError: mount " + source + ": no such file or directory");
  auto image = rig.request("2", {"true"});
  image.isolation.root = source;
  EXPECT_EQ(start_problem(rig, image),
            "CreateContainerError: mount " + source + ": no such file or directory");
  // The same run, once it is there.
  std::filesystem::create_directory(source);
  rig.outcomes.clear();
  EXPECT_EQ(rig.exit_of(mount).code, 0);
}

TEST(ContainerStart, APartThatLeadsOutOfItsVolumeIsAMatterOfConfiguration) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  std::filesystem::create_directory(rig.directory / "volume");
  std::filesystem::create_symlink("/etc", rig.directory / "volume/link");
  auto request = rig.request("1", {"true"});
  request.isolation.mounts = {bind_mount(rig.directory / "volume", "/data")};
  request.isolation.mounts[0].sub_path = "link";
  EXPECT_EQ(start_problem(rig, request),
            "CreateContainerConfigError: link leads out of " + (rig.directory / "volume"));
}

// As a kubelet makes it: every writer there writes for the volume's group.
TEST(ContainerStart, APartOfAVolumeHasTheVolumesGroup) {
  Rig rig;
  if (!rig.isolation().namespaces || rig.isolation().user_namespace || ::geteuid() != 0) {
    GTEST_SKIP() << "no groups here";
  }
  const std::string volume = rig.directory / "volume";
  std::filesystem::create_directory(volume);
  ASSERT_EQ(::chown(volume.c_str(), 0, 77), 0);
  ASSERT_EQ(::chmod(volume.c_str(), 02777), 0);
  auto request = rig.shell("1", "stat -c '%a %g' /data; touch /data/f; stat -c %g /data/f");
  request.isolation.mounts = {bind_mount(volume, "/data")};
  request.isolation.mounts[0].sub_path = "a/b";
  EXPECT_EQ(rig.output(request), "2777 77\n77\n");
}

TEST(ContainerStart, WhatHasNoLineFeedGetsNone) {
  Rig rig;
  EXPECT_EQ(rig.output(rig.shell("1", "printf 'a\\nx'")), "a\nx");
}

TEST(ContainerStart, AMachineThatHasNoDescriptorsLeftFailsNobody) {
  Rig rig;
  EXPECT_EQ(rig.exit_of(rig.shell("before", "exit 3")).code, 3);
  rlimit before = {};
  ASSERT_EQ(::prlimit(rig.supervisor, RLIMIT_NOFILE, nullptr, &before), 0);
  rlimit few = before;
  few.rlim_cur = 3;
  ASSERT_EQ(::prlimit(rig.supervisor, RLIMIT_NOFILE, &few, nullptr), 0);
  const auto request = rig.shell("1", "exit 4");
  EXPECT_THAT(start_problem(rig, request), HasSubstr("CreateContainerError: "));
  ASSERT_EQ(::prlimit(rig.supervisor, RLIMIT_NOFILE, &before, nullptr), 0);
  rig.outcomes.clear();
  EXPECT_EQ(rig.exit_of(request).code, 4);
}

TEST(ContainerStart, ALogThatCannotBeWrittenFailsNobody) {
  Rig rig;
  auto request = rig.shell("1", "echo words; exit 5");
  rig.directory.write("file", "");
  request.log_path = rig.directory / "file/log";
  EXPECT_EQ(rig.exit_of(request).code, 5);
}

}  // namespace
}  // namespace windlass::supervisor
