#include "apiserver/openapi/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "apiserver/openapi/comments.h"
#include "apiserver/rest/rest_testing.h"

namespace windlass::apiserver {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Comments, AreThoseOfTheSchema) {
  const Comments comments;
  EXPECT_EQ(comments.of("windlass.api.batch.v1.JobSpec.parallelism"),
            "How many pods may run at the same time; 1 when not given.");
  EXPECT_THAT(comments.of("windlass.api.batch.v1.Job"), StartsWith("Runs pods until"));
  EXPECT_EQ(comments.of("windlass.api.batch.v1.Zork"), "");
}

class OpenApiTest : public RestTest {
 protected:
  static std::string at(const std::string& json, const std::string& pointer) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    simdjson::dom::element found;
    if (parser.parse(json).get(root) != simdjson::SUCCESS ||
        root.at_pointer(pointer).get(found) != simdjson::SUCCESS) {
      return "";
    }
    return simdjson::minify(found);
  }
  static constexpr const char* kJobSpec = "io.k8s.api.batch.v1.JobSpec";
};

TEST_F(OpenApiTest, M123_TheIndexNamesEveryVersion) {
  const auto index = get("/openapi/v3");
  EXPECT_EQ(index->header("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_THAT(
      index->body,
      AllOf(StartsWith(R"({"paths":{"api/v1":{"serverRelativeURL":"/openapi/v3/api/v1?hash=)"),
            HasSubstr(R"("apis/batch/v1":{"serverRelativeURL":"/openapi/v3/apis/batch/v1?hash=)")));
}

TEST_F(OpenApiTest, M123_PatchOperationsTakeFieldValidationAndDryRun) {
  const std::string document = get("/openapi/v3/apis/batch/v1")->body;
  const std::string patch = "/paths/~1apis~1batch~1v1~1namespaces~1{namespace}~1jobs~1{name}/patch";
  EXPECT_EQ(at(document, patch + "/x-kubernetes-group-version-kind"),
            R"({"group":"batch","version":"v1","kind":"Job"})");
  EXPECT_THAT(at(document, patch + "/parameters"),
              AllOf(HasSubstr(R"({"name":"fieldValidation","in":"query")"),
                    HasSubstr(R"({"name":"dryRun","in":"query")")));
}

// kubectl apply reads them to choose a strategic merge patch, and then needs no /openapi/v2.
TEST_F(OpenApiTest, M125_EveryPatchOperationNamesItsContentTypes) {
  const std::string schema =
      R"({"schema":{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Patch"}})";
  const std::string body =
      R"({"content":{"application/apply-patch+yaml":)" + schema +
      R"(,"application/json-patch+json":)" + schema + R"(,"application/merge-patch+json":)" +
      schema + R"(,"application/strategic-merge-patch+json":)" + schema + R"(},"required":true})";
  int patches = 0;
  for (const char* path : {"/openapi/v3/api/v1", "/openapi/v3/apis/batch/v1"}) {
    const std::string document = get(path)->body;
    EXPECT_EQ(at(document, "/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.Patch/type"),
              "\"object\"");
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    ASSERT_EQ(parser.parse(document).get(root), simdjson::SUCCESS) << path;
    const simdjson::dom::object paths = root["paths"].get_object();
    for (const auto& [name, item] : paths) {
      simdjson::dom::element patch;
      if (item["patch"].get(patch) == simdjson::SUCCESS) {
        ++patches;
        EXPECT_EQ(simdjson::minify(patch["requestBody"]), body) << name;
      }
    }
  }
  EXPECT_GT(patches, 10);
}

TEST_F(OpenApiTest, M125_TheNamedContentTypesOfPatchesAreTaken) {
  ASSERT_EQ(post("/api/v1/namespaces/default/configmaps",
                 R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})")
                ->status,
            201);
  simdjson::dom::parser parser;
  const simdjson::dom::element root = parser.parse(get("/openapi/v2")->body);
  const std::string path = "/paths/~1api~1v1~1namespaces~1{namespace}~1configmaps~1{name}/patch";
  size_t types = 0;
  const simdjson::dom::array consumes = root.at_pointer(path + "/consumes").get_array();
  for (const auto type : consumes) {
    const std::string name(type.get_string().value());
    const std::string body = name == "application/json-patch+json" ? "[]" : "{}";
    const auto answer =
        send(request("PATCH", "/api/v1/namespaces/default/configmaps/c?fieldManager=m", body,
                     {{"Content-Type", name}}));
    EXPECT_NE(answer->status, 415) << name;
    ++types;
  }
  EXPECT_EQ(types, 4u);
}

TEST_F(OpenApiTest, WritesNameTheSchemaOfTheirBody) {
  const std::string document = get("/openapi/v3/apis/batch/v1")->body;
  const std::string jobs = "/paths/~1apis~1batch~1v1~1namespaces~1{namespace}~1jobs";
  const std::string job =
      R"({"content":{"*/*":{"schema":{"$ref":"#/components/schemas/io.k8s.api.batch.v1.Job"}}},)"
      R"("required":true})";
  EXPECT_EQ(at(document, jobs + "/post/requestBody"), job);
  EXPECT_EQ(at(document, jobs + "~1{name}/put/requestBody"), job);
  EXPECT_THAT(at(document, jobs + "~1{name}/delete/requestBody"), HasSubstr("DeleteOptions"));
  EXPECT_EQ(at(document, jobs + "/get/requestBody"), "");
}

TEST_F(OpenApiTest, M123_SchemasHaveWhatExplainAndApplyNeed) {
  const std::string document = get("/openapi/v3/apis/batch/v1")->body;
  const std::string schemas = "/components/schemas/";
  EXPECT_EQ(at(document, schemas + "io.k8s.api.batch.v1.Job/x-kubernetes-group-version-kind"),
            R"([{"group":"batch","kind":"Job","version":"v1"}])");
  EXPECT_EQ(at(document, schemas + kJobSpec + "/properties/parallelism"),
            R"({"description":"How many pods may run at the same time; 1 when not given.",)"
            R"("type":"integer","format":"int32"})");
  EXPECT_EQ(at(document, schemas + kJobSpec + "/required"), R"(["template"])");
  EXPECT_THAT(at(document, schemas + kJobSpec + "/properties/template"),
              HasSubstr(R"("allOf":[{"$ref":"#/components/schemas/io.k8s.api.core.v1.)"
                        R"(PodTemplateSpec"}])"));
  const std::string containers =
      at(document, schemas + "io.k8s.api.core.v1.PodSpec/properties/containers");
  EXPECT_THAT(containers, AllOf(HasSubstr(R"("type":"array")"),
                                HasSubstr(R"("x-kubernetes-list-map-keys":["name"])"),
                                HasSubstr(R"("x-kubernetes-list-type":"map")"),
                                HasSubstr(R"("x-kubernetes-patch-merge-key":"name")"),
                                HasSubstr(R"("x-kubernetes-patch-strategy":"merge")")));
  EXPECT_THAT(at(document, schemas + "io.k8s.api.core.v1.PodSpec/properties/nodeSelector"),
              HasSubstr(R"("additionalProperties":{"type":"string"})"));
}

TEST_F(OpenApiTest, EveryReferenceLeadsSomewhere) {
  for (const char* path : {"/openapi/v3/api/v1", "/openapi/v3/apis/batch/v1", "/openapi/v2"}) {
    const std::string document = get(path)->body;
    const bool v2 = std::string(path) == "/openapi/v2";
    const std::string prefix = v2 ? "#/definitions/" : "#/components/schemas/";
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    ASSERT_EQ(parser.parse(document).get(root), simdjson::SUCCESS) << path;
    size_t references = 0;
    for (size_t from = document.find(prefix); from != std::string::npos;
         from = document.find(prefix, from + 1)) {
      const size_t begin = from + prefix.size();
      const std::string name = document.substr(begin, document.find('"', begin) - begin);
      const std::string pointer = (v2 ? "/definitions/" : "/components/schemas/") + name;
      EXPECT_EQ(root.at_pointer(pointer).error(), simdjson::SUCCESS) << name;
      ++references;
    }
    EXPECT_GT(references, 50u) << path;
  }
}

TEST_F(OpenApiTest, M124_AHashNamesOneDocument) {
  const std::string path = "/openapi/v3/apis/batch/v1";
  EXPECT_EQ(get(path)->header("Cache-Control"), "no-cache, private");
  const auto moved = get(path + "?hash=OLD");
  EXPECT_EQ(moved->status, 301);
  const auto right = get(moved->header("Location"));
  EXPECT_EQ(right->status, 200);
  EXPECT_EQ(right->header("Cache-Control"), "public, immutable");
  EXPECT_EQ(get("/openapi/v3/apis/zork/v1")->status, 404);
}

TEST_F(OpenApiTest, M125_VersionTwoInBothForms) {
  const auto json = get("/openapi/v2");
  EXPECT_EQ(at(json->body, "/swagger"), "\"2.0\"");
  EXPECT_EQ(at(json->body, "/definitions/io.k8s.api.core.v1.Pod/properties/spec/$ref"),
            "\"#/definitions/io.k8s.api.core.v1.PodSpec\"");
  const auto protobuf = get(
      "/openapi/v2", {{"Accept", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"}});
  EXPECT_EQ(protobuf->header("Content-Type"),
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_THAT(protobuf->body, StartsWith("\x0a\x03"
                                         "2.0"));
  EXPECT_THAT(protobuf->body, HasSubstr("io.k8s.api.batch.v1.JobSpec"));
}

}  // namespace
}  // namespace windlass::apiserver
