#include "api/codec/json/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json_schema.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/coordination/v1/lease.pb.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/status.pb.h"

namespace windlass::api {
namespace {

using batch::v1::Job;
using core::v1::Pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

template <class T>
T decoded(std::string_view json) {
  T message;
  Result<DecodedJson> result = decode_json(json, message);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return message;
}

template <class T>
std::string error_of(std::string_view json) {
  T message;
  Result<DecodedJson> result = decode_json(json, message);
  return result ? "" : result.error().message;
}

template <class T>
std::string round_trip(std::string_view json) {
  return to_json(decoded<T>(json));
}

template <class T>
std::vector<std::string> problems_of(std::string_view json) {
  T message;
  Result<DecodedJson> result = decode_json(json, message);
  EXPECT_TRUE(result.has_value());
  std::vector<std::string> texts;
  for (const FieldProblem& problem : result->problems) {
    texts.push_back(problem.text());
  }
  return texts;
}

struct Mismatch {
  std::string_view json;
  std::string_view error;
};

TEST(Json, M31_TypeMismatchTexts) {
  const Mismatch cases[] = {
      {R"({"spec":{"parallelism":"x"}})",
       "json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32"},
      {R"({"spec":{"parallelism":1.5}})",
       "json: cannot unmarshal number 1.5 into Go struct field JobSpec.spec.parallelism of type "
       "int32"},
      {R"({"spec":{"parallelism":1.0}})",
       "json: cannot unmarshal number 1.0 into Go struct field JobSpec.spec.parallelism of type "
       "int32"},
      {R"({"spec":{"parallelism":3000000000}})",
       "json: cannot unmarshal number 3000000000 into Go struct field JobSpec.spec.parallelism of "
       "type int32"},
      {R"({"spec":{"activeDeadlineSeconds":18446744073709551615}})",
       "json: cannot unmarshal number 18446744073709551615 into Go struct field "
       "JobSpec.spec.activeDeadlineSeconds of type int64"},
      {R"({"spec":{"template":"x"}})",
       "json: cannot unmarshal string into Go struct field JobSpec.spec.template of type "
       "v1.PodTemplateSpec"},
      {R"({"metadata":{"labels":{"a":1}}})",
       "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type "
       "string"},
      {R"({"metadata":{"labels":["a"]}})",
       "json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type "
       "map[string]string"},
      {R"({"spec":{"suspend":"yes"}})",
       "json: cannot unmarshal string into Go struct field JobSpec.spec.suspend of type bool"},
      {R"({"spec":{"completionMode":true}})",
       "json: cannot unmarshal bool into Go struct field JobSpec.spec.completionMode of type "
       "v1.CompletionMode"},
      {R"({"spec":{"template":{"spec":{"containers":{}}}}})",
       "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers "
       "of type []v1.Container"},
      {R"({"spec":{"template":{"spec":{"containers":["x"]}}}})",
       "json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers "
       "of type v1.Container"},
      {R"({"spec":{"template":{"spec":{"containers":[{"args":[1]}]}}}})",
       "json: cannot unmarshal number into Go struct field "
       "Container.spec.template.spec.containers.args of type string"},
      {R"({"spec":{"template":{"spec":{"containers":[{"resources":{"limits":[]}}]}}}})",
       "json: cannot unmarshal array into Go struct field "
       "ResourceRequirements.spec.template.spec.containers.resources.limits of type "
       "v1.ResourceList"},
      {R"({"spec":{"podFailurePolicy":{"rules":[{"onExitCodes":{"values":["1"]}}]}}})",
       "json: cannot unmarshal string into Go struct field "
       "PodFailurePolicyOnExitCodesRequirement.spec.podFailurePolicy.rules.onExitCodes.values of "
       "type int32"},
      {R"({"kind":5})",
       "json: cannot unmarshal number into Go struct field Job.kind of type string"},
      {R"([])", "json: cannot unmarshal array into Go value of type v1.Job"},
      {R"("x")", "json: cannot unmarshal string into Go value of type v1.Job"},
  };
  for (const Mismatch& c : cases) {
    EXPECT_EQ(error_of<Job>(c.json), c.error) << c.json;
  }
}

TEST(Json, M31_ErrorsCarryThePathForThoseWhoShowPositions) {
  Job job;
  Result<DecodedJson> result = decode_json(
      R"({"spec":{"template":{"spec":{"containers":[{},{"resources":{"limits":{"cpu":"x"}}}]}}}})",
      job);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, 400);
  EXPECT_EQ(result.error().message,
            "quantities must match the regular expression "
            "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  ASSERT_EQ(result.error().details.causes.size(), 1U);
  EXPECT_EQ(result.error().details.causes[0].field,
            "spec.template.spec.containers[1].resources.limits.cpu");
}

TEST(Json, M31_PrefixNamesTheKind) {
  Status status = cannot_be_handled({"batch/v1", "Job"}, "Job", bad_request("json: wrong"));
  EXPECT_EQ(status.code, 400);
  EXPECT_EQ(status.reason, "BadRequest");
  EXPECT_EQ(status.message, R"(Job in version "v1" cannot be handled as a Job: json: wrong)");
}

TEST(Json, M31_BadTime) {
  EXPECT_EQ(error_of<Job>(R"({"metadata":{"creationTimestamp":"zz"}})"),
            R"(parsing time "zz" as "2006-01-02T15:04:05Z07:00": cannot parse "zz" as "2006")");
  EXPECT_EQ(error_of<Job>(R"({"metadata":{"creationTimestamp":5}})"),
            "json: cannot unmarshal number into Go struct field "
            "ObjectMeta.metadata.creationTimestamp of type string");
}

TEST(Json, M3_SyntaxErrorsInGosWords) {
  EXPECT_EQ(error_of<Job>(""), "unexpected end of JSON input");
  EXPECT_EQ(error_of<Job>("{"), "unexpected end of JSON input");
  EXPECT_EQ(error_of<Job>("{}}"), "invalid character '}' after top-level value");
  EXPECT_EQ(error_of<Job>("{\"spec\":tru}"),
            "invalid character '}' in literal true (expecting 'e')");
}

TEST(Json, BadInput_DepthSizeUtf8AndRange) {
  EXPECT_EQ(error_of<Job>(std::string(100'000, '[')), "exceeded max depth");
  std::string deep = "{\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  EXPECT_EQ(error_of<Job>(deep), "exceeded max depth");
  EXPECT_EQ(error_of<Job>("{\"metadata\":{\"name\":\"\xff\"}}"), "invalid UTF-8 in JSON text");
  EXPECT_THAT(error_of<Job>(std::string(kMaxJsonBytes + 1, ' ')),
              ::testing::HasSubstr("the limit is 16777216"));
  EXPECT_NE(error_of<Job>(R"({"spec":{"parallelism":123456789012345678901234567890}})"), "");
  EXPECT_NE(error_of<Job>(R"({"spec":{"parallelism":1e999}})"), "");
  EXPECT_NE(error_of<Job>(R"({"spec":{"parallelism":-2147483649}})"), "");
  EXPECT_EQ(error_of<Job>(R"({"spec":{"parallelism":-2147483648}})"), "");
}

TEST(Json, M110_UnknownFieldsHaveFullPathsAndSuggestions) {
  Pod pod;
  Result<DecodedJson> result = decode_json(
      R"({"kind":"Pod","apiVersion":"v1","spec":{"containers":[{"zork":1,"imagePullpolicy":"x"}],)"
      R"("volumes":[{"name":"a","emptydir":{}}]},"statu":{}})",
      pod);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->type, (TypeMeta{"v1", "Pod"}));
  EXPECT_THAT(
      result->problems,
      ElementsAre(FieldProblem{FieldProblem::Type::unknown, "spec.containers[0].zork", ""},
                  FieldProblem{FieldProblem::Type::unknown, "spec.containers[0].imagePullpolicy",
                               "imagePullPolicy"},
                  FieldProblem{FieldProblem::Type::unknown, "spec.volumes[0].emptydir", "emptyDir"},
                  FieldProblem{FieldProblem::Type::unknown, "statu", "status"}));
}

TEST(Json, M110_DuplicateFieldsTheLastWins) {
  EXPECT_THAT(problems_of<Job>(R"({"spec":{"parallelism":1,"foo":2,"parallelism":3},"spec":{}})"),
              ElementsAre(R"(unknown field "spec.foo")", R"(duplicate field "spec.parallelism")",
                          R"(duplicate field "spec")"));
  EXPECT_THAT(problems_of<Job>(R"({"metadata":{"labels":{"a.b/c":"1","a.b/c":"2"}}})"),
              ElementsAre(R"(duplicate field "metadata.labels.a.b/c")"));
  EXPECT_EQ(round_trip<core::v1::ConfigMap>(R"({"data":{"a":"1","a":"2"},"immutable":true,)"
                                            R"("immutable":false})"),
            R"({"metadata":{},"immutable":false,"data":{"a":"2"}})");
  // What the replaced value left behind is gone too.
  Job job =
      decoded<Job>(R"({"metadata":{"name":"a","name":""},"spec":{"parallelism":1},"spec":null})");
  EXPECT_EQ(job.ByteSizeLong(), 0U);
}

TEST(Json, M110_StrictErrorText) {
  EXPECT_EQ(strict_error_text({{FieldProblem::Type::unknown, "spec.foo", ""},
                               {FieldProblem::Type::duplicate, "spec.bar", ""}}),
            R"(strict decoding error: unknown field "spec.foo", duplicate field "spec.bar")");
}

TEST(Json, M110_ProblemsAreBoundedAndSaidOnce) {
  std::string json = "{\"z\":1,\"z\":2";
  for (int i = 0; i < 1000; ++i) {
    json += ",\"unknown" + std::to_string(i) + "\":1";
  }
  std::vector<std::string> problems = problems_of<Job>(json + "}");
  EXPECT_EQ(problems.size(), kMaxFieldProblems);
  EXPECT_EQ(problems[0], R"(unknown field "z")");
  EXPECT_EQ(problems[1], R"(unknown field "unknown0")");
}

TEST(Json, M112_NamesAreCaseSensitive) {
  EXPECT_THAT(problems_of<Job>(R"({"Spec":{}})"), ElementsAre(R"(unknown field "Spec")"));
  EXPECT_THAT(problems_of<Job>(R"({"spec":{}})"), IsEmpty());
}

TEST(Json, TypeMetaIsKnownOnlyWhereItBelongs) {
  EXPECT_THAT(problems_of<core::v1::PodList>(
                  R"({"kind":"PodList","items":[{"kind":"Pod","apiVersion":"v1"}]})"),
              IsEmpty());
  EXPECT_THAT(problems_of<Job>(R"({"spec":{"template":{"kind":"Pod"}}})"),
              ElementsAre(R"(unknown field "spec.template.kind")"));
}

TEST(Json, M60_EmptyListHasEmptyItems) {
  EXPECT_EQ(to_json(batch::v1::JobList(), {"batch/v1", "JobList"}),
            R"({"kind":"JobList","apiVersion":"batch/v1","metadata":{},"items":[]})");
}

TEST(Json, M20e_AlwaysFieldsOfAbsentMessages) {
  EXPECT_EQ(to_json(Job(), {"batch/v1", "Job"}),
            R"({"kind":"Job","apiVersion":"batch/v1","metadata":{},"spec":{"template":{)"
            R"("metadata":{},"spec":{"containers":null}}},"status":{}})");
}

TEST(Json, M20b_StatusOfASuccess) {
  constexpr std::string_view kJson =
      R"({"metadata":{},"status":"Success","details":{"name":"j","group":"batch","kind":"jobs",)"
      R"("uid":"u"}})";
  EXPECT_EQ(round_trip<meta::v1::Status>(kJson), kJson);
}

TEST(Json, J33_ZeroIsSerializedWhenSet_J32_OmittedWhenValue) {
  constexpr std::string_view kJson =
      R"({"metadata":{},"spec":{"parallelism":0,"template":{"metadata":{},)"
      R"("spec":{"containers":null}},"suspend":false},"status":{"terminating":0,"ready":0}})";
  EXPECT_EQ(round_trip<Job>(kJson), kJson);
  Job job = decoded<Job>(R"({"status":{"active":0,"succeeded":0,"failed":0}})");
  EXPECT_FALSE(job.has_status());
}

TEST(Json, J34_EmptyStringIsNotNull) {
  Job job = decoded<Job>(R"({"status":{"failedIndexes":"","completedIndexes":""}})");
  EXPECT_TRUE(job.status().has_failed_indexes());
  EXPECT_FALSE(job.status().has_completed_indexes());
  EXPECT_THAT(to_json(job), ::testing::HasSubstr(R"("status":{"failedIndexes":""})"));
  EXPECT_FALSE(decoded<Job>(R"({"status":{"failedIndexes":null}})").status().has_failed_indexes());
}

TEST(Json, J35_EmptyStructPointerIsWritten) {
  Job job = decoded<Job>(R"({"status":{"uncountedTerminatedPods":{}}})");
  EXPECT_THAT(to_json(job), ::testing::HasSubstr(R"("status":{"uncountedTerminatedPods":{}})"));
}

TEST(Json, J30_ConditionTimesAreNullWhenZero) {
  Job job = decoded<Job>(
      R"({"status":{"conditions":[{"type":"Failed","status":"True","lastProbeTime":null}]}})");
  EXPECT_THAT(to_json(job),
              ::testing::HasSubstr(R"([{"type":"Failed","status":"True","lastProbeTime":null,)"
                                   R"("lastTransitionTime":null}])"));
}

TEST(Json, M8_Times) {
  auto start_time = [](std::string_view text) {
    Job job = decoded<Job>(R"({"status":{"startTime":")" + std::string(text) + R"("}})");
    std::string json = to_json(job.status());
    return json == "{}" ? "none" : json.substr(14, json.size() - 16);
  };
  EXPECT_EQ(start_time("2026-01-02T03:04:05Z"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(start_time("2026-01-02T03:04:05.999999999Z"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(start_time("2026-01-02T03:04:05+02:00"), "2026-01-02T01:04:05Z");
  EXPECT_EQ(start_time("1970-01-01T00:00:00Z"), "1970-01-01T00:00:00Z");
  EXPECT_EQ(start_time("9999-12-31T23:59:59Z"), "9999-12-31T23:59:59Z");
  EXPECT_EQ(start_time("1066-10-14T09:00:00Z"), "1066-10-14T09:00:00Z");
  EXPECT_EQ(start_time("0001-01-01T00:00:00Z"), "none");
  EXPECT_FALSE(decoded<Job>(R"({"metadata":{"creationTimestamp":null}})").has_metadata());
}

TEST(Json, M8_MicroTimes) {
  using coordination::v1::Lease;
  constexpr std::string_view kJson =
      R"({"metadata":{},"spec":{"renewTime":"2026-01-02T03:04:05.000000Z"}})";
  EXPECT_EQ(round_trip<Lease>(kJson), kJson);
  EXPECT_THAT(round_trip<Lease>(R"({"spec":{"renewTime":"2026-01-02T03:04:05.123456+01:00"}})"),
              ::testing::HasSubstr("2026-01-02T02:04:05.123456Z"));
  EXPECT_THAT(error_of<Lease>(R"({"spec":{"renewTime":"2026-01-02T03:04:05Z"}})"),
              ::testing::HasSubstr(R"(cannot parse "Z" as ".000000")"));
}

TEST(Json, Quantities) {
  auto limit = [](std::string_view value) {
    auto requirements =
        decoded<core::v1::ResourceRequirements>(R"({"limits":{"cpu":)" + std::string(value) + "}}");
    return requirements.limits().at("cpu").string();
  };
  EXPECT_EQ(limit("\"500m\""), "500m");
  EXPECT_EQ(limit("\" 1Gi \""), "1Gi");
  EXPECT_EQ(limit("2"), "2");
  EXPECT_EQ(limit("0.5"), "500m");
  EXPECT_EQ(limit("-1"), "-1");
  EXPECT_EQ(limit("\"0\""), "0");
  EXPECT_EQ(limit("null"), "");
  using core::v1::ResourceRequirements;
  for (std::string_view bad : {"\"x\"", "true", "{}", "[]", "\"\"", "\"1 Gi\""}) {
    EXPECT_NE(error_of<ResourceRequirements>(R"({"limits":{"cpu":)" + std::string(bad) + "}}"), "")
        << bad;
  }
  EXPECT_EQ(round_trip<ResourceRequirements>(R"({"requests":{"memory":"1Ki","cpu":1}})"),
            R"({"requests":{"cpu":"1","memory":"1Ki"}})");
}

TEST(Json, QuantityThatIsAlwaysWritten) {
  using core::v1::ResourceFieldSelector;
  EXPECT_EQ(round_trip<ResourceFieldSelector>(R"({"resource":"limits.cpu"})"),
            R"({"resource":"limits.cpu","divisor":"0"})");
  EXPECT_FALSE(decoded<ResourceFieldSelector>(R"({"divisor":"0"})").has_divisor());
  EXPECT_TRUE(decoded<ResourceFieldSelector>(R"({"divisor":"1m"})").has_divisor());
}

TEST(Json, IntOrString) {
  using core::v1::TCPSocketAction;
  EXPECT_EQ(round_trip<TCPSocketAction>(R"({"port":80})"), R"({"port":80})");
  EXPECT_EQ(round_trip<TCPSocketAction>(R"({"port":"http"})"), R"({"port":"http"})");
  EXPECT_EQ(round_trip<TCPSocketAction>(R"({"port":""})"), R"({"port":""})");
  EXPECT_EQ(round_trip<TCPSocketAction>("{}"), R"({"port":0})");
  EXPECT_FALSE(decoded<TCPSocketAction>(R"({"port":0})").has_port());
  EXPECT_EQ(error_of<TCPSocketAction>(R"({"port":true})"),
            "json: cannot unmarshal bool into Go struct field TCPSocketAction.port of type int32");
  EXPECT_EQ(error_of<TCPSocketAction>(R"({"port":1.5})"),
            "json: cannot unmarshal number 1.5 into Go struct field TCPSocketAction.port of type "
            "int32");
}

TEST(Json, BytesAreBase64) {
  using core::v1::ConfigMap;
  ConfigMap map = decoded<ConfigMap>(R"({"binaryData":{"a":"AAEC/w=="}})");
  EXPECT_EQ(map.binary_data().at("a"), std::string("\0\x01\x02\xff", 4));
  EXPECT_EQ(to_json(map), R"({"metadata":{},"binaryData":{"a":"AAEC/w=="}})");
  EXPECT_EQ(error_of<ConfigMap>(R"({"binaryData":{"a":"AAE!"}})"),
            "illegal base64 data at input byte 3");
}

TEST(Json, RawJsonIsKeptAndWrittenCompact) {
  using meta::v1::ManagedFieldsEntry;
  EXPECT_EQ(round_trip<ManagedFieldsEntry>(R"({"fieldsV1": {"f:a": {}, "k:<x>": [1, "é"]}})"),
            R"({"fieldsV1":{"f:a":{},"k:\u003cx\u003e":[1,"é"]}})");
  ManagedFieldsEntry broken;
  broken.mutable_fields_v1()->set_raw("}{");
  EXPECT_EQ(to_json(broken), R"({"fieldsV1":null})");
}

TEST(Json, M6a_InlinedMessages) {
  using core::v1::Volume;
  constexpr std::string_view kVolume = R"({"name":"v","configMap":{"name":"c","optional":true}})";
  Volume volume = decoded<Volume>(kVolume);
  EXPECT_EQ(volume.volume_source().config_map().local_object_reference().name(), "c");
  EXPECT_EQ(to_json(volume), kVolume);
  EXPECT_FALSE(decoded<Volume>(R"({"name":"v"})").has_volume_source());
  EXPECT_TRUE(decoded<Volume>(R"({"emptyDir":{}})").volume_source().has_empty_dir());
  constexpr std::string_view kProbe = R"({"httpGet":{"path":"/","port":"web"},"periodSeconds":10})";
  EXPECT_EQ(round_trip<core::v1::Probe>(kProbe), kProbe);
}

TEST(Json, NullIsAbsentAndInListsZero) {
  Pod pod = decoded<Pod>(R"({"metadata":null,"spec":{"containers":[null,{"args":["a",null]}],)"
                         R"("nodeName":null,"nodeSelector":{"a":null}}})");
  EXPECT_FALSE(pod.has_metadata());
  EXPECT_EQ(pod.spec().containers_size(), 2);
  EXPECT_EQ(pod.spec().containers(1).args(1), "");
  EXPECT_EQ(pod.spec().node_selector().at("a"), "");
}

TEST(Json, MapsAreSortedByBytes) {
  EXPECT_EQ(round_trip<meta::v1::LabelSelector>(
                R"({"matchLabels":{"b":"1","a":"2","B":"3","é":"4","":"5"}})"),
            R"({"matchLabels":{"":"5","B":"3","a":"2","b":"1","é":"4"}})");
}

TEST(Json, NullablePointersAreWrittenAsNull) {
  EXPECT_EQ(round_trip<core::v1::GRPCAction>(R"({"port":1})"), R"({"port":1,"service":null})");
  EXPECT_EQ(round_trip<core::v1::GRPCAction>(R"({"port":1,"service":""})"),
            R"({"port":1,"service":""})");
}

TEST(Json, PeekType) {
  EXPECT_EQ(peek_json_type(R"({"spec":{"kind":"x"},"kind":"Job","apiVersion":"batch/v1"})").value(),
            (TypeMeta{"batch/v1", "Job"}));
  EXPECT_EQ(peek_json_type("{}").value(), TypeMeta{});
  EXPECT_FALSE(peek_json_type("[]").has_value());
  EXPECT_FALSE(peek_json_type(R"({"kind":1})").has_value());
  EXPECT_FALSE(peek_json_type("x").has_value());
}

// An empty view may point nowhere.
TEST(Json, AFieldWithoutANameIsNotFound) {
  EXPECT_EQ(json_struct(*core::v1::Pod::descriptor()).find(std::string_view(), 0), nullptr);
}

}  // namespace
}  // namespace windlass::api
