// job-controller.md section 11L: who owns which pod.
#include "controllers/job/claims.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/codec/protobuf.h"
#include "apiserver/testing.h"
#include "controllers/job/controller.h"
#include "schema/core/v1/event.pb.h"
#include "verify/clients/intercepting_client.h"

namespace windlass::controllers::job {
namespace {

using apiserver::testing::Job;
using apiserver::testing::Pod;

constexpr const char* kTracking = "batch.kubernetes.io/job-tracking";

// A Job controller alone: pods stay as they are.
class Ownership : public testing::Test {
 protected:
  void SetUp() override { restart(); }

  void restart() {
    const client::ClientEnv env = api.client_env();
    controller = std::make_unique<JobController>(
        client::ClientEnv{client, env.executor, env.clock, env.random, env.log},
        controller_options);
    controller->start();
    settle();
  }
  void settle(Duration duration = seconds(1)) { api.world.run_for(duration); }

  // A Job for one pod whose selector is its own.
  std::string create_job(const std::string& name, const std::string& app,
                         const std::string& more = "") {
    const auto job = api.create_job(fmt::format(
        "{{metadata: {{name: {}}}, spec: {{manualSelector: true, selector: {{matchLabels: {{app: "
        "{}}}}}, {} template: {{metadata: {{labels: {{app: {}}}}}, spec: {{restartPolicy: Never, "
        "containers: [{{name: c, image: i}}]}}}}}}}}",
        name, app, more, app));
    settle();
    return job->metadata().uid();
  }
  // With the generated labels, and a selector of the user's all the same.
  std::string create_selecting(const std::string& selector) {
    const auto job = api.create_job(fmt::format(
        "{{metadata: {{name: j}}, spec: {{selector: {{{}}}, parallelism: 2, completions: "
        "5, template: {{spec: {{restartPolicy: Never, containers: [{{name: c, image: "
        "i}}]}}}}}}}}",
        selector));
    settle();
    return job->metadata().uid();
  }
  void create_loose(const std::string& name, const std::string& app, const std::string& meta = "") {
    api.create_pod(
        fmt::format("{{metadata: {{name: {}, labels: {{app: {}}}, {}}}, spec: "
                    "{{nodeName: n1, containers: [{{name: c, image: i}}]}}}}",
                    name, app, meta));
    settle();
  }
  // UID of the controller, "" without one.
  std::string owner(const std::string& pod) {
    for (const auto& each : api.pod(pod)->metadata().owner_references()) {
      if (each.controller()) {
        return each.uid();
      }
    }
    return "";
  }
  bool tracked(const std::string& pod) {
    const auto metadata = api.pod(pod)->metadata();
    return std::count(metadata.finalizers().begin(), metadata.finalizers().end(), kTracking) > 0;
  }
  std::string own_pod(const std::string& job_uid) {
    for (const auto& pod : api.pods()) {
      if (owner(pod->metadata().name()) == job_uid) {
        return pod->metadata().name();
      }
    }
    return "";
  }
  void change(const std::string& pod, const std::function<void(Pod&)>& how) {
    api.change<Pod>(api::kinds::pod(), "default", pod, "", how);
    settle();
  }
  void label(const std::string& pod, const std::string& app) {
    change(pod,
           [&app](Pod& changed) { (*changed.mutable_metadata()->mutable_labels())["app"] = app; });
  }

  apiserver::testing::SimulatedApi api;
  client::InterceptingClient client{api.client, api.world.executor()};
  JobController::Options controller_options;
  std::unique_ptr<JobController> controller;
};

// The API server takes no such Job; a store may have one all the same.
TEST_F(Ownership, R2_16_AJobThatDoesNotSelectItsPodsCreatesNone) {
  Job job = api::testing::from_yaml<Job>(
      "{metadata: {name: j, namespace: default, uid: u}, spec: {parallelism: 1, selector: {"
      "matchLabels: {app: a}}, template: {metadata: {labels: {app: b}}, spec: {restartPolicy: "
      "Never, containers: [{name: c, image: i}]}}}}");
  job.mutable_metadata()->set_resource_version(std::to_string(api.store.next_revision()));
  ASSERT_TRUE(api.store.put({"jobs", "default", "j"}, 0, api::encode_protobuf(job), nullptr));
  settle();
  EXPECT_TRUE(api.pods().empty());
  const auto events = api.server.list({&api::kinds::event(), "default"}, {});
  ASSERT_EQ(events->items.size(), 1u);
  EXPECT_EQ(api::object_as<api::core::v1::Event>(events->items[0])->reason(), "InvalidSelector");
  create_job("good", "b");
  EXPECT_EQ(api.pods().size(), 1u);
}

TEST_F(Ownership, L193_OwnPodsAreClaimedAndNoFinalizerIsAddedToThem) {
  const std::string job = create_job("j", "x");
  const std::string other = create_job("k", "w");
  const std::string own = own_pod(job);
  change(own, [](Pod& pod) { pod.mutable_metadata()->clear_finalizers(); });
  create_loose("stranger", "z");
  EXPECT_FALSE(tracked(own));
  EXPECT_EQ(owner(own), job);
  EXPECT_EQ(owner("stranger"), "");
  EXPECT_EQ(api.job("j")->status().active(), 1);
  EXPECT_NE(own_pod(other), "");
}

TEST_F(Ownership, L194_L199_AMatchingPodWithoutAnOwnerIsAdopted) {
  const std::string job = create_job("j", "x", "parallelism: 2, completions: 3,");
  create_loose("p", "x");
  EXPECT_EQ(owner("p"), job);
  EXPECT_TRUE(tracked("p"));
  EXPECT_EQ(client.count("update pods default/p"), 1u);
}

TEST_F(Ownership, L194_AlsoWhenThePodWasThereFirst) {
  create_loose("p", "x");
  EXPECT_EQ(owner("p"), "");
  const std::string job = create_job("j", "x");
  EXPECT_EQ(owner("p"), job);
}

TEST_F(Ownership, Rule0_16_AJobOfAnotherManagerAdoptsNoPod) {
  controller_options.engine.manager = "example.com/ours";
  restart();
  create_job("built-in", "x", "parallelism: 0,");
  const std::string ours = create_job("ours", "w", "parallelism: 0, managedBy: example.com/ours,");
  create_loose("p", "x");
  create_loose("q", "w");
  EXPECT_EQ(owner("p"), "");
  EXPECT_EQ(owner("q"), ours);
}

// The built-in name is reserved for the built-in manager.
TEST_F(Ownership, Rule0_16_UnderAnotherManagerPodsAreTrackedByItsOwnFinalizer) {
  controller_options.engine.manager = "example.com/ours";
  controller_options.tracking_finalizer = "example.com/tracking";
  restart();
  const auto tracking = [this](const std::string& pod) {
    const auto metadata = api.pod(pod)->metadata();
    return std::vector<std::string>(metadata.finalizers().begin(), metadata.finalizers().end());
  };
  const std::string own = own_pod(create_job("j", "x", "managedBy: example.com/ours,"));
  EXPECT_EQ(tracking(own), std::vector<std::string>{"example.com/tracking"});
  label(own, "z");
  EXPECT_EQ(owner(own), "");
  EXPECT_EQ(tracking(own), std::vector<std::string>{});

  create_loose("p", "w");
  const std::string job = create_job("k", "w", "parallelism: 0, managedBy: example.com/ours,");
  EXPECT_EQ(owner("p"), job);
  EXPECT_EQ(tracking("p"), std::vector<std::string>{"example.com/tracking"});
}

TEST_F(Ownership, C1_APodThatHasEndedIsNotAdopted) {
  create_job("j", "x", "parallelism: 0,");
  api.create_pod(
      "{metadata: {name: p, labels: {app: w}}, spec: {nodeName: n1, containers: [{name: c, image: "
      "i}]}}");
  api.change<Pod>(api::kinds::pod(), "default", "p", "status",
                  [](Pod& pod) { pod.mutable_status()->set_phase("Succeeded"); });
  label("p", "x");
  EXPECT_EQ(owner("p"), "");
  EXPECT_EQ(api.job("j")->status().succeeded(), 0);
}

TEST_F(Ownership, L195_AJobThatIsBeingDeletedAdoptsNoPodAndAsksForNone) {
  create_job("j", "x", "parallelism: 0,");
  apiserver::DeleteOptions options;
  options.propagation_policy = "Foreground";
  api.remove(api::kinds::job(), "default", "j", options);
  settle();
  const size_t asked = client.count("get jobs");
  create_loose("p", "x");
  EXPECT_EQ(owner("p"), "");
  EXPECT_EQ(client.count("get jobs"), asked);
}

TEST_F(Ownership, L196_TheServerItselfMustKnowTheJob) {
  create_job("j", "x", "parallelism: 0,");
  client.refuse = [this](const std::string& line) -> std::optional<Status> {
    if (line == "get jobs default/j") {
      apiserver::DeleteOptions options;
      options.propagation_policy = "Background";
      api.remove(api::kinds::job(), "default", "j", options);
    }
    return std::nullopt;
  };
  create_loose("p", "x");
  EXPECT_EQ(owner("p"), "");
  EXPECT_EQ(client.count("update pods default/p"), 0u);
}

TEST_F(Ownership, C7_AJobThatHasFoundItsEndAdoptsNoPod) {
  create_job("j", "x", "parallelism: 0,");
  client.refuse = [this](const std::string& line) -> std::optional<Status> {
    if (line == "get jobs default/j") {
      api.change<api::batch::v1::Job>(api::kinds::job(), "default", "j", "status", [](auto& job) {
        auto& condition = *job.mutable_status()->add_conditions();
        condition.set_type("FailureTarget");
        condition.set_status("True");
      });
    }
    return std::nullopt;
  };
  create_loose("p", "x");
  EXPECT_EQ(owner("p"), "");
  EXPECT_EQ(client.count("update pods default/p"), 0u);
}

TEST_F(Ownership, T4_AnAdoptedPodIsKnownBeforeTheCacheTellsOfIt) {
  const std::string job = create_job("j", "x", "parallelism: 0,");
  client.skip_event = [](const client::WatchEvent& event) {
    return event.type == client::EventType::modified;
  };
  create_loose("p", "x");
  EXPECT_EQ(owner("p"), job);
  EXPECT_TRUE(api.pod("p")->metadata().has_deletion_timestamp());  // one too many
}

TEST_F(Ownership, T4_AlsoWhenTheAnswerToTheAdoptionWasLost) {
  const std::string job = create_job("j", "x", "parallelism: 0,");
  client.skip_event = [](const client::WatchEvent& event) {
    return event.type == client::EventType::modified;
  };
  client.lose_answer = [this](const std::string& line) {
    return line == "update pods default/p" && client.count(line) == 1
               ? std::optional(plain_error("connection reset"))
               : std::nullopt;
  };
  create_loose("p", "x");
  settle(seconds(5));
  EXPECT_EQ(owner("p"), job);
  EXPECT_TRUE(api.pod("p")->metadata().has_deletion_timestamp());
}

TEST_F(Ownership, A5_WhatAnAdoptionReadsOfTheJobCountsAtOnce) {
  const std::string own = own_pod(create_job("j", "x"));
  client.skip_event = [](const client::WatchEvent& event) {
    return event.object && event.object->GetDescriptor() == Job::descriptor();
  };
  api.change<Job>(api::kinds::job(), "default", "j", "",
                  [](Job& job) { job.mutable_spec()->set_suspend(true); });
  settle();
  EXPECT_NE(api.pod(own), nullptr);
  create_loose("p", "x");
  EXPECT_EQ(api.pod(own), nullptr);
}

TEST_F(Ownership, L197_APodWhoseLabelsNoLongerMatchIsLetGo) {
  const std::string job = create_job("j", "x");
  const std::string pod = own_pod(job);
  ASSERT_TRUE(tracked(pod));
  label(pod, "elsewhere");
  EXPECT_EQ(owner(pod), "");
  EXPECT_FALSE(tracked(pod));
  // Another one has taken its place.
  EXPECT_NE(own_pod(job), "");
}

TEST_F(Ownership, L200_L201_AChangedLabelOrOwnerIsLookedAtAgain) {
  const std::string job = create_job("j", "x", "parallelism: 2, completions: 5,");
  create_loose("p", "w");
  EXPECT_EQ(owner("p"), "");
  label("p", "x");
  EXPECT_EQ(owner("p"), job);
  change("p", [](Pod& pod) { pod.mutable_metadata()->clear_owner_references(); });
  EXPECT_EQ(owner("p"), job);
}

// 1.28: a look at a loose pod goes through all Jobs of its namespace. Here a Job wants the pod that
// has ended on the server, so that every look shows as a question.
TEST_F(Ownership, Rule1_28_APodIsLookedAtAgainOnlyWhenItMayChangeHands) {
  create_job("j", "x", "parallelism: 0,");
  client.skip_event = [](const client::WatchEvent& event) {
    return event.type == client::EventType::modified && event.object &&
           event.object->GetDescriptor() == Job::descriptor();
  };
  api.change<Job>(api::kinds::job(), "default", "j", "status", [](Job& job) {
    auto& condition = *job.mutable_status()->add_conditions();
    condition.set_type("FailureTarget");
    condition.set_status("True");
  });
  const auto looks = [this] { return client.count("get jobs default/j"); };
  create_loose("p", "x");
  EXPECT_EQ(looks(), 1u);
  create_job("k", "w", "parallelism: 0,");
  EXPECT_EQ(looks(), 1u) << "a Job that does not select it";
  api.change<Pod>(api::kinds::pod(), "default", "p", "status",
                  [](Pod& pod) { pod.mutable_status()->set_message("hello"); });
  settle();
  EXPECT_EQ(looks(), 1u) << "another status";
  change("p", [](Pod& pod) { (*pod.mutable_metadata()->mutable_labels())["more"] = "y"; });
  EXPECT_EQ(looks(), 2u) << "another label";
  EXPECT_EQ(owner("p"), "");
  const std::string job = create_job("a", "x");
  EXPECT_EQ(owner("p"), job) << "a Job that selects it";
}

// 2.16: the generated label is no excuse for those that the user has asked for.
TEST_F(Ownership, L197_R2_16_APodIsLetGoByASelectorThatAsksForMoreThanTheUid) {
  const std::pair<std::string, std::string> cases[] = {
      {"matchLabels: {job-name: j}", "job-name"},
      {"matchExpressions: [{key: excluded, operator: DoesNotExist}]", "excluded"}};
  for (const auto& [selector, key] : cases) {
    for (const bool is_seen : {true, false}) {
      const std::string job = create_selecting(selector);
      const std::string pod = own_pod(job);
      ASSERT_TRUE(tracked(pod)) << selector;
      if (!is_seen) {
        controller.reset();
      }
      change(pod, [&key = key](Pod& changed) {
        (*changed.mutable_metadata()->mutable_labels())[key] = "another";
      });
      if (!is_seen) {
        restart();
      }
      EXPECT_EQ(owner(pod), "") << selector;
      EXPECT_FALSE(tracked(pod)) << selector;
      apiserver::DeleteOptions options;
      options.propagation_policy = "Background";
      api.remove(api::kinds::job(), "default", "j", options);
      settle(seconds(5));
      for (const auto& left : api.pods()) {
        api.remove_pod(left->metadata().name(), 0);
      }
      settle();
    }
  }
}

TEST_F(Ownership, R2_16_PodsOfSuchAJobThatWereThereFirstAreAskedThemselves) {
  client.skip_event = [](const client::WatchEvent& event) {
    return event.object && event.object->GetDescriptor() == Job::descriptor();
  };
  const std::string job = create_selecting("matchLabels: {job-name: j}");
  for (const char* name : {"other", "j"}) {
    api.create_pod(fmt::format(
        "{{metadata: {{name: {0}, labels: {{batch.kubernetes.io/controller-uid: {1}, job-name: "
        "{0}}}, ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: j, uid: {1}, "
        "controller: true}}]}}, spec: {{nodeName: n1, containers: [{{name: c, image: i}}]}}}}",
        name, job));
  }
  settle();
  client.skip_event = nullptr;
  api.change<Job>(api::kinds::job(), "default", "j", "",
                  [](Job& changed) { (*changed.mutable_metadata()->mutable_labels())["a"] = "b"; });
  settle();
  EXPECT_EQ(owner("other"), "");
  EXPECT_EQ(owner("j"), job);
  EXPECT_EQ(client.count("update pods default/j"), 0u);
}

// 2.16: the Job may come to light after its pods.
TEST_F(Ownership, L197_AlsoWhenThePodWasThereFirst) {
  client.skip_event = [](const client::WatchEvent& event) {
    return event.object && event.object->GetDescriptor() == Job::descriptor();
  };
  const std::string job = create_job("j", "x", "parallelism: 2, completions: 5,");
  create_loose("p", "elsewhere",
               fmt::format("finalizers: [example.com/other], ownerReferences: [{{apiVersion: "
                           "batch/v1, kind: Job, name: j, uid: {}, controller: true}}]",
                           job));
  EXPECT_EQ(owner("p"), job);
  client.skip_event = nullptr;
  api.change<Job>(api::kinds::job(), "default", "j", "",
                  [](Job& changed) { (*changed.mutable_metadata()->mutable_labels())["a"] = "b"; });
  settle();
  EXPECT_EQ(owner("p"), "");
}

TEST_F(Ownership, N237_PodsOfJobsWithOverlappingSelectorsKeepTheirOwners) {
  const std::string first = create_job("j", "x");
  const std::string second = create_job("k", "x");
  const std::string pod = own_pod(first);
  const std::string other = own_pod(second);
  ASSERT_NE(pod, "");
  ASSERT_NE(other, "");
  change(pod, [](Pod& changed) { (*changed.mutable_metadata()->mutable_labels())["a"] = "b"; });
  restart();
  settle(minutes(1));
  EXPECT_EQ(owner(pod), first);
  EXPECT_EQ(owner(other), second);
  EXPECT_EQ(api.pods().size(), 2u);
}

TEST_F(Ownership, L198_L202_L209_APodThatGoesIsReplacedAndAStrangerIsNot) {
  const std::string job = create_job("j", "x");
  create_loose("stranger", "z");
  const std::string first = own_pod(job);
  change(first, [](Pod& pod) { pod.mutable_metadata()->clear_finalizers(); });
  api.remove_pod(first, 0);
  api.remove_pod("stranger", 0);
  settle(minutes(1));
  EXPECT_NE(own_pod(job), "");
  EXPECT_NE(own_pod(job), first);
  EXPECT_EQ(api.pods().size(), 1u);
}

TEST_F(Ownership, L203_FinalizersOfPodsThatNoJobCountsGo) {
  create_loose("p", "z", fmt::format("finalizers: [{}]", kTracking));
  EXPECT_FALSE(tracked("p"));
  create_loose("q", "z",
               fmt::format("finalizers: [{}], ownerReferences: [{{apiVersion: batch/v1, kind: Job, "
                           "name: gone, uid: gone, controller: true}}]",
                           kTracking));
  EXPECT_FALSE(tracked("q"));
  const std::string job = create_job("j", "x", "parallelism: 0,");
  create_loose("r", "z",
               fmt::format("finalizers: [{}], ownerReferences: [{{apiVersion: batch/v1, kind: Job, "
                           "name: j, uid: {}}}]",
                           kTracking, job));
  EXPECT_FALSE(tracked("r"));
}

TEST_F(Ownership, L204_FinalizersOfOthersStay) {
  const auto owned = [](const std::string& version, const std::string& kind) {
    return fmt::format(
        "finalizers: [{}], ownerReferences: [{{apiVersion: {}, kind: {}, name: o, "
        "uid: u, controller: true}}]",
        kTracking, version, kind);
  };
  create_loose("cron", "z", owned("batch/v1", "CronJob"));
  EXPECT_TRUE(tracked("cron"));
  create_loose("foreign", "z", owned("batch.volcano.sh/v1alpha1", "Job"));
  EXPECT_TRUE(tracked("foreign"));
  const std::string foreign = create_job("j", "x", "managedBy: example.com/other,");
  create_loose("managed", "z",
               fmt::format("finalizers: [{}], ownerReferences: [{{apiVersion: batch/v1, kind: Job, "
                           "name: j, uid: {}, controller: true}}]",
                           kTracking, foreign));
  EXPECT_TRUE(tracked("managed"));
}

TEST_F(Ownership, L205_L206_L207_ADeletedJobLeavesNoFinalizer) {
  for (const char* policy : {"Orphan", "Background", "Foreground"}) {
    const std::string job = create_job("j", "x");
    const std::string pod = own_pod(job);
    controller.reset();  // it does not see the deletion
    apiserver::DeleteOptions options;
    options.propagation_policy = policy;
    api.remove(api::kinds::job(), "default", "j", options);
    if (api.job("j")) {
      api.change<Job>(api::kinds::job(), "default", "j", "",
                      [](Job& changed) { changed.mutable_metadata()->clear_finalizers(); });
    }
    restart();
    settle(seconds(5));
    EXPECT_FALSE(tracked(pod)) << policy;
    api.remove_pod(pod, 0);
    settle();
  }
}

TEST_F(Ownership, L208_AJobThatIsCompletedByHandFreesItsPods) {
  const std::string job = create_job("j", "x");
  const std::string pod = own_pod(job);
  api.change<Job>(api::kinds::job(), "default", "j", "status", [](Job& changed) {
    for (const char* type : {"SuccessCriteriaMet", "Complete"}) {
      auto& condition = *changed.mutable_status()->add_conditions();
      condition.set_type(type);
      condition.set_status("True");
    }
    changed.mutable_status()->mutable_completion_time()->set_seconds(
        changed.status().start_time().seconds());
    changed.mutable_status()->clear_active();
    changed.mutable_status()->clear_ready();
  });
  settle(seconds(5));
  EXPECT_FALSE(tracked(pod));
}

}  // namespace
}  // namespace windlass::controllers::job
