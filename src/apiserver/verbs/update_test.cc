#include "apiserver/server_testing.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/coordination/v1/lease.pb.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using api::batch::v1::Job;
using api::core::v1::Pod;
using testing::ElementsAre;
using testing::IsEmpty;

class UpdateTest : public ServerTest {
 protected:
  template <class T>
  std::unique_ptr<T> copy_as(const ObjectRef& ref) {
    return std::make_unique<T>(static_cast<const T&>(*stored(ref)));
  }
};

TEST_F(UpdateTest, M40_AStaleVersionIsAConflict) {
  must_create_job("j");
  auto first = copy_as<Job>(job("j"));
  auto second = copy_as<Job>(job("j"));
  first->mutable_spec()->set_parallelism(2);
  second->mutable_spec()->set_parallelism(3);
  EXPECT_EQ(error(server.update(job("j"), "", std::move(first))), "");
  const WriteResult lost = server.update(job("j"), "", std::move(second));
  EXPECT_EQ(error(lost),
            "409 Conflict: Operation cannot be fulfilled on jobs.batch \"j\": the object has been "
            "modified; please apply your changes to the latest version and try again");
  EXPECT_EQ(lost.answer.error().details.kind, "jobs");
  EXPECT_EQ(copy_as<Job>(job("j"))->spec().parallelism(), 2);
}

TEST_F(UpdateTest, J110_M38_WithoutAVersionTheLastWriteWins) {
  must_create_job("j");
  auto changed = copy_as<Job>(job("j"));
  changed->mutable_metadata()->clear_resource_version();
  changed->mutable_spec()->set_parallelism(4);
  EXPECT_EQ(error(server.update(job("j"), "", std::move(changed))), "");
  EXPECT_EQ(copy_as<Job>(job("j"))->spec().parallelism(), 4);
}

TEST_F(UpdateTest, J110_AVersionThatIsNoNumberIsAPlain500) {
  must_create_job("j");
  auto changed = copy_as<Job>(job("j"));
  changed->mutable_metadata()->set_resource_version("abc");
  EXPECT_EQ(error(server.update(job("j"), "", std::move(changed))),
            "500 : strconv.ParseUint: parsing \"abc\": invalid syntax");
}

TEST_F(UpdateTest, J110_AnUpdateNeverCreatesAJob) {
  EXPECT_EQ(error(server.update(job("j"), "",
                                from_json(api::kinds::job(), R"({"metadata":{"name":"j"}})"))),
            "404 NotFound: jobs.batch \"j\" not found");
}

TEST_F(UpdateTest, M38_N30_ALeaseIsCreatedByUpdateAndNeedsAVersionAfterwards) {
  const ObjectRef lease{&api::kinds::lease(), "default", "l"};
  const WriteResult made =
      server.update(lease, "", from_json(*lease.kind, R"({"metadata":{"name":"l"}})"));
  EXPECT_EQ(error(made), "");
  EXPECT_TRUE(made.created);
  const WriteResult refused =
      server.update(lease, "", from_json(*lease.kind, R"({"metadata":{"name":"l"}})"));
  EXPECT_EQ(error(refused),
            "422 Invalid: leases.coordination.k8s.io \"l\" is invalid: metadata.resourceVersion: "
            "Invalid value: 0: must be specified for an update");
}

TEST_F(UpdateTest, M38_M39_AnUpdateMeantForALeaseThatIsGoneDoesNotMakeAnother) {
  const ObjectRef lease{&api::kinds::lease(), "default", "l"};
  EXPECT_EQ(error(server.update(lease, "",
                                from_json(*lease.kind, R"({"metadata":{"name":"l","uid":"u"}})"))),
            "409 Conflict: Operation cannot be fulfilled on leases.coordination.k8s.io \"l\": "
            "StorageError: invalid object, Code: 4, Key: /registry/leases/default/l, "
            "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: u, "
            "UID in object meta: ");
  EXPECT_EQ(stored(lease), nullptr);
  const WriteResult made = server.update(
      lease, "", from_json(*lease.kind, R"({"metadata":{"name":"l","resourceVersion":"7"}})"));
  EXPECT_EQ(error(made), "");
  EXPECT_TRUE(made.created);
}

TEST_F(UpdateTest, M39_AnotherUidIsAConflict) {
  must_create_job("j");
  auto changed = copy_as<Job>(job("j"));
  const std::string uid = changed->metadata().uid();
  changed->mutable_metadata()->set_uid("other");
  EXPECT_EQ(error(server.update(job("j"), "", std::move(changed))),
            "409 Conflict: Operation cannot be fulfilled on jobs.batch \"j\": StorageError: "
            "invalid object, Code: 4, Key: /registry/jobs/default/j, ResourceVersion: 0, "
            "AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object "
            "meta: " +
                uid);
}

TEST_F(UpdateTest, M39_WhatTheServerDecidesIsRestored) {
  must_create_job("j");
  const auto before = copy_as<Job>(job("j"));
  auto changed = copy_as<Job>(job("j"));
  api::meta::v1::ObjectMeta& metadata = *changed->mutable_metadata();
  metadata.clear_uid();
  metadata.clear_namespace_();
  metadata.set_generation(99);
  metadata.mutable_creation_timestamp()->set_seconds(5);
  (*metadata.mutable_annotations())["a"] = "b";
  ASSERT_EQ(error(server.update(job("j"), "", std::move(changed))), "");
  const auto& after = meta(job("j"));
  EXPECT_EQ(after.uid(), before->metadata().uid());
  EXPECT_EQ(after.generation(), 1);
  EXPECT_EQ(after.creation_timestamp().seconds(),
            before->metadata().creation_timestamp().seconds());
  EXPECT_EQ(after.annotations().at("a"), "b");
}

TEST_F(UpdateTest, M39_NoUpdateBeginsADeletion) {
  must_create_job("j");
  const auto refused = [&](const ObjectRef& ref, std::string_view subresource,
                           std::string_view metadata) {
    return error(server.patch(ref, subresource, PatchType::merge,
                              R"({"metadata":)" + std::string(metadata) + "}"));
  };
  const std::string time =
      "metadata.deletionTimestamp: Invalid value: \"2030-01-01T00:00:00Z\": "
      "field is immutable";
  const std::string prefix = "422 Invalid: Job.batch \"j\" is invalid: ";
  EXPECT_EQ(refused(job("j"), "", R"({"deletionTimestamp":"2030-01-01T00:00:00Z"})"),
            prefix + time);
  const std::string grace =
      "metadata.deletionGracePeriodSeconds: Invalid value: 5: field is immutable";
  EXPECT_EQ(refused(job("j"), "", R"({"deletionGracePeriodSeconds":5})"), prefix + grace);
  EXPECT_NE(stored(job("j")), nullptr);
  // A kubelet of old may send one with a status.
  must_create_pod("p");
  EXPECT_EQ(refused(pod("p"), "status", R"({"deletionTimestamp":"2030-01-01T00:00:00Z"})"), "");
  EXPECT_FALSE(meta(pod("p")).has_deletion_timestamp());
}

TEST_F(UpdateTest, M39_NoUpdateTakesADeletionBack) {
  must_create_job("j", R"({"finalizers":["a.io/x"]})");
  server.remove(job("j"), {});
  auto changed = copy_as<Job>(job("j"));
  changed->mutable_metadata()->clear_deletion_timestamp();
  changed->mutable_metadata()->clear_deletion_grace_period_seconds();
  ASSERT_EQ(error(server.update(job("j"), "", std::move(changed))), "");
  EXPECT_TRUE(meta(job("j")).has_deletion_timestamp());
  EXPECT_TRUE(meta(job("j")).has_deletion_grace_period_seconds());
  EXPECT_EQ(
      server
          .patch(job("j"), "", PatchType::merge, R"({"metadata":{"deletionGracePeriodSeconds":5}})")
          .answer.error()
          .code,
      422);
  // Over protobuf a time may be there and empty: it neither deletes nor is an error.
  must_create(config_map("c"), "{}");
  auto empty_time = copy_of(*stored(config_map("c")));
  api::mutable_metadata_of(*empty_time).mutable_deletion_timestamp();
  EXPECT_EQ(error(server.update(config_map("c"), "", std::move(empty_time))), "");
  EXPECT_NE(stored(config_map("c")), nullptr);
}

TEST_F(UpdateTest, M30_TheBodyMayNotContradictTheUrl) {
  must_create_job("j");
  auto changed = copy_as<Job>(job("j"));
  changed->mutable_metadata()->set_name("k");
  EXPECT_EQ(error(server.update(job("j"), "", std::move(changed))),
            "400 BadRequest: the name of the object (k) does not match the name on the URL (j)");
}

TEST_F(UpdateTest, M30_AnUpdateNamesItsObject) {
  must_create(config_map("m"), R"({"data":{"k":"v"}})");
  const std::string nameless =
      "400 BadRequest: the name of the object (m based on URL) was undeterminable: name must be "
      "provided";
  EXPECT_EQ(error(server.update(config_map("m"), "", from_json(api::kinds::config_map(), "{}"))),
            nameless);
  EXPECT_EQ(api::to_json(*stored(config_map("m"))).find(R"("k":"v")") == std::string::npos, false);
  must_create_pod("m");
  EXPECT_EQ(error(server.update(pod("m"), "status", from_json(api::kinds::pod(), "{}"))), nameless);
}

TEST_F(UpdateTest, M41_AnUpdateThatChangesNothingWritesNothing) {
  must_create_job("j");
  const store::Revision before = store.revision();
  const WriteResult same = server.update(job("j"), "", copy_as<Job>(job("j")));
  EXPECT_EQ(error(same), "");
  EXPECT_EQ(client::resource_version_of(**same.answer), std::to_string(before));
  EXPECT_EQ(store.revision(), before);
  EXPECT_THAT(events(api::kinds::job(), before), IsEmpty());
  EXPECT_EQ(error(server.update(job("j"), "status", copy_as<Job>(job("j")))), "");
  EXPECT_EQ(store.revision(), before);
}

TEST_F(UpdateTest, S7_J109_GenerationGrowsWithTheSpecOnly) {
  must_create_job("j");
  auto labelled = copy_as<Job>(job("j"));
  (*labelled->mutable_metadata()->mutable_labels())["a"] = "b";
  labelled->mutable_status()->set_active(7);
  ASSERT_EQ(error(server.update(job("j"), "", std::move(labelled))), "");
  EXPECT_EQ(meta(job("j")).generation(), 1);
  EXPECT_EQ(copy_as<Job>(job("j"))->status().active(), 0) << "status in the body is ignored";
  auto scaled = copy_as<Job>(job("j"));
  scaled->mutable_spec()->set_parallelism(5);
  ASSERT_EQ(error(server.update(job("j"), "", std::move(scaled))), "");
  EXPECT_EQ(meta(job("j")).generation(), 2);
}

TEST_F(UpdateTest, J120_AStatusUpdateKeepsTheSpec) {
  must_create_job("j");
  auto changed = copy_as<Job>(job("j"));
  changed->mutable_spec()->set_parallelism(5);
  changed->mutable_status()->set_active(1);
  (*changed->mutable_metadata()->mutable_annotations())["a"] = "b";
  ASSERT_EQ(error(server.update(job("j"), "status", std::move(changed))), "");
  const auto after = copy_as<Job>(job("j"));
  EXPECT_EQ(after->spec().parallelism(), 1);
  EXPECT_EQ(after->status().active(), 1);
  EXPECT_EQ(after->metadata().annotations().at("a"), "b");
  EXPECT_EQ(after->metadata().generation(), 1);
  auto stale = copy_as<Job>(job("j"));
  stale->mutable_metadata()->set_resource_version("1");
  EXPECT_EQ(server.update(job("j"), "status", std::move(stale)).answer.error().code, 409);
}

TEST_F(UpdateTest, J125_AStatusUpdateIsValidated) {
  must_create_job("j");
  auto failed = copy_as<Job>(job("j"));
  failed->mutable_status()->set_failed(2);
  ASSERT_EQ(error(server.update(job("j"), "status", std::move(failed))), "");
  auto fewer = copy_as<Job>(job("j"));
  fewer->mutable_status()->set_failed(1);
  EXPECT_EQ(server.update(job("j"), "status", std::move(fewer)).answer.error().code, 422);
}

TEST_F(UpdateTest, P60_APodStatusUpdateKeepsSpecOwnersAndQosClass) {
  must_create_pod("p", R"({"ownerReferences":[
      {"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u"}]})");
  auto changed = copy_as<Pod>(pod("p"));
  changed->mutable_spec()->mutable_containers(0)->set_image("other");
  changed->mutable_metadata()->clear_owner_references();
  (*changed->mutable_metadata()->mutable_labels())["a"] = "b";
  changed->mutable_status()->set_phase("Running");
  changed->mutable_status()->clear_qos_class();
  ASSERT_EQ(error(server.update(pod("p"), "status", std::move(changed))), "");
  const auto after = copy_as<Pod>(pod("p"));
  EXPECT_EQ(after->spec().containers(0).image(), "i");
  EXPECT_EQ(after->metadata().owner_references_size(), 1);
  EXPECT_EQ(after->metadata().labels().at("a"), "b");
  EXPECT_EQ(after->status().phase(), "Running");
  EXPECT_EQ(after->status().qos_class(), "BestEffort");
}

TEST_F(UpdateTest, P60_AStatusWithoutObservedGenerationKeepsIt) {
  must_create_pod("p");
  const auto set_status = [&](const std::string& status) {
    return error(
        server.patch(pod("p"), "status", PatchType::merge, R"({"status":)" + status + "}"));
  };
  ASSERT_EQ(set_status(R"({"observedGeneration":3,"conditions":[
      {"type":"a","status":"True","observedGeneration":1},
      {"type":"b","status":"True","observedGeneration":2},
      {"type":"a","status":"True","observedGeneration":3}]})"),
            "");
  ASSERT_EQ(set_status(R"({"observedGeneration":null,"conditions":[{"type":"a","status":"False"},
      {"type":"a","status":"True","observedGeneration":5},{"type":"c","status":"True"},
      {"type":"b","status":"True"},{"type":"a","status":"True"}]})"),
            "");
  const auto after = copy_as<Pod>(pod("p"));
  EXPECT_EQ(after->status().observed_generation(), 3);
  std::vector<int64_t> generations;
  for (const auto& condition : after->status().conditions()) {
    generations.push_back(condition.observed_generation());
  }
  EXPECT_THAT(generations, ElementsAre(1, 5, 0, 2, 0));
}

TEST_F(UpdateTest, P52_P53_APodUpdateKeepsTheStatus) {
  must_create_pod("p");
  auto changed = copy_as<Pod>(pod("p"));
  changed->mutable_status()->set_phase("Failed");
  changed->mutable_spec()->mutable_containers(0)->set_image("other");
  ASSERT_EQ(error(server.update(pod("p"), "", std::move(changed))), "");
  const auto after = copy_as<Pod>(pod("p"));
  EXPECT_EQ(after->status().phase(), "Pending");
  EXPECT_EQ(after->spec().containers(0).image(), "other");
  EXPECT_EQ(after->metadata().generation(), 2);
}

TEST_F(UpdateTest, N2_ANodeKeepsItsStatusAndItsSpecApart) {
  const ObjectRef node{&api::kinds::node(), "", "n"};
  must_create(node, R"({"status":{"capacity":{"cpu":"4"}}})");
  using api::core::v1::Node;
  auto cordoned = copy_as<Node>(node);
  EXPECT_EQ(cordoned->status().allocatable().at("cpu").string(), "4");
  cordoned->mutable_spec()->set_unschedulable(true);
  cordoned->clear_status();
  ASSERT_EQ(error(server.update(node, "", std::move(cordoned))), "");
  EXPECT_EQ(copy_as<Node>(node)->status().capacity().at("cpu").string(), "4");
  auto reported = copy_as<Node>(node);
  reported->mutable_spec()->set_unschedulable(false);
  (*reported->mutable_status()->mutable_capacity())["cpu"].set_string("8");
  ASSERT_EQ(error(server.update(node, "status", std::move(reported))), "");
  EXPECT_TRUE(copy_as<Node>(node)->spec().unschedulable());
  EXPECT_EQ(copy_as<Node>(node)->status().capacity().at("cpu").string(), "8");
}

TEST_F(UpdateTest, M29_AKindWithoutAStatusSubresourceHasNone) {
  must_create(config_map("c"), "{}");
  EXPECT_EQ(
      error(server.update(config_map("c"), "status", from_json(api::kinds::config_map(), "{}"))),
      "404 NotFound: the server could not find the requested resource");
  EXPECT_EQ(
      error(server.update(config_map("c"), "scale", from_json(api::kinds::config_map(), "{}"))),
      "404 NotFound: the server could not find the requested resource");
}

TEST_F(UpdateTest, M92_MergePatch) {
  must_create_job("j", R"({"labels":{"a":"1","b":"2"}})");
  const WriteResult patched =
      server.patch(job("j"), "", PatchType::merge,
                   R"({"metadata":{"labels":{"a":null,"c":"3"}},"spec":{"parallelism":3}})");
  ASSERT_EQ(error(patched), "");
  const auto after = copy_as<Job>(job("j"));
  EXPECT_EQ(after->spec().parallelism(), 3);
  EXPECT_EQ(after->metadata().labels().count("a"), 0U);
  EXPECT_EQ(after->metadata().labels().at("c"), "3");
  EXPECT_EQ(after->metadata().generation(), 2);
}

TEST_F(UpdateTest, M42_APatchConflictsOnlyIfItNamesAVersion) {
  must_create_job("j");
  server.patch(job("j"), "", PatchType::merge, R"({"metadata":{"labels":{"a":"b"}}})");
  EXPECT_EQ(error(server.patch(job("j"), "", PatchType::merge, R"({"spec":{"parallelism":2}})")),
            "");
  EXPECT_EQ(server
                .patch(job("j"), "", PatchType::merge,
                       R"({"metadata":{"resourceVersion":"2"},"spec":{"parallelism":3}})")
                .answer.error()
                .code,
            409);
}

TEST_F(UpdateTest, M41_APatchThatChangesNothingWritesNothing) {
  must_create_job("j", R"({"labels":{"a":"b"}})");
  const store::Revision before = store.revision();
  EXPECT_EQ(
      error(server.patch(job("j"), "", PatchType::merge, R"({"metadata":{"labels":{"a":"b"}}})")),
      "");
  EXPECT_EQ(store.revision(), before);
}

TEST_F(UpdateTest, PatchesOfTheStatusAndErrors) {
  must_create_pod("p");
  ASSERT_EQ(error(server.patch(pod("p"), "status", PatchType::merge,
                               R"({"status":{"phase":"Running"},"spec":{"nodeName":"n"}})")),
            "");
  EXPECT_EQ(copy_as<Pod>(pod("p"))->status().phase(), "Running");
  EXPECT_EQ(copy_as<Pod>(pod("p"))->spec().node_name(), "");
  EXPECT_EQ(error(server.patch(pod("absent"), "", PatchType::merge, "{}")),
            "404 NotFound: pods \"absent\" not found");
  EXPECT_EQ(server.patch(pod("p"), "", PatchType::merge, "[]").answer.error().code, 400);
  EXPECT_EQ(server.patch(pod("p"), "", PatchType::merge, R"({"metadata":{"name":"q"}})")
                .answer.error()
                .code,
            400);
}

TEST_F(UpdateTest, M95_AResultThatDoesNotDecodeIs422) {
  must_create(config_map("c"), "{}");
  const WriteResult refused =
      server.patch(config_map("c"), "", PatchType::merge, R"({"data":"text"})");
  ASSERT_FALSE(refused.answer.has_value());
  const Status& status = refused.answer.error();
  EXPECT_EQ(status.code, 422);
  EXPECT_THAT(status.message, testing::StartsWith(" \"\" is invalid: patch: Invalid value: \"{"));
  EXPECT_EQ(status.details.kind, "");
}

TEST_F(UpdateTest, M39_APatchMayNotChangeTheUid) {
  must_create(config_map("c"), "{}");
  EXPECT_THAT(
      error(server.patch(config_map("c"), "", PatchType::merge, R"({"metadata":{"uid":"other"}})")),
      testing::HasSubstr("metadata.uid: Invalid value: \"other\": field is immutable"));
}

TEST_F(UpdateTest, UnknownFieldsInAPatchAreWarnedAbout) {
  must_create(config_map("c"), "{}");
  EXPECT_THAT(server.patch(config_map("c"), "", PatchType::merge, R"({"zork":1})").warnings,
              ElementsAre("unknown field \"zork\""));
}

}  // namespace
}  // namespace windlass::apiserver
