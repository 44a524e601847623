#include "supervisor/cgroup/process_use.h"

#include <gmock/gmock.h>

#include "supervisor/testing.h"

namespace windlass::supervisor {
namespace {

using ::testing::ElementsAre;
using testing::Outcome;
using testing::Rig;

constexpr const char* kStatus =
    "Name:\tsh\nUmask:\t0022\nPid:\t7\nPPid:\t5\nVmRSS:\t    4000 kB\nRssAnon:\t     100 kB\n"
    "RssFile:\t    3800 kB\nRssShmem:\t     20 kB\nThreads:\t3\n";

TEST(ProcessUse, ReadsOneProcess) {
  EXPECT_EQ(read_process_facts(kStatus), (ProcessFacts{5, {120 * 1024, 3}}));
  // A kernel thread has no memory.
  EXPECT_EQ(read_process_facts("Name:\tkthreadd\nPPid:\t0\nThreads:\t1\n"),
            (ProcessFacts{0, {0, 1}}));
  EXPECT_EQ(read_process_facts(""), std::nullopt);
}

TEST(ProcessUse, AddsUpTrees) {
  const std::map<pid_t, ProcessFacts> processes = {{1, {0, {1, 1}}},
                                                   {10, {1, {10, 1}}},
                                                   {11, {10, {100, 2}}},
                                                   {12, {11, {1000, 1}}},
                                                   {20, {1, {5, 4}}}};
  EXPECT_THAT(use_of_trees(processes, {10, 20, 99}),
              ElementsAre(ProcessUse{1110, 4}, ProcessUse{5, 4}, ProcessUse{}));
  EXPECT_THAT(use_of_trees({{1, {2, {1, 1}}}, {2, {1, {1, 1}}}}, {1}).size(), 1u);
}

// disruption.md M-24, without the cgroup controllers that containers without limits do not have.
TEST(ProcessUse, TheSupervisorTellsWhatItsContainersTake) {
  std::vector<env::ContainerUse> uses;  // outlives the answers
  Rig rig;
  Outcome& outcome = rig.start(rig.shell(
      "hog", "x=$(head -c 8000000 /dev/zero | tr '\\0' a); sleep 1000 & touch /tmp/up; wait"));
  ASSERT_TRUE(rig.wait_for([&] { return outcome.started.has_value(); }));
  // Until the shell has read it all.
  ASSERT_TRUE(rig.wait_for([&] {
    rig.client->use([&](const std::vector<env::ContainerUse>& found) {
      uses = found;
      rig.loop.stop();
    });
    return uses.size() == 1 && uses[0].memory_bytes > 8'000'000 && uses[0].processes == 2;
  }));
  EXPECT_EQ(uses[0].id, "hog");
  EXPECT_LT(uses[0].memory_bytes, 100'000'000u);
}

}  // namespace
}  // namespace windlass::supervisor
