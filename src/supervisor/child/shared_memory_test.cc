// Memory that containers share, with real ones. What a test leaves mounted fails it (testing.h).
#include "supervisor/child/shared_memory.h"

#include <gmock/gmock.h>

#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Rig;

env::ContainerMount memory_mount(const std::string& name, const std::string& sub_path = "") {
  return {env::ContainerMount::Kind::tmpfs, name, "/windlass-mem", false, 1 << 20, sub_path};
}

std::string with_memory(Rig& rig, const std::string& id, const std::string& name,
                        const std::string& script, const std::string& sub_path = "") {
  auto request = rig.shell(id, script);
  request.isolation.mounts = {memory_mount(name, sub_path)};
  return rig.output(request);
}

TEST(SharedMemory, WhoeverNamesItSeesTheSame) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  EXPECT_EQ(with_memory(rig, "1", "pod/v",
                        "echo words > /windlass-mem/f; stat -f -c %T /windlass-mem; "
                        "stat -c %a /windlass-mem"),
            "tmpfs\n1777\n");
  EXPECT_EQ(with_memory(rig, "2", "pod/v", "cat /windlass-mem/f"), "words\n");
  EXPECT_EQ(with_memory(rig, "3", "pod/w", "ls /windlass-mem"), "") << "another one";
  // Two at a time, of which one is there first.
  auto first = rig.shell("4", "until [ -e /windlass-mem/go ]; do sleep 0.01; done; exit 7");
  first.isolation.mounts = {memory_mount("pod/v")};
  const Outcome& waits = rig.start(first);
  ASSERT_TRUE(rig.wait_for([&] { return waits.started.has_value(); }));
  EXPECT_EQ(with_memory(rig, "5", "pod/v", "touch /windlass-mem/go"), "");
  ASSERT_TRUE(rig.wait_for([&] { return waits.over(); }));
  EXPECT_EQ(waits.exit->code, 7);
}

TEST(SharedMemory, ItHasItsSizeItsPartsAndItsGroup) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  EXPECT_THAT(
      with_memory(rig, "1", "v",
                  "head -c 3000000 /dev/zero > /windlass-mem/f; stat -c %s /windlass-mem/f; "
                  "rm /windlass-mem/f"),
      HasSubstr("1048576\n"));
  EXPECT_EQ(with_memory(rig, "2", "v", "echo deep > /windlass-mem/f", "a/b"), "");
  EXPECT_EQ(with_memory(rig, "3", "v", "cat /windlass-mem/a/b/f; ln -s /etc /windlass-mem/l"),
            "deep\n");
  EXPECT_THAT(with_memory(rig, "4", "v", "ls /windlass-mem", "l"), HasSubstr("l leads out of /"));
  auto reader = rig.shell("5", "touch /windlass-mem/x 2>&1; cat /windlass-mem/a/b/f");
  reader.isolation.mounts = {memory_mount("v")};
  reader.isolation.mounts[0].read_only = true;
  const std::string output = rig.output(reader);
  EXPECT_THAT(output, HasSubstr("Read-only file system"));
  EXPECT_THAT(output, HasSubstr("deep\n"));
  EXPECT_EQ(with_memory(rig, "mode", "new", "stat -c %a /windlass-mem"), "1777\n");
  EXPECT_EQ(with_memory(rig, "part", "new", "stat -c %a /windlass-mem", "p"), "1777\n");
  if (::geteuid() == 0 && !rig.isolation().user_namespace) {
    auto shared = rig.shell("6", "stat -c '%a %g' /windlass-mem");
    shared.isolation.mounts = {memory_mount("of a group")};
    shared.isolation.mounts[0].group = 77;
    EXPECT_EQ(rig.output(shared), "3777 77\n");
  }
}

TEST(SharedMemory, ItIsThereUntilTheLastRunIsForgotten) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  with_memory(rig, "init/0", "v", "echo words > /windlass-mem/f");
  with_memory(rig, "main/0", "v", "exit 1");
  rig.client->forget("init/0");
  with_memory(rig, "other", "w", "true");  // by then it is
  rig.client.reset();                      // another agent finds it again
  rig.connect();
  EXPECT_EQ(with_memory(rig, "main/1", "v", "cat /windlass-mem/f; ls /windlass-mem | wc -l"),
            "words\n1\n");
  rig.client->forget("main/0");
  rig.client->forget("main/1");
  EXPECT_EQ(with_memory(rig, "main/2", "v", "ls /windlass-mem"), "") << "a new one";
}

TEST(SharedMemory, ItGoesWithItsSupervisor) {
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  auto request = rig.shell("1", "echo words > /windlass-mem/f; exec sleep 1000");
  request.isolation.mounts = {memory_mount("v")};
  const Outcome& outcome = rig.start(request);
  ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  rig.kill_supervisor();
  ASSERT_TRUE(rig.wait_for([&] { return outcome.over(); }));
  EXPECT_EQ(with_memory(rig, "2", "v", "ls /windlass-mem"), "");
  EXPECT_EQ(read_cgroup("/proc/self/mountinfo").find("windlass-mem"), std::string::npos);
}

// One that has nothing to keep ends by itself in the same time.
TEST(SharedMemory, ASupervisorWithoutAnAgentKeepsIt) {
  SupervisorOptions impatient;
  impatient.end_when_idle_for = seconds(1);  // longer than a client waits between two looks
  Rig rig(impatient);
  Rig other(impatient);
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  with_memory(rig, "1", "v", "echo words > /windlass-mem/f");
  rig.client.reset();
  other.isolation();
  other.client.reset();
  ASSERT_EQ(::waitpid(other.supervisor, nullptr, 0), other.supervisor);
  other.supervisor = 0;
  EXPECT_EQ(::waitpid(rig.supervisor, nullptr, WNOHANG), 0);
  rig.connect();
  EXPECT_EQ(with_memory(rig, "2", "v", "cat /windlass-mem/f"), "words\n");
}

// disruption.md K-61: what is in it is the pod's.
TEST(SharedMemory, WhatIsInItCountsOnce) {
  std::vector<env::ContainerUse> uses;  // outlives the answers
  Rig rig;
  if (!rig.isolation().namespaces) {
    GTEST_SKIP() << "no mount namespaces here";
  }
  for (const char* id : {"a", "b"}) {
    auto request = rig.shell(
        id, fmt::format("head -c 8000000 /dev/zero > /windlass-mem/{}; exec sleep 1000", id));
    request.isolation.mounts = {memory_mount("v")};
    request.isolation.mounts[0].size_bytes = 1 << 24;
    const Outcome& outcome = rig.start(request);
    ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  }
  ASSERT_TRUE(rig.wait_for([&] {
    rig.client->use([&](const std::vector<env::ContainerUse>& found) {
      uses = found;
      rig.loop.stop();
    });
    return uses.size() == 2 && uses[0].memory_bytes > 16'000'000;
  }));
  EXPECT_LT(uses[1].memory_bytes, 8'000'000u);
}

// Ends with 0 when all is well.
int share_memory() {
  Rig rig;
  const Isolation isolation = rig.isolation();
  if (!isolation.namespaces || !isolation.user_namespace) {
    return testing::kNoNamespaces;
  }
  auto other = rig.shell("2", "cat /windlass-mem/f; id -u");
  other.isolation.uid = 1234;
  other.isolation.mounts = {memory_mount("v")};
  return with_memory(rig, "1", "v", "echo words > /windlass-mem/f") == "" &&
                 rig.output(other) == "words\n1234\n"
             ? 0
             : 1;
}

TEST(SharedMemory, OrdinaryUsersHaveItToo) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "needs root to become another user; all other tests are run by one";
  }
  const int result = testing::result_as_nobody(share_memory);
  if (result == testing::kNoNamespaces) {
    GTEST_SKIP() << "ordinary users have no namespaces here";
  }
  EXPECT_EQ(result, 0);
}

}  // namespace
}  // namespace windlass::supervisor
