#include <limits>

#include "api/codec/protobuf.h"
#include "api/codec/wire_time.h"
#include "apiserver/server_testing.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

class DeleteTest : public ServerTest {
 protected:
  // A pod that runs on a node, with a grace period of 30 s.
  void run_pod(const std::string& name, std::string_view metadata = "{}") {
    must_create_pod(name, metadata);
    ASSERT_EQ(error(server.bind(pod(name), {.node = "n"})), "");
  }
  WriteResult remove(const ObjectRef& ref, std::optional<int64_t> grace = {},
                     std::string policy = "") {
    return server.remove(ref, {.grace_period_seconds = grace, .propagation_policy = policy});
  }
  int64_t deleted_in(const ObjectRef& ref) {
    return meta(ref).deletion_timestamp().seconds() - unix_seconds(world.clock().now());
  }
  WriteResult set_finalizers(const ObjectRef& ref, std::string_view list) {
    return server.patch(ref, "", PatchType::merge,
                        R"({"metadata":{"finalizers":)" + std::string(list) + "}}");
  }
};

TEST_F(DeleteTest, M53_AnObjectThatNothingHoldsIsGoneAtOnce) {
  must_create(config_map("c"), "{}");
  const store::Revision before = store.revision();
  const WriteResult removed = remove(config_map("c"));
  EXPECT_TRUE(removed.removed);
  EXPECT_EQ(stored(config_map("c")), nullptr);
  EXPECT_THAT(events(api::kinds::config_map(), before),
              ElementsAre("-default/c@" + std::to_string(before + 1)));
  EXPECT_EQ(error(remove(config_map("c"))), "404 NotFound: configmaps \"c\" not found");
}

// Removal at once is two writes, and there may be a crash between them.
TEST_F(DeleteTest, P71a_S8_WhatIsHalfRemovedCanBeRemovedAgain) {
  for (const std::optional<int64_t> grace : {std::optional<int64_t>(), std::optional<int64_t>(0)}) {
    must_create_pod("p", "{}");
    Pod half = *api::object_as<Pod>(stored(pod("p")));
    api::set_time(*half.mutable_metadata()->mutable_deletion_timestamp(), world.clock().now());
    half.mutable_metadata()->set_deletion_grace_period_seconds(0);
    half.mutable_metadata()->set_resource_version(std::to_string(store.next_revision()));
    ASSERT_TRUE(store.put({"pods", "default", "p"}, store.revision(), api::encode_protobuf(half),
                          std::make_shared<Pod>(half)));
    const WriteResult removed = remove(pod("p"), grace);
    EXPECT_TRUE(removed.removed);
    EXPECT_EQ(stored(pod("p")), nullptr);
  }
}

TEST_F(DeleteTest, M52_S8_AFinalizerHoldsTheObject) {
  must_create_job("j", R"({"finalizers":["a.io/x"]})");
  const WriteResult marked = remove(job("j"), {}, "Background");
  EXPECT_FALSE(marked.removed);
  EXPECT_EQ(deleted_in(job("j")), 0);
  EXPECT_EQ(meta(job("j")).deletion_grace_period_seconds(), 0);
  EXPECT_TRUE(meta(job("j")).has_deletion_grace_period_seconds());
  EXPECT_EQ(meta(job("j")).generation(), 2);
  const store::Revision marked_at = store.revision();
  remove(job("j"), {}, "Background");
  EXPECT_EQ(store.revision(), marked_at) << "nothing more to change";

  const WriteResult released = set_finalizers(job("j"), "[]");
  EXPECT_TRUE(released.removed);
  EXPECT_EQ(stored(job("j")), nullptr);
  EXPECT_EQ(client::resource_version_of(**released.answer), std::to_string(marked_at));
  EXPECT_THAT(api::metadata_of(**released.answer).finalizers(), IsEmpty());
  EXPECT_THAT(events(api::kinds::job(), marked_at),
              ElementsAre("-default/j@" + std::to_string(marked_at + 1)));
}

TEST_F(DeleteTest, P73_WatchersOfTheReleaseSeeTheLastFinalizer) {
  must_create(config_map("c"), R"({"metadata":{"finalizers":["a.io/x"]}})");
  remove(config_map("c"));
  const auto stream = WatchStream::open(server, {&api::kinds::config_map()},
                                        std::to_string(store.revision()), [] {});
  set_finalizers(config_map("c"), "null");
  int looks = WatchStream::kLooksPerTask;
  const auto event = (*stream)->next(looks);
  EXPECT_EQ((*event)->type, client::EventType::deleted);
  EXPECT_THAT(api::metadata_of(*(*event)->object).finalizers(), ElementsAre("a.io/x"));
}

TEST_F(DeleteTest, M44_OneOfTwoFinalizersStillHolds) {
  must_create(config_map("c"), R"({"metadata":{"finalizers":["a.io/x","a.io/y"]}})");
  remove(config_map("c"));
  EXPECT_FALSE(set_finalizers(config_map("c"), R"(["a.io/y"])").removed);
  EXPECT_NE(stored(config_map("c")), nullptr);
}

TEST_F(DeleteTest, M44_EmptyingFinalizersOfALiveObjectDoesNotRemoveIt) {
  must_create(config_map("c"), R"({"metadata":{"finalizers":["a.io/x"]}})");
  EXPECT_FALSE(set_finalizers(config_map("c"), "[]").removed);
  EXPECT_NE(stored(config_map("c")), nullptr);
}

TEST_F(DeleteTest, P75_NoFinalizerIsAddedToADeletedObject) {
  must_create(config_map("c"), R"({"metadata":{"finalizers":["a.io/x"]}})");
  remove(config_map("c"));
  const WriteResult refused = set_finalizers(config_map("c"), R"(["a.io/x","a.io/y"])");
  EXPECT_EQ(error(refused),
            "422 Invalid: ConfigMap \"c\" is invalid: metadata.finalizers: Forbidden: no new "
            "finalizers can be added if the object is being deleted, found new finalizers "
            "[]string{\"a.io/y\"}");
}

TEST_F(DeleteTest, J150_AJobIsOrphanedByDefaultWithAWarning) {
  must_create_job("j");
  const WriteResult marked = remove(job("j"));
  EXPECT_THAT(meta(job("j")).finalizers(), ElementsAre("orphan"));
  EXPECT_TRUE(meta(job("j")).has_deletion_timestamp());
  EXPECT_THAT(marked.warnings,
              ElementsAre("child pods are preserved by default when jobs are deleted; set "
                          "propagationPolicy=Background to remove them or set "
                          "propagationPolicy=Orphan to suppress this warning"));
}

TEST_F(DeleteTest, M51_ThePolicyIsAFinalizer) {
  must_create_job("a");
  EXPECT_THAT(remove(job("a"), {}, "Orphan").warnings, IsEmpty());
  EXPECT_THAT(meta(job("a")).finalizers(), ElementsAre("orphan"));
  must_create_job("b");
  remove(job("b"), {}, "Foreground");
  EXPECT_THAT(meta(job("b")).finalizers(), ElementsAre("foregroundDeletion"));
  must_create_job("c");
  EXPECT_TRUE(remove(job("c"), {}, "Background").removed);
}

TEST_F(DeleteTest, M51_AnEventWaitsForNoCollector) {
  const ObjectRef event{&api::kinds::event(), "default", "e"};
  for (const char* policy : {"Foreground", "Orphan", "Background", ""}) {
    must_create(event, R"({"involvedObject":{"namespace":"default"}})");
    EXPECT_TRUE(remove(event, {}, policy).removed) << policy;
    EXPECT_EQ(stored(event), nullptr) << policy;
  }
  must_create(event, R"({"metadata":{"finalizers":["foregroundDeletion"]},
      "involvedObject":{"namespace":"default"}})");
  EXPECT_TRUE(remove(event).removed) << "one that is there already holds nothing either";
}

TEST_F(DeleteTest, M52_ARepeatedDeleteRewritesTheCollectorsFinalizers) {
  must_create_job("j", R"({"finalizers":["a.io/x"]})");
  remove(job("j"), {}, "Orphan");
  EXPECT_THAT(meta(job("j")).finalizers(), ElementsAre("a.io/x", "orphan"));
  remove(job("j"), {}, "Foreground");
  EXPECT_THAT(meta(job("j")).finalizers(), ElementsAre("a.io/x", "foregroundDeletion"));
  remove(job("j"));
  EXPECT_THAT(meta(job("j")).finalizers(), ElementsAre("a.io/x", "foregroundDeletion"))
      << "a finalizer that is there goes before the default of the kind";
  remove(job("j"), {}, "Background");
  EXPECT_THAT(meta(job("j")).finalizers(), ElementsAre("a.io/x"));
  EXPECT_EQ(meta(job("j")).generation(), 2);
}

TEST_F(DeleteTest, M52_ARepeatedDeleteOfAPodThatOnlyFinalizersHoldRewritesThemToo) {
  must_create_pod("p", R"({"finalizers":["a.io/b"]})");
  remove(pod("p"));
  const store::Revision marked = store.revision();
  remove(pod("p"));
  EXPECT_EQ(store.revision(), marked) << "nothing more to change";
  remove(pod("p"), {}, "Foreground");
  EXPECT_THAT(meta(pod("p")).finalizers(), ElementsAre("a.io/b", "foregroundDeletion"));
  EXPECT_EQ(store.revision(), marked + 1);
  EXPECT_EQ(meta(pod("p")).generation(), 2);
  ASSERT_EQ(error(set_finalizers(pod("p"), R"(["foregroundDeletion"])")), "");
  EXPECT_TRUE(remove(pod("p"), {}, "Background").removed);
  EXPECT_EQ(stored(pod("p")), nullptr);
  // While a grace period runs a deletion is left as it was asked for.
  run_pod("q", R"({"finalizers":["a.io/b"]})");
  remove(pod("q"));
  remove(pod("q"), {}, "Foreground");
  EXPECT_THAT(meta(pod("q")).finalizers(), ElementsAre("a.io/b"));
}

TEST_F(DeleteTest, J150_TheWarningComesAlsoWithoutTheJob) {
  const WriteResult missing = remove(job("none"));
  EXPECT_EQ(missing.answer.error().code, 404);
  EXPECT_EQ(missing.warnings.size(), 1U);
  EXPECT_THAT(remove(job("none"), {}, "Background").warnings, IsEmpty());
}

TEST_F(DeleteTest, M50_AnUnknownPolicyIsRefused) {
  must_create_job("j");
  EXPECT_EQ(error(remove(job("j"), {}, "Sometimes")),
            "422 Invalid: DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: "
            "Unsupported value: \"Sometimes\": supported values: \"Foreground\", \"Background\", "
            "\"Orphan\", \"nil\"");
}

TEST_F(DeleteTest, M43_P77_PreconditionsMustHold) {
  must_create_job("j");
  const std::string uid = meta(job("j")).uid();
  const std::string version = meta(job("j")).resource_version();
  const WriteResult other_uid = server.remove(job("j"), {.preconditions = {.uid = "u"}});
  EXPECT_EQ(error(other_uid),
            "409 Conflict: Operation cannot be fulfilled on Job.batch \"j\": the UID in the "
            "precondition (u) does not match the UID in record (" +
                uid + "). The object might have been deleted and then recreated");
  EXPECT_EQ(other_uid.answer.error().details.kind, "Job");
  EXPECT_EQ(error(server.remove(job("j"), {.preconditions = {.resource_version = "1"}})),
            "409 Conflict: Operation cannot be fulfilled on Job.batch \"j\": the ResourceVersion "
            "in the precondition (1) does not match the ResourceVersion in record (" +
                version + "). The object might have been modified");
  EXPECT_EQ(
      error(server.remove(job("j"), {.propagation_policy = "Background",
                                     .preconditions = {.uid = uid, .resource_version = version}})),
      "");
  EXPECT_EQ(stored(job("j")), nullptr);
}

TEST_F(DeleteTest, M43_PreconditionsOfANamespaceHaveOtherWords) {
  const ObjectRef ns{&api::kinds::namespace_(), "", "team"};
  must_create(ns, "{}");
  const WriteResult refused = server.remove(ns, {.preconditions = {.uid = "u"}});
  EXPECT_EQ(error(refused),
            "409 Conflict: Operation cannot be fulfilled on namespaces \"team\": Precondition "
            "failed: UID in precondition: u, UID in object meta: " +
                meta(ns).uid());
  EXPECT_EQ(refused.answer.error().details.kind, "namespaces");
  EXPECT_EQ(error(server.remove(ns, {.preconditions = {.resource_version = "1"}})),
            "409 Conflict: Operation cannot be fulfilled on namespaces \"team\": Precondition "
            "failed: ResourceVersion in precondition: 1, ResourceVersion in object meta: " +
                meta(ns).resource_version());
}

TEST_F(DeleteTest, P71_ARunningPodGetsItsGracePeriod) {
  run_pod("p");
  const store::Revision before = store.revision();
  const WriteResult marked = remove(pod("p"));
  EXPECT_FALSE(marked.removed);
  EXPECT_EQ(deleted_in(pod("p")), 30);
  EXPECT_EQ(meta(pod("p")).deletion_grace_period_seconds(), 30);
  EXPECT_EQ(meta(pod("p")).generation(), 2);
  EXPECT_THAT(events(api::kinds::pod(), before),
              ElementsAre("~default/p@" + std::to_string(before + 1)));
  EXPECT_TRUE(remove(pod("p"), 0).removed) << "the agent says that it is over";
  EXPECT_EQ(stored(pod("p")), nullptr);
}

TEST_F(DeleteTest, P70_GracePeriods) {
  run_pod("asked");
  remove(pod("asked"), 5);
  EXPECT_EQ(deleted_in(pod("asked")), 5);
  run_pod("negative");
  remove(pod("negative"), -7);
  EXPECT_EQ(deleted_in(pod("negative")), 1);
  must_create_pod("unscheduled");
  EXPECT_TRUE(remove(pod("unscheduled"), 50).removed);
  for (const char* phase : {"Succeeded", "Failed"}) {
    run_pod(phase == std::string("Failed") ? "failed" : "succeeded");
    const ObjectRef ended = pod(phase == std::string("Failed") ? "failed" : "succeeded");
    server.patch(ended, "status", PatchType::merge,
                 R"({"status":{"phase":")" + std::string(phase) + R"("}})");
    EXPECT_TRUE(remove(ended).removed) << phase;
  }
}

TEST_F(DeleteTest, P71a_RemovalAtOnceIsTwoWrites) {
  must_create_pod("p");
  const store::Revision before = store.revision();
  const WriteResult removed = remove(pod("p"));
  EXPECT_THAT(events(api::kinds::pod(), before),
              ElementsAre("~default/p@" + std::to_string(before + 1),
                          "-default/p@" + std::to_string(before + 2)));
  const auto& last = api::metadata_of(**removed.answer);
  EXPECT_TRUE(last.has_deletion_timestamp());
  EXPECT_EQ(last.deletion_grace_period_seconds(), 0);
  EXPECT_EQ(last.generation(), 2);
}

TEST_F(DeleteTest, P72_ADeletionUnderWayCanOnlyBeMadeShorter) {
  run_pod("p");
  remove(pod("p"));
  const store::Revision marked = store.revision();
  EXPECT_EQ(error(remove(pod("p"))), "");
  EXPECT_EQ(error(remove(pod("p"), 30)), "");
  EXPECT_EQ(error(remove(pod("p"), 60)), "");
  EXPECT_EQ(store.revision(), marked);
  remove(pod("p"), 10);
  EXPECT_EQ(deleted_in(pod("p")), 10);
  EXPECT_EQ(meta(pod("p")).deletion_grace_period_seconds(), 10);
  EXPECT_EQ(meta(pod("p")).generation(), 2) << "not bumped again";
}

// As nanoseconds such a time would be one of the past, and the pod be killed at once.
TEST_F(DeleteTest, P71_AGracePeriodBeyondAllTimes) {
  run_pod("p");
  remove(pod("p"), std::numeric_limits<int64_t>::max());
  EXPECT_GT(deleted_in(pod("p")), int64_t{40} * 365 * 24 * 3600);
  EXPECT_EQ(meta(pod("p")).deletion_grace_period_seconds(), std::numeric_limits<int64_t>::max());
  remove(pod("p"), 10);
  EXPECT_EQ(deleted_in(pod("p")), 10);
  EXPECT_EQ(meta(pod("p")).deletion_grace_period_seconds(), 10);
}

TEST_F(DeleteTest, P72_NeverShorterThanNow) {
  run_pod("p");
  remove(pod("p"));
  world.run_for(seconds(29));
  remove(pod("p"), 5);
  EXPECT_EQ(deleted_in(pod("p")), 0);
  EXPECT_EQ(meta(pod("p")).deletion_grace_period_seconds(), 1);
}

TEST_F(DeleteTest, P73_GraceZeroWithFinalizersKeepsThePodUntilTheyAreGone) {
  run_pod("p", R"({"finalizers":["batch.kubernetes.io/job-tracking"]})");
  EXPECT_FALSE(remove(pod("p"), 0).removed);
  EXPECT_EQ(meta(pod("p")).deletion_grace_period_seconds(), 0);
  const store::Revision marked = store.revision();
  EXPECT_EQ(error(remove(pod("p"), 0)), "");
  EXPECT_EQ(store.revision(), marked) << "a further DELETE changes nothing";
  EXPECT_TRUE(set_finalizers(pod("p"), "null").removed);
  EXPECT_EQ(stored(pod("p")), nullptr);
}

TEST_F(DeleteTest, P74_ThePodStaysWhileItsGracePeriodRuns) {
  run_pod("p", R"({"finalizers":["batch.kubernetes.io/job-tracking"]})");
  remove(pod("p"));
  EXPECT_FALSE(set_finalizers(pod("p"), "[]").removed);
  EXPECT_NE(stored(pod("p")), nullptr);
  EXPECT_TRUE(remove(pod("p"), 0).removed);
}

TEST_F(DeleteTest, P76_TheFinalizerCanBeRemovedByUpdateToo) {
  must_create_pod("p", R"({"finalizers":["batch.kubernetes.io/job-tracking"]})");
  remove(pod("p"));
  auto changed = copy_of(*stored(pod("p")));
  api::mutable_metadata_of(*changed).clear_finalizers();
  EXPECT_TRUE(server.update(pod("p"), "", std::move(changed)).removed);
  must_create_pod("q", R"({"finalizers":["batch.kubernetes.io/job-tracking"]})");
  remove(pod("q"));
  auto status = copy_of(*stored(pod("q")));
  api::mutable_metadata_of(*status).clear_finalizers();
  EXPECT_TRUE(server.update(pod("q"), "status", std::move(status)).removed);
}

TEST_F(DeleteTest, N11_ANamespaceStaysTerminating) {
  const ObjectRef ns{&api::kinds::namespace_(), "", "team"};
  must_create(ns, "{}");
  EXPECT_FALSE(remove(ns).removed);
  const auto& deleted = static_cast<const api::core::v1::Namespace&>(*stored(ns));
  EXPECT_EQ(deleted.status().phase(), "Terminating");
  EXPECT_TRUE(deleted.metadata().has_deletion_timestamp());
  EXPECT_FALSE(deleted.metadata().has_deletion_grace_period_seconds());
  const store::Revision marked = store.revision();
  EXPECT_EQ(error(remove(ns)), "");
  EXPECT_EQ(store.revision(), marked);
}

TEST_F(DeleteTest, N12_SystemNamespacesStay) {
  for (const char* name : {"default", "kube-system", "kube-public"}) {
    EXPECT_EQ(error(remove({&api::kinds::namespace_(), "", name})),
              "403 Forbidden: namespaces \"" + std::string(name) +
                  "\" is forbidden: this namespace may not be deleted");
  }
  EXPECT_EQ(error(remove({&api::kinds::namespace_(), "", "kube-node-lease"})), "");
}

}  // namespace
}  // namespace windlass::apiserver
