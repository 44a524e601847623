// What becomes of Jobs when the way to the API server, the server or the controller itself fails.
// Everything is real but the failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "cli/commands/controller/controller_testing.h"
#include "posix/testing.h"
#include "schema/core/v1/namespace.pb.h"

namespace windlass::cli {
namespace {

using testing::Fault;
using ::testing::HasSubstr;
using testing::Job;
using testing::kQuickPods;
using testing::ObjectPtr;
using testing::RunningController;
using Harm = testing::Fault::Harm;

// The path without its query: /api/v1/namespaces/default/pods
std::string path_of(const http::Request& request) {
  return request.target.substr(0, request.target.find('?'));
}

bool is_watch(const http::Request& request) {
  return request.target.find("watch=true") != std::string::npos;
}

// What kind of write to a Job's status or a pod this is, in which namespace; "" for all else.
std::string class_of_write(const http::Request& request) {
  const std::string path = path_of(request);
  const size_t ns = path.find("/namespaces/");
  if (request.method == "GET" || ns == std::string::npos) {
    return "";
  }
  const size_t begin = ns + 12;
  const size_t end = path.find('/', begin);
  const bool pods = path.find("/pods", end) == end;
  const bool status = path.ends_with("/status");
  if (!pods && !(status && path.find("/jobs/", end) == end)) {
    return "";
  }
  return path.substr(begin, end - begin) + ' ' + request.method + (pods ? " pods" : " jobs/status");
}

std::string label_of(const testing::ObjectPtr& pod, const std::string& name) {
  const auto& labels = api::metadata_of(*pod).labels();
  const auto found = labels.find(name);
  return found == labels.end() ? "" : found->second;
}

class ControllerUnderFaults : public testing::ControllerOnCluster {
 protected:
  void create_namespace(const std::string& name) {
    auto ns = std::make_shared<api::core::v1::Namespace>();
    ns->mutable_metadata()->set_name(name);
    const auto created = user_.await<ObjectPtr>([&](auto done) {
      user_.client.create({&api::kinds::namespace_(), "", name}, ns, std::move(done));
    });
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }

  // One Job that completes with four pods, and one that a rule fails at its first pod.
  void create_jobs(const std::string& ns) {
    create_job(ns + "/good", std::string(R"({"completions":4,"parallelism":2,
      "managedBy":"windlass.dev/job-controller","template":)") +
                                 kQuickPods + "}");
    create_job(ns + "/bad", R"({"managedBy":"windlass.dev/job-controller","backoffLimit":6,
      "podFailurePolicy":{"rules":[
        {"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}}]},
      "template":{"metadata":{"annotations":{"windlass.dev/hollow-duration":"10ms",
        "windlass.dev/hollow-exit-code":"42"}},
        "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})");
  }

  // Every pod counted, none twice, no verdict lost, no finalizer left.
  void expect_right_ends(const std::string& ns) {
    SCOPED_TRACE(ns);
    const auto good = wait_for(ns + "/good", "Complete");
    ASSERT_NE(good, nullptr);
    EXPECT_EQ(good->status().succeeded(), 4);
    EXPECT_EQ(good->status().failed(), 0);
    const auto bad = wait_for(ns + "/bad", "Failed");
    ASSERT_NE(bad, nullptr);
    EXPECT_EQ(bad->status().failed(), 1);
    EXPECT_EQ(bad->status().conditions(bad->status().conditions_size() - 1).reason(),
              "PodFailurePolicy_0");
    size_t good_pods = 0;
    for (const ObjectPtr& pod : list(api::kinds::pod(), ns)) {
      good_pods += label_of(pod, "job-name") == "good" ? 1u : 0u;
      EXPECT_EQ(api::metadata_of(*pod).finalizers_size(), 0) << client::key_of(*pod);
    }
    EXPECT_EQ(good_pods, 4u);
  }
};

struct NamedFault {
  const char* ns;
  Fault fault;
};

// Each in a namespace of its own, so that all happen at once: the first three writes of every kind.
TEST_F(ControllerUnderFaults, EveryKindOfWriteSurvivesEveryFault) {
  const std::vector<NamedFault> faults = {
      {"f409", {Harm::refuse, 409}},
      {"f422", {Harm::refuse, 422}},
      {"f429", {Harm::refuse, 429}},
      {"f500", {Harm::refuse, 500}},
      {"f503", {Harm::refuse, 503}},
      {"lost-request", {Harm::lose_request}},
      {"lost-answer", {Harm::lose_answer}},
      {"cut-answer", {Harm::cut_answer}},
      {"late", {Harm::late, 0, {}, milliseconds(300)}},
  };
  for (const NamedFault& each : faults) {
    create_namespace(each.ns);
  }
  RunningController controller(cluster_.access(), options(), "one");
  controller.wait_for("Leading");
  std::map<std::string, int> harmed;
  cluster_.choose_faults([&](const http::Request& request) {
    const std::string write = class_of_write(request);
    for (const NamedFault& each : faults) {
      if (write.starts_with(std::string(each.ns) + ' ') && harmed[write]++ < 3) {
        return each.fault;
      }
    }
    return Fault();
  });
  for (const NamedFault& each : faults) {
    create_jobs(each.ns);
  }
  for (const NamedFault& each : faults) {
    expect_right_ends(each.ns);
  }
  cluster_.choose_faults([](const http::Request&) { return Fault(); });
  for (const NamedFault& each : faults) {
    EXPECT_GE(harmed[std::string(each.ns) + " PUT jobs/status"], 3) << each.ns;
    EXPECT_GE(harmed[std::string(each.ns) + " POST pods"], 3) << each.ns;
    EXPECT_GE(harmed[std::string(each.ns) + " PATCH pods"], 3) << each.ns;
  }
}

// 410 and relist, watches that break within a frame, end, or lag behind.
TEST_F(ControllerUnderFaults, ListsAndWatchesRecover) {
  const std::vector<Fault> watches = {{Harm::cut_answer},
                                      {Harm::refuse, 410},
                                      {Harm::late, 0, {}, milliseconds(700)},
                                      {Harm::refuse, 429, {{"Retry-After", "1"}}}};
  const std::vector<Fault> lists = {{Harm::refuse, 500}, {Harm::cut_answer}};
  std::atomic<size_t> watched = 0;
  std::atomic<size_t> listed = 0;
  cluster_.choose_faults([&](const http::Request& request) {
    const std::string path = path_of(request);
    if (path != "/api/v1/pods" && path != "/apis/batch/v1/jobs") {
      return Fault();
    }
    if (is_watch(request)) {
      return watched < watches.size() ? watches[watched++] : Fault();
    }
    return listed < lists.size() ? lists[listed++] : Fault();
  });
  RunningController controller(cluster_.access(), options(), "one");
  create_jobs("default");
  expect_right_ends("default");
  // The Jobs may end by what a list says, before the last watch is tried again.
  wait_until([&] { return watched == watches.size() && listed == lists.size(); });
  cluster_.choose_faults([](const http::Request&) { return Fault(); });
}

TEST_F(ControllerUnderFaults, AServerThatIsGoneForAWhileIsWaitedFor) {
  RunningController controller(cluster_.access(), options(), "one");
  controller.wait_for("Leading");
  create_jobs("default");
  cluster_.pause();
  cluster_.resume();
  expect_right_ends("default");
  EXPECT_EQ(controller.stop(), ExitCode::ok);
}

// Without leader election every write still has a precondition: the two controllers only cause each
// other conflicts.
TEST_F(ControllerUnderFaults, TwoControllersAtOnceCountEveryPodOnce) {
  ControllerOptions unelected = options();
  unelected.leader_elect = false;
  RunningController one(cluster_.access(), unelected, "one");
  RunningController two(cluster_.access(), unelected, "two");
  one.wait_for("Leading");
  two.wait_for("Leading");
  create_job("default/j", std::string(R"({"completions":6,"parallelism":3,
    "completionMode":"Indexed","managedBy":"windlass.dev/job-controller","template":)") +
                              kQuickPods + "}");
  const auto job = wait_for("default/j", "Complete");
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->status().succeeded(), 6);
  EXPECT_EQ(job->status().completed_indexes(), "0-5");
  EXPECT_EQ(job->status().failed(), 0);
}

TEST_F(ControllerUnderFaults, ALeaderPausedBeyondItsLeaseWritesNothingMore) {
  ControllerOptions quick = options();
  quick.lease = seconds(4);
  quick.renew_deadline = seconds(3);
  quick.retry = milliseconds(300);
  RunningController first(cluster_.access(), quick, "first");
  first.wait_for("Leading");
  RunningController second(cluster_.access(), quick, "second");
  second.wait_for("Jobs of ");
  create_jobs("default");
  first.pause();
  second.wait_for("Leading");
  first.resume();
  EXPECT_EQ(first.join(), ExitCode::failed);
  EXPECT_THAT(first.said(), HasSubstr("lost the lease"));
  expect_right_ends("default");
  EXPECT_EQ(second.stop(), ExitCode::ok);
}

TEST_F(ControllerUnderFaults, ANamespaceDeletedUnderItGoesAway) {
  create_namespace("doomed");
  RunningController controller(cluster_.access(), options(), "one");
  controller.wait_for("Leading");
  create_job("doomed/j", R"({"parallelism":3,"managedBy":"windlass.dev/job-controller",
    "template":{"metadata":{"annotations":{"windlass.dev/hollow-duration":"forever"}},
      "spec":{"restartPolicy":"Never","terminationGracePeriodSeconds":1,
        "containers":[{"name":"c","image":"i"}]}}})");
  wait_until([&] { return list(api::kinds::pod(), "doomed").size() == 3; });
  const auto removed = user_.await<ObjectPtr>([&](auto done) {
    user_.client.remove({&api::kinds::namespace_(), "", "doomed"}, {}, std::move(done));
  });
  ASSERT_TRUE(removed.has_value()) << removed.error().message;
  wait_until([&] {
    const auto ns = user_.get({&api::kinds::namespace_(), "", "doomed"});
    return !ns && is_not_found(ns.error());
  });
  create_jobs("default");
  expect_right_ends("default");
}

// A service account's token is replaced in its file before the old one expires, or after.
TEST_F(ControllerUnderFaults, ATokenThatIsReplacedIsReadAgain) {
  const posix::TemporaryDirectory directory;
  directory.write("token", testing::kOldToken);
  remote::ClusterAccess access = cluster_.access();
  access.certificate_pem.clear();
  access.key_pem.clear();
  access.token_file = directory / "token";
  RunningController controller(access, options(), "one");
  controller.wait_for("Leading");
  size_t denied = 0;
  cluster_.choose_faults([&](const http::Request& request) {
    const auto told = http::find_header(request.headers, "Authorization");
    if (told && told->ends_with(testing::kOldToken)) {
      ++denied;
      return Fault{Harm::refuse, 401};
    }
    return Fault();
  });
  directory.write("token", testing::kNewToken);
  create_jobs("default");
  expect_right_ends("default");
  cluster_.choose_faults([](const http::Request&) { return Fault(); });
  EXPECT_GT(denied, 0u);
  EXPECT_EQ(controller.stop(), ExitCode::ok);
}

// A certificate is shown when a connection is made, and judged with every request: a new one in the
// files needs new connections, however busy the old ones are.
TEST_F(ControllerUnderFaults, ACertificateThatIsReplacedIsReadAgain) {
  const posix::TemporaryDirectory directory;
  const auto put = [&](const remote::ClusterAccess& from) {
    directory.write("key", from.key_pem);
    directory.write("certificate", from.certificate_pem);
  };
  remote::ClusterAccess access = cluster_.access("old");
  put(access);
  access.certificate_pem.clear();
  access.key_pem.clear();
  access.certificate_file = directory / "certificate";
  access.key_file = directory / "key";
  RunningController controller(access, options(), "one");
  controller.wait_for("Leading");
  size_t denied = 0;
  cluster_.choose_faults([&](const http::Request& request) {
    if (request.peer.common_name == "old") {
      ++denied;
      return Fault{Harm::refuse, 401};
    }
    return Fault();
  });
  put(cluster_.access("new"));
  create_jobs("default");
  expect_right_ends("default");
  cluster_.choose_faults([](const http::Request&) { return Fault(); });
  EXPECT_GT(denied, 0u);
  EXPECT_EQ(controller.stop(), ExitCode::ok);
}

}  // namespace
}  // namespace windlass::cli
