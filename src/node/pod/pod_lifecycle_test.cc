// The rules of disruption.md 7.2 and 7.3 that a PodLifecycle decides, with plain values: no API
// server, no supervisor, no clock.
#include "node/pod/pod_lifecycle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace windlass::node {
namespace {

const Time kStart = time_from_unix(1'700'000'000);

std::string words_of(const PodAction& action) {
  struct Words {
    static std::string on(const char* verb, size_t container) {
      return std::string(verb) + " " + std::to_string(container);
    }
    static std::string timer(PodTimer timer) {
      const char* names[] = {"set_up", "start", "deadline", "refresh"};
      return names[static_cast<size_t>(timer)];
    }
    static std::string in_seconds(Duration duration) {
      return std::to_string(duration / seconds(1)) + "s";
    }
    std::string operator()(const SetPodTimer& a) {
      return "timer " + timer(a.timer) + " " + in_seconds(a.delay);
    }
    std::string operator()(const CancelPodTimer& a) { return "cancel " + timer(a.timer); }
    std::string operator()(const SetUpPod& a) { return a.has_run ? "set up again" : "set up"; }
    std::string operator()(const ReadPodObjects&) { return "read objects"; }
    std::string operator()(const RefreshVolumes&) { return "refresh volumes"; }
    std::string operator()(const UpdateFieldVolumes&) { return "update fields"; }
    std::string operator()(const StartContainer& a) { return on("start", a.container); }
    std::string operator()(const AttachContainer& a) { return on("attach", a.container); }
    std::string operator()(const RunPostStart& a) { return on("post-start", a.container); }
    std::string operator()(const BeginProbes& a) { return on("probe", a.container); }
    std::string operator()(const EndProbes& a) { return on("end probes", a.container); }
    std::string operator()(const StopContainer& a) {
      return on("stop", a.container) + " " + in_seconds(a.grace);
    }
    std::string operator()(const SignalContainer& a) { return on("signal", a.container); }
    std::string operator()(const KillRun& a) { return "kill " + a.id; }
    std::string operator()(const ForgetRun& a) { return "forget " + a.id; }
    std::string operator()(const CancelPending&) { return "cancel pending"; }
    std::string operator()(const WritePodStatus& a) {
      const std::string reason = a.view.reason.empty() ? "" : " " + a.view.reason;
      return "write " + a.view.phase + reason + (a.view.disruption ? " DisruptionTarget" : "");
    }
    std::string operator()(const RemovePodObject&) { return "remove object"; }
    std::string operator()(const EmitPodEvent& a) { return "event " + a.reason; }
    std::string operator()(const RemoveWorkFiles&) { return "remove work"; }
    std::string operator()(const RemoveLogs&) { return "remove logs"; }
    std::string operator()(const ReportPodDone&) { return "done"; }
  };
  return std::visit(Words(), action);
}

ContainerSpecView container(const std::string& name) {
  ContainerSpecView spec;
  spec.name = name;
  spec.image = "i";
  return spec;
}

PodSpecView pod(RestartPolicy policy = RestartPolicy::never) {
  PodSpecView spec;
  spec.ns = "default";
  spec.name = "p";
  spec.uid = "u";
  spec.restart_policy = policy;
  spec.containers.push_back(container("c"));
  return spec;
}

using Words = std::vector<std::string>;

class PodLifecycleTest : public ::testing::Test {
 protected:
  PodLifecycle& make(PodSpecView spec = pod(), const PodSeen& seen = {}) {
    lifecycle_ = std::make_unique<PodLifecycle>(PodLifecycle::Options(), std::move(spec), seen);
    return *lifecycle_;
  }
  // Up to the moment when all its containers run that run at once.
  PodLifecycle& running(PodSpecView spec = pod()) {
    PodLifecycle& pod = make(std::move(spec));
    pod.start(now, PodLifecycle::Begin::running);
    pod.set_up_done({}, now);
    start_all();
    return pod;
  }
  // Plays a supervisor that starts every container it is asked for.
  void start_all() {
    std::vector<size_t> asked;
    while (auto action = lifecycle_->next_action()) {
      if (const auto* start = std::get_if<StartContainer>(&*action)) {
        lifecycle_->start_answered(start->container, ContainerAsked{"host:/"}, now);
        asked.push_back(start->container);
      } else if (auto* write = std::get_if<WritePodStatus>(&*action)) {
        written = std::move(write->view);
      }
    }
    for (const size_t each : asked) {
      lifecycle_->container_started(each, {}, now);
    }
    if (!asked.empty()) {
      start_all();
    }
  }
  // Everything that has been decided since the last call.
  Words decided() {
    Words words;
    while (auto action = lifecycle_->next_action()) {
      words.push_back(words_of(*action));
      if (auto* write = std::get_if<WritePodStatus>(&*action)) {
        written = std::move(write->view);
      }
    }
    return words;
  }
  // Without status writes, timers, probes and events.
  Words decided_for_containers() {
    Words words = decided();
    std::erase_if(words, [](const std::string& each) {
      return !(each.starts_with("start") || each.starts_with("stop") ||
               each.starts_with("signal") || each.starts_with("kill"));
    });
    return words;
  }
  void exit(size_t number, int code, const std::string& message = "") {
    env::ContainerExit exit;
    exit.code = code;
    exit.started_at = now.wall;
    exit.finished_at = now.wall;
    lifecycle_->container_exited(number, exit, message, now);
  }
  void pass(Duration duration) {
    now.wall += duration;
    now.monotonic += duration;
  }
  static PodSeen deleted(Duration grace) {
    PodSeen seen;
    seen.phase = "Running";
    seen.deleting = true;
    seen.deletion_grace = grace;
    return seen;
  }
  const Terminated& end_of(size_t number) const {
    return std::get<Terminated>(container_at(lifecycle_->containers().run(), number).state);
  }
  std::string condition(const std::string& type) const {
    for (const ConditionView& each : written.conditions) {
      if (each.type == type) {
        return std::string(each.status ? "True" : "False") +
               (each.reason.empty() ? "" : " " + each.reason);
      }
    }
    return "absent";
  }

  ClockReading now{kStart, MonotonicTime(seconds(1000))};
  PodStatusView written;  // last
  std::unique_ptr<PodLifecycle> lifecycle_;
};

TEST_F(PodLifecycleTest, StartsContainersOnceThePodIsSetUp) {
  PodLifecycle& pod = make();
  pod.start(now, PodLifecycle::Begin::running);
  EXPECT_EQ(decided(), (Words{"cancel deadline", "set up"}));
  pod.set_up_done({}, now);
  EXPECT_EQ(decided(), (Words{"update fields", "start 0"}));
  pod.start_answered(0, ContainerAsked{"host:/"}, now);
  EXPECT_EQ(decided(), Words());  // there is more to say in a moment
  pod.container_started(0, {}, now);
  EXPECT_EQ(decided(), (Words{"probe 0", "write Running"}));
}

TEST_F(PodLifecycleTest, K18_AFailedMountIsReportedAndTriedAgain) {
  PodLifecycle& pod = make();
  pod.start(now, PodLifecycle::Begin::running);
  decided();
  pod.set_up_done(fail(plain_error("no such volume")), now);
  EXPECT_EQ(decided(), (Words{"event FailedMount", "write Pending", "timer set_up 10s"}));
  pod.timer_fired(PodTimer::set_up, now);
  EXPECT_EQ(decided(), Words{"set up"});
}

TEST_F(PodLifecycleTest, K18_AContainerThatCrashesBeforeTheSetUpRestartsAfterIt) {
  PodSeen seen;
  seen.phase = "Running";
  seen.start_time = now.wall;
  PodLifecycle& lifecycle = make(pod(RestartPolicy::always), seen);
  const env::ContainerRunInfo run{"u/c/3", env::ContainerRunInfo::State::running, "", {}};
  lifecycle.adopt({{"c", {{3, run}}}}, now);
  lifecycle.start(now, PodLifecycle::Begin::running);
  lifecycle.set_up_done(fail(plain_error("no such volume")), now);
  decided();
  exit(0, 1);  // the first restart is immediate
  lifecycle.timer_fired(PodTimer::set_up, now);
  const Words words = decided();
  EXPECT_NE(std::find(words.begin(), words.end(), "set up again"), words.end());
  EXPECT_EQ(std::count(words.begin(), words.end(), "start 0"), 0);
  lifecycle.set_up_done({}, now);
  EXPECT_EQ(decided_for_containers(), Words{"start 0"});
}

TEST_F(PodLifecycleTest, K18_AMissingImageIsLookedForAgain) {
  PodLifecycle& pod = make();
  pod.start(now, PodLifecycle::Begin::running);
  pod.set_up_done({}, now);
  decided();
  pod.start_answered(
      0, ImageMissing{{"ErrImagePull", "not here"}, now.monotonic + seconds(7), {"a", "b"}}, now);
  EXPECT_EQ(decided(), (Words{"event Failed", "event Failed", "timer start 7s", "write Pending"}));
  pass(seconds(7));
  pod.timer_fired(PodTimer::start, now);
  EXPECT_EQ(decided(), Words{"start 0"});
}

TEST_F(PodLifecycleTest, K18_AMissingObjectIsReadAgainBeforeTheNextStart) {
  PodLifecycle& pod = make();
  pod.start(now, PodLifecycle::Begin::running);
  pod.set_up_done({}, now);
  decided();
  pod.start_answered(0, ContainerInvalid{not_found({"", "configmaps", "m"})}, now);
  EXPECT_EQ(decided(), (Words{"event Failed", "timer start 10s", "write Pending"}));
  pass(seconds(10));
  pod.timer_fired(PodTimer::start, now);
  EXPECT_EQ(decided(), (Words{"read objects", "write Pending"}));
  pod.objects_read(now);
  EXPECT_EQ(decided(), Words{"start 0"});
}

TEST_F(PodLifecycleTest, AnInvalidRequestWaitsForTheFieldsToChange) {
  PodLifecycle& lifecycle = make();
  lifecycle.start(now, PodLifecycle::Begin::running);
  lifecycle.set_up_done({}, now);
  decided();
  lifecycle.start_answered(0, ContainerInvalid{plain_error("bad")}, now);
  EXPECT_EQ(decided(), (Words{"event Failed", "write Pending"}));
  PodSpecView labelled = pod();
  labelled.labels["a"] = "b";
  lifecycle.update_spec(labelled, now);
  EXPECT_EQ(decided(), (Words{"update fields", "read objects", "write Pending"}));
}

TEST_F(PodLifecycleTest, K10_AStartThatFailsEndsTheContainer) {
  PodLifecycle& pod = make();
  pod.start(now, PodLifecycle::Begin::running);
  pod.set_up_done({}, now);
  decided();
  pod.start_answered(0, ContainerAsked{"host:/"}, now);
  pod.container_started(0, fail(plain_error("not found")), now);
  EXPECT_EQ(decided(), (Words{"cancel pending", "write Failed", "remove work"}));
  EXPECT_EQ(end_of(0).exit_code, 128);
  EXPECT_EQ(end_of(0).reason, "StartError");
}

TEST_F(PodLifecycleTest, K13_InitContainersRunOneAfterAnother) {
  PodSpecView spec = pod();
  spec.init_containers = {container("i1"), container("i2")};
  running(spec);
  exit(0, 0);
  EXPECT_EQ(decided_for_containers(), Words{"start 1"});
  lifecycle_->start_answered(1, ContainerAsked{"host:/"}, now);
  lifecycle_->container_started(1, {}, now);
  exit(1, 0);
  EXPECT_EQ(decided_for_containers(), Words{"start 2"});
}

TEST_F(PodLifecycleTest, K13_AFailedInitContainerFailsThePod) {
  PodSpecView spec = pod();
  spec.init_containers = {container("i1"), container("i2")};
  running(spec);
  exit(0, 3);
  EXPECT_EQ(decided(), (Words{"cancel pending", "write Failed", "remove work"}));
}

TEST_F(PodLifecycleTest, K13_SidecarsStopAfterTheOthersHaveEnded) {
  PodSpecView spec = pod();
  spec.init_containers = {container("s1"), container("s2")};
  spec.init_containers[0].sidecar = spec.init_containers[1].sidecar = true;
  running(spec);
  exit(2, 0);
  EXPECT_EQ(decided_for_containers(), (Words{"stop 0 30s", "stop 1 30s", "signal 1"}));
  exit(1, 0);
  EXPECT_EQ(decided_for_containers(), (Words{"stop 0 30s", "signal 0"}));
  exit(0, 1);
  const Words words = decided();
  EXPECT_EQ(words.front(), "write Succeeded");
}

TEST_F(PodLifecycleTest, K14_APodThatEndsByItselfIsReportedOnce) {
  running();
  exit(0, 0);
  EXPECT_EQ(decided(), (Words{"cancel pending", "write Succeeded", "remove work"}));
  EXPECT_FALSE(lifecycle_->done());
  lifecycle_->status_written();
  EXPECT_EQ(decided(), (Words{"forget u/c/0", "done"}));
  EXPECT_TRUE(lifecycle_->done());
}

TEST_F(PodLifecycleTest, K15_ADeletedPodThatExitsWithZeroHasSucceeded) {
  running(pod(RestartPolicy::always)).observe(deleted(seconds(5)), now);
  decided();
  exit(0, 0);
  EXPECT_EQ(decided(), (Words{"write Succeeded", "remove object", "remove work"}));
}

TEST_F(PodLifecycleTest, K16_APodThatOthersEndedStopsAndIsNotReadyAtOnce) {
  PodLifecycle& pod = running();
  PodSeen failed;
  failed.phase = "Failed";
  pod.observe(failed, now);
  EXPECT_EQ(decided(),
            (Words{"cancel pending", "event Killing", "stop 0 30s", "signal 0", "write Running"}));
  EXPECT_FALSE(pod.takes_room());
}

TEST_F(PodLifecycleTest, K17_TheFirstRestartIsImmediateAndTheSecondWaits) {
  running(pod(RestartPolicy::on_failure));
  exit(0, 1);
  EXPECT_EQ(decided(), Words{"start 0"});
  lifecycle_->start_answered(0, ContainerAsked{"host:/"}, now);
  lifecycle_->container_started(0, {}, now);
  EXPECT_EQ(decided(), (Words{"forget u/c/0", "probe 0", "write Running"}));
  exit(0, 1);
  EXPECT_EQ(decided(), (Words{"event BackOff", "timer start 10s", "write Running"}));
  pass(seconds(10));
  lifecycle_->timer_fired(PodTimer::start, now);
  EXPECT_EQ(decided(), Words{"start 0"});
}

TEST_F(PodLifecycleTest, K17_ARunTheMachineCouldNotCreateIsNotARestart) {
  PodLifecycle& pod = make();
  pod.start(now, PodLifecycle::Begin::running);
  pod.set_up_done({}, now);
  pod.start_answered(0, ContainerAsked{"host:/"}, now);
  pod.container_started(0, fail(env::not_created("no memory")), now);
  decided();
  EXPECT_EQ(container_at(pod.containers().run(), 0).next_attempt(), 0);
  EXPECT_FALSE(pod.stopped());
}

TEST_F(PodLifecycleTest, K30_GraceMayOnlyShrink) {
  PodLifecycle& pod = running();
  pod.observe(deleted(seconds(20)), now);
  EXPECT_EQ(decided_for_containers(), (Words{"stop 0 20s", "signal 0"}));
  pass(seconds(5));
  pod.observe(deleted(seconds(30)), now);
  EXPECT_EQ(decided_for_containers(), Words());
  pod.observe(deleted(seconds(3)), now);
  EXPECT_EQ(decided_for_containers(), (Words{"stop 0 3s", "signal 0"}));
}

TEST_F(PodLifecycleTest, K30_NothingStartsOnceThePodEnds) {
  PodSpecView spec = pod(RestartPolicy::always);
  spec.containers.push_back(container("d"));
  PodLifecycle& lifecycle = make(spec);
  lifecycle.start(now, PodLifecycle::Begin::running);
  lifecycle.set_up_done({}, now);
  lifecycle.observe(deleted(seconds(5)), now);  // before anything was carried out
  EXPECT_EQ(decided_for_containers(), Words());
  EXPECT_TRUE(lifecycle.stopped());
}

// A signal before the command is there to catch it would be lost.
TEST_F(PodLifecycleTest, K32_AStartingContainerIsStoppedWhenItRuns) {
  PodLifecycle& pod = make();
  pod.start(now, PodLifecycle::Begin::running);
  pod.set_up_done({}, now);
  decided();
  pod.start_answered(0, ContainerAsked{"host:/"}, now);
  pod.observe(deleted(seconds(5)), now);
  EXPECT_EQ(decided_for_containers(), Words());
  EXPECT_FALSE(pod.stopped());
  pod.container_started(0, {}, now);
  EXPECT_EQ(decided_for_containers(), (Words{"stop 0 5s", "signal 0"}));
}

TEST_F(PodLifecycleTest, K32_SidecarsWaitAndTheirHooksDoNot) {
  PodSpecView spec = pod();
  spec.init_containers = {container("s")};
  spec.init_containers[0].sidecar = true;
  running(spec).observe(deleted(seconds(9)), now);
  EXPECT_EQ(decided_for_containers(), (Words{"stop 0 9s", "stop 1 9s", "signal 1"}));
}

TEST_F(PodLifecycleTest, K35_AKilledPodIsReportedOnceItIsOver) {
  PodSpecView spec = pod();
  spec.containers.push_back(container("d"));
  running(spec).evict("no room", seconds(1), ForcedEnd::Kind::disruption, now);
  EXPECT_EQ(decided(), (Words{"event Evicted", "cancel pending", "event Killing", "event Killing",
                              "stop 0 1s", "stop 1 1s", "signal 0", "signal 1"}));
  exit(0, 137);
  EXPECT_EQ(decided(), (Words{"stop 1 1s", "signal 1"}));
  exit(1, 137);
  EXPECT_EQ(decided(), (Words{"write Failed Evicted DisruptionTarget", "remove work"}));
}

TEST_F(PodLifecycleTest, K36_K38_APodDeletedWhilePendingNeverStarts) {
  PodLifecycle& pod = make();
  pod.start(now, PodLifecycle::Begin::running);
  decided();
  pod.observe(deleted(seconds(30)), now);
  EXPECT_EQ(decided(),
            (Words{"cancel pending", "write Failed Deleted", "remove object", "remove work"}));
  EXPECT_EQ(end_of(0).exit_code, 137);
  EXPECT_EQ(end_of(0).reason, "ContainerStatusUnknown");
  pod.set_up_done({}, now);
  EXPECT_EQ(decided(), Words());
}

TEST_F(PodLifecycleTest, K37_OnlyADeletedPodIsRemoved) {
  PodLifecycle& pod = running();
  exit(0, 0);
  decided();
  PodSeen seen = deleted(seconds(30));
  seen.phase = "Succeeded";
  pod.observe(seen, now);
  EXPECT_EQ(decided(), Words{"remove object"});
  seen.deletion_grace = Duration::zero();
  pod.observe(seen, now);
  EXPECT_EQ(decided(), Words());
}

TEST_F(PodLifecycleTest, K40_AStatusThatTheApiLostIsWrittenAgain) {
  PodLifecycle& pod = running();
  PodSeen seen;
  seen.phase = "Pending";
  pod.observe(seen, now);
  pod.reconcile();
  EXPECT_EQ(decided(), Words());  // the last write is still under way
  pod.status_written();
  pod.reconcile();
  EXPECT_EQ(decided(), Words{"write Running"});
}

TEST_F(PodLifecycleTest, K43_AtTheDeadlineThePodIsNotReadyAndFailsWhateverItExitsWith) {
  PodSpecView spec = pod();
  spec.active_deadline = seconds(60);
  PodLifecycle& lifecycle = running(spec);
  pass(seconds(60));
  lifecycle.timer_fired(PodTimer::deadline, now);
  EXPECT_EQ(decided(), (Words{"event DeadlineExceeded", "cancel pending", "event Killing",
                              "stop 0 30s", "signal 0", "write Running"}));
  EXPECT_EQ(condition("Ready"), "False PodFailed");
  exit(0, 0);
  EXPECT_EQ(decided(), (Words{"write Failed DeadlineExceeded", "remove work"}));
}

TEST_F(PodLifecycleTest, K43_AChangedDeadlineCountsFromThePodsStart) {
  PodSpecView spec = pod();
  spec.active_deadline = seconds(60);
  PodLifecycle& lifecycle = running(spec);
  pass(seconds(20));
  spec.active_deadline = seconds(30);
  lifecycle.update_spec(spec, now);
  EXPECT_EQ(decided(), Words{"timer deadline 10s"});
  spec.active_deadline.reset();
  lifecycle.update_spec(spec, now);
  EXPECT_EQ(decided(), Words{"cancel deadline"});
}

TEST_F(PodLifecycleTest, K44_APodWhoseObjectIsGoneIsKilledAndSaysNoMore) {
  PodLifecycle& pod = running();
  pod.object_gone(now);
  EXPECT_EQ(decided(), (Words{"cancel pending", "event Killing", "stop 0 0s", "signal 0"}));
  exit(0, 137);
  EXPECT_EQ(decided(), (Words{"remove work", "remove logs", "forget u/c/0", "done"}));
}

TEST_F(PodLifecycleTest, K2_ARejectedPodSaysOnlyThat) {
  PodLifecycle& pod = make();
  pod.reject("OutOfcpu", "too much", now);
  EXPECT_EQ(decided(), (Words{"event OutOfcpu", "write Failed OutOfcpu"}));
  EXPECT_TRUE(written.rejected);
  EXPECT_EQ(written.message, "Pod was rejected: too much");
  EXPECT_FALSE(pod.takes_room());
}

TEST_F(PodLifecycleTest, K8_ARejectedPodThatIsDeletedSaysTheRestOnce) {
  PodLifecycle& pod = make();
  pod.reject("OutOfcpu", "too much", now);
  decided();
  pod.observe(deleted(seconds(30)), now);
  EXPECT_EQ(decided(), (Words{"write Failed", "remove object"}));
  EXPECT_FALSE(written.rejected);
  EXPECT_FALSE(written.has_address);
  pod.observe(deleted(seconds(30)), now);
  EXPECT_EQ(decided(), Words{"remove object"});
}

TEST_F(PodLifecycleTest, K12_ARunThatIsNotKnownAnyMoreIsLost) {
  PodSeen seen;
  seen.phase = "Running";
  seen.start_time = now.wall;
  seen.containers.push_back({"c", Running{now.wall}, std::nullopt, 0, "windlass://u/c/0"});
  PodLifecycle& lifecycle = make(pod(), seen);
  lifecycle.adopt({}, now);
  lifecycle.start(now, PodLifecycle::Begin::running);
  lifecycle.set_up_done({}, now);
  const Words words = decided();
  EXPECT_NE(std::find(words.begin(), words.end(), "write Failed"), words.end());
  EXPECT_EQ(end_of(0).reason, "ContainerStatusUnknown");
}

TEST_F(PodLifecycleTest, M30_ANewAgentAttachesToTheNewestRunAndKillsOlderOnes) {
  PodSeen seen;
  seen.phase = "Running";
  seen.start_time = now.wall;
  PodLifecycle& lifecycle = make(pod(RestartPolicy::always), seen);
  const auto run = [](const char* id) {
    return env::ContainerRunInfo{id, env::ContainerRunInfo::State::running, "", {}};
  };
  lifecycle.adopt({{"c", {{0, run("u/c/0")}, {1, run("u/c/1")}}}}, now);
  lifecycle.start(now, PodLifecycle::Begin::running);
  EXPECT_EQ(decided(), (Words{"attach 0", "kill u/c/0", "cancel deadline", "set up again"}));
  EXPECT_EQ(lifecycle.containers().run_id_of(0), "u/c/1");
}

TEST_F(PodLifecycleTest, K63_APodThatExitsWithZeroWhileItIsEvictedHasSucceeded) {
  running().evict("too big", seconds(1), ForcedEnd::Kind::eviction, now);
  decided();
  exit(0, 0);
  EXPECT_EQ(decided().front(), "write Succeeded");
}

TEST_F(PodLifecycleTest, K74_AShutdownEndsThePodWithADisruption) {
  running().stop(seconds(10), now);
  EXPECT_EQ(decided_for_containers(), (Words{"stop 0 10s", "signal 0"}));
  exit(0, 143);
  EXPECT_EQ(decided().front(), "write Failed Terminated DisruptionTarget");
}

TEST_F(PodLifecycleTest, K81_APreemptedPodKeepsItsOwnGrace) {
  running().preempt(now);
  const Words words = decided();
  EXPECT_EQ(words.front(), "event Preempting");
  EXPECT_NE(std::find(words.begin(), words.end(), "stop 0 30s"), words.end());
  exit(0, 143);
  EXPECT_EQ(decided().front(), "write Failed Preempting DisruptionTarget");
}

// Told to end while it ends by itself: its outcome stands.
TEST_F(PodLifecycleTest, K30_AShutdownDoesNotChangeWhyAPodEnds) {
  PodSpecView spec = pod();
  spec.init_containers = {container("s")};
  spec.init_containers[0].sidecar = true;
  PodLifecycle& lifecycle = running(spec);
  exit(1, 0);
  lifecycle.stop(seconds(1), now);
  exit(0, 143);
  Words words = decided();
  std::erase_if(words, [](const std::string& each) { return !each.starts_with("write"); });
  EXPECT_EQ(words.back(), "write Succeeded");
}

TEST_F(PodLifecycleTest, ALivenessProbeThatFailsStopsItsContainerWithTheProbesGrace) {
  PodSpecView spec = pod(RestartPolicy::on_failure);
  spec.containers[0].checks.liveness.emplace().grace = seconds(4);
  PodLifecycle& lifecycle = running(spec);
  lifecycle.probe_failed(0, ProbeKind::liveness);
  EXPECT_EQ(decided(), (Words{"end probes 0", "event Killing", "stop 0 4s", "signal 0"}));
  exit(0, 0);  // whatever it makes of the signal, it has failed
  EXPECT_EQ(decided(), Words{"start 0"});
}

TEST_F(PodLifecycleTest, APostStartHookThatFailsStopsItsContainer) {
  PodSpecView spec = pod();
  spec.containers[0].checks.post_start.emplace();
  PodLifecycle& lifecycle = make(spec);
  lifecycle.start(now, PodLifecycle::Begin::running);
  lifecycle.set_up_done({}, now);
  lifecycle.start_answered(0, ContainerAsked{"host:/"}, now);
  decided();
  lifecycle.container_started(0, {}, now);
  EXPECT_EQ(decided(), (Words{"post-start 0", "write Running"}));
  lifecycle.post_start_done(0, false, now);
  EXPECT_EQ(decided(), (Words{"event FailedPostStartHook", "end probes 0", "event Killing",
                              "stop 0 30s", "signal 0"}));
}

TEST_F(PodLifecycleTest, ATerminationMessageIsTheContainersShare) {
  running();
  exit(0, 1, std::string(20'000, 'x'));
  EXPECT_EQ(end_of(0).message.size(), 12u * 1024);
}

}  // namespace
}  // namespace windlass::node
