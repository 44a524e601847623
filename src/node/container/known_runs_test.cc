#include "node/container/known_runs.h"

#include <gtest/gtest.h>

#include "node/container/run_testing.h"

namespace windlass::node {
namespace {

using State = env::ContainerRunInfo::State;

env::ContainerRunInfo info(const std::string& id, State state, int code = 0) {
  env::ContainerRunInfo run;
  run.id = id;
  run.state = state;
  run.exit.code = code;
  run.exit.started_at = kNow - seconds(9);
  run.exit.finished_at = kNow - seconds(2);
  return run;
}

struct RunsCase {
  const char* name;
  std::optional<SeenContainer> seen;
  std::vector<env::ContainerRunInfo> runs;
  std::string state;  // waiting, running, or the exit code
  int restarts;
};

SeenContainer seen(ContainerState state, int restarts = 0, std::optional<Terminated> last = {}) {
  return {"c", std::move(state), std::move(last), restarts, "windlass://u/c/0"};
}

TEST(KnownRuns, NoRunEndsBeforeItStarts) {
  ContainerRun run;
  env::ContainerExit exit = info("u/c/0", State::ended).exit;
  run.state = Running{kNow};  // the agent heard of it when it was over
  const Terminated short_run = ended_from(exit, run, RestartPolicy::never);
  EXPECT_EQ(short_run.started_at, exit.started_at);
  EXPECT_EQ(short_run.finished_at, exit.finished_at);
  run.state = Running{kNow - seconds(8)};  // as it was told
  EXPECT_EQ(ended_from(exit, run, RestartPolicy::never).started_at, kNow - seconds(8));
}

TEST(KnownRuns, M30_ANewAgentTakesOverWhatItFinds) {
  const Terminated failed{3, "Error", "", kNow - seconds(9), kNow - seconds(2), "id"};
  const RunsCase cases[] = {
      {"nothing known", std::nullopt, {}, "waiting", 0},
      {"started, and the status never said so",
       std::nullopt,
       {info("u/c/0", State::running)},
       "running",
       0},
      {"ended, and the status never said so",
       std::nullopt,
       {info("u/c/0", State::ended, 42)},
       "42",
       0},
      {"could not start, and the status never said so",
       std::nullopt,
       {info("u/c/0", State::failed)},
       "128",
       0},
      {"still running", seen(Running{kNow}), {info("u/c/0", State::running)}, "running", 0},
      {"ended meanwhile", seen(Running{kNow}), {info("u/c/0", State::ended, 0)}, "0", 0},
      {"K-12: unknown", seen(Running{kNow}), {}, "137", 0},
      {"K-41: an end that was said stays", seen(failed), {info("u/c/0", State::running)}, "3", 0},
      {"restarted meanwhile",
       seen(failed, 0),
       {info("u/c/0", State::ended, 3), info("u/c/1", State::running)},
       "running",
       1},
      {"the tenth attempt is newer than the ninth",
       seen(Running{kNow}, 9),
       {info("u/c/10", State::running), info("u/c/9", State::ended, 1)},
       "running",
       10},
  };
  for (const RunsCase& each : cases) {
    PodSpecView spec;
    spec.uid = "u";
    spec.restart_policy = RestartPolicy::never;
    PodRun pod;
    pod.containers.push_back(waiting("c"));
    PodSeen pod_seen;
    if (each.seen) {
      pod_seen.containers.push_back(*each.seen);
    }
    const auto grouped = group_runs(each.runs);
    adopt(spec, pod_seen, grouped.contains("u") ? grouped.at("u") : PodRuns(), pod);
    const ContainerRun& run = pod.containers[0];
    const std::string state = run.running() ? "running"
                              : run.ended() ? std::to_string(run.ended()->exit_code)
                                            : "waiting";
    EXPECT_EQ(state, each.state) << each.name;
    EXPECT_EQ(run.restarts, each.restarts) << each.name;
    EXPECT_EQ(run.ever_started, state != "waiting") << each.name;
  }
}

TEST(KnownRuns, TheEndBeforeARestartIsTheLastState) {
  PodSpecView spec;
  spec.uid = "u";
  spec.restart_policy = RestartPolicy::on_failure;
  PodRun pod;
  pod.containers.push_back(waiting("c"));
  PodSeen pod_seen;
  pod_seen.containers.push_back(seen(Terminated{3, "Error", "", kNow, kNow, "id"}));
  adopt(spec, pod_seen, group_runs({info("u/c/1", State::running)}).at("u"), pod);
  ASSERT_TRUE(pod.containers[0].last.has_value());
  EXPECT_EQ(pod.containers[0].last->exit_code, 3);
  EXPECT_EQ(pod.containers[0].container_id, "windlass://u/c/1");
}

TEST(KnownRuns, K51_OutOfMemoryIsTheReasonUnlessItEndedWell) {
  ContainerRun run = running("c");
  env::ContainerExit exit{137, 9};
  exit.oom_killed = true;
  EXPECT_EQ(ended_from(exit, run, RestartPolicy::never).reason, "OOMKilled");
  exit.code = 0;
  EXPECT_EQ(ended_from(exit, run, RestartPolicy::never).reason, "Completed");
}

TEST(KnownRuns, N3_ALostEndIsNeverASuccess) {
  ContainerRun run = running("c");
  env::ContainerExit exit{0, 0};
  exit.lost = true;
  const Terminated ended = ended_from(exit, run, RestartPolicy::never);
  EXPECT_EQ(ended.exit_code, 137);
  EXPECT_EQ(ended.reason, "ContainerStatusUnknown");
}

TEST(KnownRuns, ForeignNamesBelongToNoPod) {
  const auto grouped = group_runs({info("strange", State::running), info("u/c/x", State::running)});
  EXPECT_EQ(grouped.size(), 1u);
  EXPECT_EQ(grouped.at("").size(), 2u);
}

}  // namespace
}  // namespace windlass::node
