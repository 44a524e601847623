#include "api/codec/wire_time.h"
#include "api/names.h"
#include "apiserver/server_testing.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using testing::ElementsAre;
using testing::MatchesRegex;
using testing::StartsWith;

using CreateTest = ServerTest;

TEST_F(CreateTest, M35_TheServerDecidesAboutItsOwnMetadata) {
  const ObjectPtr object =
      must_create(job("j"), with_spec(R"({"name":"j","uid":"mine","generation":7,"selfLink":"x",
          "creationTimestamp":"2001-01-01T00:00:00Z","deletionTimestamp":"2001-01-01T00:00:00Z",
          "deletionGracePeriodSeconds":5})",
                                      kJobSpec));
  const auto& metadata = api::metadata_of(*object);
  EXPECT_THAT(metadata.uid(), MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]"
                                           "[0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(api::time_of(metadata.creation_timestamp()), world.clock().now());
  EXPECT_EQ(metadata.generation(), 1);
  EXPECT_FALSE(metadata.has_deletion_timestamp());
  EXPECT_FALSE(metadata.has_deletion_grace_period_seconds());
  EXPECT_FALSE(metadata.has_self_link());
  EXPECT_EQ(metadata.namespace_(), "default");
  EXPECT_EQ(metadata.resource_version(), std::to_string(store.revision()));
}

TEST_F(CreateTest, S7_EachObjectHasAUidOfItsOwn) {
  EXPECT_NE(client::uid_of(*must_create_pod("a")), client::uid_of(*must_create_pod("b")));
}

TEST_F(CreateTest, M35_RefusesAResourceVersion) {
  EXPECT_EQ(error(create(config_map("c"), R"({"metadata":{"resourceVersion":"5"}})")),
            "500 : resourceVersion should not be set on objects to be created");
  EXPECT_EQ(stored(config_map("c")), nullptr);
}

TEST_F(CreateTest, J53_GeneratesNames) {
  const ObjectPtr object = must_create(job(""), with_spec(R"({"generateName":"work-"})", kJobSpec));
  EXPECT_THAT(api::metadata_of(*object).name(), MatchesRegex("work-[b-df-hj-np-tv-z2456789]{5}"));
  EXPECT_EQ(api::metadata_of(*object).generate_name(), "work-");
  const std::string base(80, 'a');
  const ObjectPtr cut =
      must_create(config_map(""), R"({"metadata":{"generateName":")" + base + R"("}})");
  EXPECT_EQ(api::metadata_of(*cut).name().size(), 63U);
  EXPECT_EQ(api::metadata_of(*cut).generate_name(), base);
}

// A source of which every name comes out the same.
class StuckRandom final : public env::Random {
 public:
  uint64_t next() override {
    ++drawn;
    return UINT64_MAX;
  }
  void fill(std::span<std::byte> bytes) override { std::ranges::fill(bytes, std::byte{7}); }
  uint64_t drawn = 0;
};

TEST_F(CreateTest, J53_M23_GivesUpAfterEightNamesThatAreTaken) {
  StuckRandom random;
  Server stuck(store, world.clock(), random, api::FeatureGates());
  const auto generate = [&] {
    return stuck.create(config_map(""), from_json(api::kinds::config_map(),
                                                  R"({"metadata":{"generateName":"x-"}})"));
  };
  const WriteResult first = generate();
  ASSERT_TRUE(first.answer.has_value());
  const uint64_t one_name = random.drawn;
  const std::string name = api::metadata_of(**first.answer).name();
  random.drawn = 0;
  const WriteResult second = generate();
  EXPECT_EQ(random.drawn, one_name * api::kMaxGenerateNameAttempts);
  EXPECT_EQ(error(second), "409 AlreadyExists: configmaps \"" + name +
                               "\" already exists, the server was not able to generate a unique "
                               "name for the object");
  EXPECT_EQ(second.answer.error().details.retry_after_seconds, 1);
}

TEST_F(CreateTest, M23_ANameIsTakenOnce) {
  must_create_job("j");
  EXPECT_EQ(error(create(job("j"), with_spec("{}", kJobSpec))),
            "409 AlreadyExists: jobs.batch \"j\" already exists");
  server.remove(job("j"), {.propagation_policy = "Orphan"});
  EXPECT_EQ(error(create(job("j"), with_spec("{}", kJobSpec))),
            "409 AlreadyExists: object is being deleted: jobs.batch \"j\" already exists");
}

TEST_F(CreateTest, M30_TheBodyMayNotContradictTheUrl) {
  EXPECT_EQ(error(create(config_map("a"), R"({"metadata":{"name":"b"}})")),
            "400 BadRequest: the name of the object (b) does not match the name on the URL (a)");
  EXPECT_EQ(error(create(config_map("a"), R"({"metadata":{"namespace":"other"}})")),
            "400 BadRequest: the namespace of the provided object does not match the namespace "
            "sent on the request");
}

TEST_F(CreateTest, M30_WhatHasNoNamespaceLosesTheOneInTheBody) {
  const ObjectRef ns{&api::kinds::namespace_(), "", "team"};
  must_create(ns, R"({"metadata":{"namespace":"other"}})");
  EXPECT_FALSE(meta(ns).has_namespace_());
}

TEST_F(CreateTest, M36_ANameIsNeeded) {
  EXPECT_THAT(error(create(config_map(""), R"({})")),
              StartsWith("422 Invalid: ConfigMap \"\" is invalid: metadata.name: Required value"));
}

TEST_F(CreateTest, N13_TheNamespaceMustExistAndLive) {
  const ObjectRef elsewhere{&api::kinds::job(), "nowhere", "j"};
  EXPECT_EQ(error(create(elsewhere, with_spec("{}", kJobSpec))),
            "404 NotFound: namespaces \"nowhere\" not found");
  const ObjectRef ns{&api::kinds::namespace_(), "", "ending"};
  must_create(ns, "{}");
  server.remove(ns, {});
  const WriteResult refused =
      create({&api::kinds::job(), "ending", "j"}, with_spec("{}", kJobSpec));
  EXPECT_EQ(error(refused),
            "403 Forbidden: jobs.batch \"j\" is forbidden: unable to create new content in "
            "namespace ending because it is being terminated");
  EXPECT_THAT(
      refused.answer.error().details.causes,
      ElementsAre(StatusCause{"NamespaceTerminating", "namespace ending is being terminated",
                              "metadata.namespace"}));
}

TEST_F(CreateTest, N15_SystemNamespacesAreThere) {
  for (const char* name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    EXPECT_NE(stored({&api::kinds::namespace_(), "", name}), nullptr) << name;
  }
  const store::Revision before = store.revision();
  server.create_system_namespaces();
  EXPECT_EQ(store.revision(), before);
}

TEST_F(CreateTest, N10_ANamespaceGetsItsLabelFinalizerAndPhase) {
  const ObjectPtr object =
      must_create({&api::kinds::namespace_(), "", "team"}, R"({"status":{"phase":"Terminating"}})");
  const auto& made = static_cast<const api::core::v1::Namespace&>(*object);
  EXPECT_EQ(made.metadata().labels().at("kubernetes.io/metadata.name"), "team");
  EXPECT_THAT(made.spec().finalizers(), ElementsAre("kubernetes"));
  EXPECT_EQ(made.status().phase(), "Active");
}

TEST_F(CreateTest, J40_J51_AJobGetsItsDefaultsAndSelector) {
  const ObjectPtr object = must_create_job("j");
  const auto& made = static_cast<const api::batch::v1::Job&>(*object);
  EXPECT_EQ(made.spec().completions(), 1);
  EXPECT_EQ(made.spec().backoff_limit(), 6);
  EXPECT_EQ(made.spec().selector().match_labels().at("batch.kubernetes.io/controller-uid"),
            made.metadata().uid());
  EXPECT_EQ(made.spec().template_().metadata().labels().at("job-name"), "j");
}

TEST_F(CreateTest, J54_AFieldWhoseGateIsOffIsDropped) {
  Server without(store, world.clock(), world.random(),
                 api::FeatureGates().with(api::Feature::job_backoff_limit_per_index, false));
  const std::string json =
      R"({"spec":{"completionMode":"Indexed","completions":2,"backoffLimitPerIndex":1,
          "template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})";
  const WriteResult result = without.create(job("j"), from_json(api::kinds::job(), json));
  ASSERT_TRUE(result.answer.has_value()) << error(result);
  const auto& made = static_cast<const api::batch::v1::Job&>(**result.answer);
  EXPECT_FALSE(made.spec().has_backoff_limit_per_index());
  EXPECT_EQ(made.spec().backoff_limit(), 6);
}

TEST_F(CreateTest, M25_AnInvalidJobIsRefusedAndNotStored) {
  const store::Revision before = store.revision();
  EXPECT_THAT(error(create(job("j"), R"({"spec":{"parallelism":-1,"template":{"spec":{
                  "restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})")),
              "422 Invalid: Job.batch \"j\" is invalid: spec.parallelism: Invalid value: -1: must "
              "be greater than or equal to 0");
  EXPECT_EQ(store.revision(), before);
}

TEST_F(CreateTest, P22_APodBeginsPending) {
  const ObjectPtr object = must_create(
      pod("p"),
      R"({"spec":{"containers":[{"name":"c","image":"i"}]},"status":{"phase":"Running"}})");
  const auto& made = static_cast<const api::core::v1::Pod&>(*object);
  EXPECT_EQ(made.metadata().generation(), 1);
  EXPECT_EQ(made.status().phase(), "Pending");
  EXPECT_EQ(made.status().qos_class(), "BestEffort");
  EXPECT_TRUE(made.status().conditions().empty());
}

TEST_F(CreateTest, P22_SchedulingGatesAreShownAsACondition) {
  const ObjectPtr object = must_create(
      pod("p"),
      R"({"spec":{"schedulingGates":[{"name":"a.io/b"}],"containers":[{"name":"c","image":"i"}]}})");
  const auto& conditions = static_cast<const api::core::v1::Pod&>(*object).status().conditions();
  ASSERT_EQ(conditions.size(), 1);
  EXPECT_EQ(conditions[0].type(), "PodScheduled");
  EXPECT_EQ(conditions[0].status(), "False");
  EXPECT_EQ(conditions[0].reason(), "SchedulingGated");
  EXPECT_EQ(conditions[0].message(), "Scheduling is blocked due to non-empty scheduling gates");
}

TEST_F(CreateTest, P22_QosClassFollowsRequestsAndLimits) {
  struct Case {
    const char* resources;
    const char* expected;
  };
  for (const Case& c : std::initializer_list<Case>{
           {R"({})", "BestEffort"},
           {R"({"requests":{"cpu":"0"}})", "BestEffort"},
           {R"({"requests":{"cpu":"1"}})", "Burstable"},
           {R"({"limits":{"cpu":"1"}})", "Burstable"},
           {R"({"limits":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
           {R"({"requests":{"cpu":"1000m"},"limits":{"cpu":"1","memory":"1Gi"}})", "Guaranteed"},
           {R"({"requests":{"cpu":"500m"},"limits":{"cpu":"1","memory":"1Gi"}})", "Burstable"},
       }) {
    const ObjectPtr object =
        must_create(pod(""), R"({"metadata":{"generateName":"p-"},"spec":{"containers":[
            {"name":"c","image":"i","resources":)" +
                                 std::string(c.resources) + "}]}}");
    EXPECT_EQ(static_cast<const api::core::v1::Pod&>(*object).status().qos_class(), c.expected)
        << c.resources;
  }
}

TEST_F(CreateTest, P22_QosClassOfAPodWithResourcesOfItsOwn) {
  const auto qos = [&](const std::string& resources) {
    const ObjectPtr object =
        must_create(pod(""), R"({"metadata":{"generateName":"p-"},"spec":{"resources":)" +
                                 resources + R"(,"containers":[{"name":"c","image":"i"}]}})");
    return static_cast<const api::core::v1::Pod&>(*object).status().qos_class();
  };
  EXPECT_EQ(qos(R"({"limits":{"cpu":"1","memory":"1Gi"}})"), "Guaranteed");
  EXPECT_EQ(qos(R"({"limits":{"cpu":"1"}})"), "Burstable");
  EXPECT_EQ(qos(R"({"requests":{"cpu":"1"}})"), "Burstable");
  EXPECT_EQ(qos(R"({"requests":{"cpu":"0"}})"), "BestEffort");
}

TEST_F(CreateTest, P45_LabelKeysBecomeConditionsOfTheSelector) {
  const std::string metadata = R"({"labels":{"app":"a","run":"1"}})";
  const std::string containers = R"("containers":[{"name":"c","image":"i"}]})";
  const std::string anti =
      R"({"affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[)"
      R"({"topologyKey":"zone","labelSelector":)";
  must_create(pod("p"),
              with_spec(metadata, anti +
                                      R"({"matchLabels":{"x":"y"}},"matchLabelKeys":["app",)"
                                      R"("none"],"mismatchLabelKeys":["run"]}]}},)"
                                      R"("topologySpreadConstraints":[{"maxSkew":1,)"
                                      R"("topologyKey":"zone","whenUnsatisfiable":)"
                                      R"("ScheduleAnyway","labelSelector":{},)"
                                      R"("matchLabelKeys":["app"]}],)" +
                                      containers));
  const std::string json = api::to_json(*stored(pod("p")));
  EXPECT_THAT(json,
              testing::HasSubstr(R"("labelSelector":{"matchLabels":{"x":"y"},"matchExpressions":[)"
                                 R"({"key":"app","operator":"In","values":["a"]},)"
                                 R"({"key":"run","operator":"NotIn","values":["1"]}]})"));
  EXPECT_THAT(json, testing::HasSubstr(R"("labelSelector":{"matchExpressions":[{"key":"app",)"
                                       R"("operator":"In","values":["a"]}]})"));
  EXPECT_THAT(error(create(pod("q"), with_spec(metadata, anti +
                                                             R"({"matchLabels":{"app":"a"}},)"
                                                             R"("matchLabelKeys":["app"]}]}},)" +
                                                             containers))),
              testing::HasSubstr("exists in both matchLabelKeys and labelSelector"));
}

TEST_F(CreateTest, M37_DuplicateOwnersAreDroppedWithAWarning) {
  const WriteResult result = create(config_map("c"), R"({"metadata":{"ownerReferences":[
      {"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"},
      {"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]}})");
  ASSERT_TRUE(result.answer.has_value()) << error(result);
  EXPECT_EQ(api::metadata_of(**result.answer).owner_references_size(), 1);
  EXPECT_THAT(result.warnings,
              ElementsAre(StartsWith(".metadata.ownerReferences contains duplicate entries")));
}

TEST_F(CreateTest, M37_ARepeatedControllerIsOneController) {
  const std::string owner =
      R"({"apiVersion":"batch/v1","kind":"Job","name":"j","uid":"u","controller":true})";
  const std::string metadata = R"({"ownerReferences":[)" + owner + "," + owner + "]";
  const WriteResult made = create(config_map("c"), R"({"metadata":)" + metadata + "}}");
  ASSERT_EQ(error(made), "");
  EXPECT_EQ(api::metadata_of(**made.answer).owner_references_size(), 1);
  EXPECT_EQ(made.warnings.size(), 1U);
  const WriteResult patched =
      server.patch(config_map("c"), "", PatchType::merge,
                   R"({"metadata":)" + metadata + R"(,"labels":{"a":"b"}}})");
  ASSERT_EQ(error(patched), "");
  EXPECT_EQ(meta(config_map("c")).owner_references_size(), 1);
  EXPECT_EQ(patched.warnings.size(), 1U);
  const WriteResult refused = create(config_map("C"), R"({"metadata":)" + metadata + "}}");
  EXPECT_EQ(refused.answer.error().code, 422);
  EXPECT_EQ(refused.warnings.size(), 1U) << "whatever else is wrong";
}

}  // namespace
}  // namespace windlass::apiserver
