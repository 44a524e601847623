// Lists and single reads through the whole handler: api.md 4.5, 4.11.
#include <simdjson.h>

#include "api/codec/json/json_text.h"
#include "api/codec/protobuf.h"
#include "api/codec/yaml/yaml.h"
#include "apiserver/rest/rest_testing.h"
#include "schema/core/v1/config_map.pb.h"

namespace windlass::apiserver {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kTable =
    "application/json;as=Table;v=v1;g=meta.k8s.io,"
    "application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

class ListCallTest : public RestTest {
 protected:
  static constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";

  void add(int count) {
    for (int i = 0; i < count; ++i) {
      must_create(config_map("m" + std::to_string(1000 + i)), R"({"data":{"k":"v"}})");
    }
  }
  static std::string text_at(const std::string& json, const char* pointer) {
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    std::string_view value;
    if (parser.parse(json).get(root) == simdjson::SUCCESS &&
        root.at_pointer(pointer).get(value) == simdjson::SUCCESS) {
      return std::string(value);
    }
    return "";
  }
  static size_t count(const std::string& text, std::string_view what) {
    size_t found = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
      ++found;
    }
    return found;
  }
};

TEST_F(ListCallTest, M60_M11_AnEmptyListHasItems) {
  EXPECT_EQ(get(kMaps)->body,
            R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":")" +
                std::to_string(store.revision()) + R"("},"items":[]})" + "\n");
}

TEST_F(ListCallTest, M11_ItemsCarryNoType) {
  add(1);
  EXPECT_THAT(get(kMaps)->body, HasSubstr(R"("items":[{"metadata":{"name":"m1000")"));
}

TEST_F(ListCallTest, M68_AListThatMatchesLittleLeavesOthersTheirTurn) {
  add(1000);
  must_create(config_map("z"), R"({"metadata":{"labels":{"a":"b"}}})");
  const std::string at = std::to_string(store.revision());
  const auto list = std::make_shared<FakeExchange>();
  begin(request("GET", std::string(kMaps) + "?labelSelector=a%3Db&limit=2"), list);
  bool before_its_end = false;
  world.executor().post([&] {
    before_its_end = !list->answered;
    must_create(config_map("zz"), R"({"metadata":{"labels":{"a":"b"}}})");
  });
  settle();
  EXPECT_TRUE(before_its_end);
  EXPECT_EQ(list->status, 200);
  EXPECT_EQ(text_at(list->body, "/metadata/resourceVersion"), at) << "all of one moment";
  EXPECT_EQ(text_at(list->body, "/items/0/metadata/name"), "z");
  EXPECT_EQ(count(list->body, R"("name":)"), 1u);
  EXPECT_EQ(text_at(list->body, "/metadata/continue"), "");
  EXPECT_EQ(handler.open_streams(), 0u);
}

TEST_F(ListCallTest, M68_AClientThatGoesEndsTheSearch) {
  add(1000);
  const auto list = std::make_shared<FakeExchange>();
  begin(request("GET", std::string(kMaps) + "?labelSelector=a%3Db"), list);
  ASSERT_TRUE(world.step());
  EXPECT_EQ(handler.open_streams(), 1u);
  list->close();
  EXPECT_EQ(handler.open_streams(), 0u);
  settle();
  EXPECT_FALSE(list->answered);
}

TEST_F(ListCallTest, M65_M66_PagesShareOneSnapshot) {
  add(5);
  const auto first = get(std::string(kMaps) + "?limit=2");
  const std::string token = text_at(first->body, "/metadata/continue");
  ASSERT_FALSE(token.empty());
  EXPECT_THAT(first->body, HasSubstr(R"("remainingItemCount":3)"));
  must_create(config_map("m1009"), "{}");
  const auto second = get(std::string(kMaps) + "?limit=9&continue=" + token);
  EXPECT_EQ(count(second->body, R"("name":"m)"), 3u);
  EXPECT_THAT(second->body, Not(HasSubstr("m1009")));
  EXPECT_EQ(text_at(second->body, "/metadata/resourceVersion"),
            text_at(first->body, "/metadata/resourceVersion"));
  const auto one = get(std::string(kMaps) + "?limit=1&resourceVersion=0&continue=" + token);
  EXPECT_EQ(count(one->body, R"("name":"m)"), 1u) << one->body;
  EXPECT_THAT(get(std::string(kMaps) + "?limit=2&labelSelector=!zork")->body,
              Not(HasSubstr("remainingItemCount")));
}

TEST_F(ListCallTest, M62_M65_VersionsOfAList) {
  add(2);
  const std::string two = std::to_string(store.revision());
  add(0);
  must_create(config_map("later"), "{}");
  EXPECT_THAT(
      get(std::string(kMaps) + "?resourceVersion=" + two + "&resourceVersionMatch=Exact")->body,
      Not(HasSubstr("later")));
  EXPECT_THAT(get(std::string(kMaps) + "?resourceVersion=" + two)->body, HasSubstr("later"));
  EXPECT_THAT(get(std::string(kMaps) + "?limit=10&resourceVersion=" + two)->body,
              Not(HasSubstr("later")))
      << "a limit makes it exact";
  EXPECT_EQ(count(get(std::string(kMaps) + "?limit=1&resourceVersion=0")->body, R"("name":)"), 3u);
}

TEST_F(ListCallTest, M63_ListOptionsThatMakeNoSense) {
  const auto error = [&](const std::string& query) {
    const auto answer = get(std::string(kMaps) + "?" + query);
    return std::to_string(answer->status) + " " + text_at(answer->body, "/message");
  };
  const std::string about = "422 ListOptions.meta.k8s.io \"\" is invalid: ";
  EXPECT_EQ(error("resourceVersionMatch=Exact"),
            about +
                "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless "
                "resourceVersion is provided");
  EXPECT_EQ(error("resourceVersionMatch=Exact&resourceVersion=0"),
            about +
                "resourceVersionMatch: Forbidden: resourceVersionMatch \"exact\" is forbidden "
                "for resourceVersion \"0\"");
  EXPECT_EQ(error("resourceVersionMatch=Zork&resourceVersion=1"),
            about +
                "resourceVersionMatch: Unsupported value: \"Zork\": supported values: "
                "\"Exact\", \"NotOlderThan\", \"\"");
  EXPECT_EQ(error("sendInitialEvents=true"),
            about + "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list");
  EXPECT_EQ(error("resourceVersion=abc"),
            "400 invalid resource version: resourceVersion: Invalid value: \"abc\": "
            "strconv.ParseUint: parsing \"abc\": invalid syntax");
  EXPECT_EQ(error("limit=abc"), "400 strconv.ParseInt: parsing \"abc\": invalid syntax");
  EXPECT_EQ(error("limit=-1").substr(0, 3), "200");
}

TEST_F(ListCallTest, M64_AVersionOfTheFutureIsWaitedForAndThenRefused) {
  for (const std::string& path : {std::string(kMaps), std::string(kMaps) + "/x"}) {
    auto exchange = std::make_shared<FakeExchange>();
    begin(request("GET", path + "?resourceVersion=999"), exchange);
    world.run_for(seconds(2));
    EXPECT_FALSE(exchange->answered);
    world.run_for(seconds(2));
    EXPECT_EQ(exchange->status, 504) << path;
    EXPECT_EQ(exchange->header("Retry-After"), "1");
    EXPECT_THAT(exchange->body,
                AllOf(HasSubstr("Timeout: Too large resource version: 999, current: "),
                      HasSubstr(R"("causes":[{"reason":"ResourceVersionTooLarge",)"
                                R"("message":"Too large resource version"}],)"
                                R"("retryAfterSeconds":1)")));
  }
}

TEST_F(ListCallTest, M67_TokensThatCannotBeUsed) {
  EXPECT_THAT(get(std::string(kMaps) + "?continue=zork!")->body,
              HasSubstr("invalid continue token: continue key is not valid: "));
  EXPECT_THAT(get(std::string(kMaps) + "?continue=abc&resourceVersion=1")->body,
              HasSubstr("specifying resource version is not allowed when using continue"));
}

TEST_F(ListCallTest, M68_SelectorsThatCannotBeRead) {
  EXPECT_EQ(get(std::string(kMaps) + "?labelSelector=a+b+c")->status, 400);
  const auto unknown = get("/api/v1/pods?fieldSelector=spec.zork=1");
  EXPECT_EQ(unknown->status, 400);
  EXPECT_THAT(unknown->body, HasSubstr("field label not supported: spec.zork"));
}

TEST_F(ListCallTest, ALongListIsStreamedInPiecesAndWaitsForItsReader) {
  add(700);
  const auto whole = get(kMaps);
  EXPECT_GT(whole->chunks.size(), 1u);
  EXPECT_TRUE(whole->finished);
  EXPECT_EQ(count(whole->body, R"("name":"m)"), 700u);
  simdjson::dom::parser parser;
  EXPECT_EQ(parser.parse(whole->body).error(), simdjson::SUCCESS);

  const std::string big(30'000, 'x');
  for (int i = 0; i < 150; ++i) {
    must_create(config_map("z" + std::to_string(i)), R"({"data":{"k":")" + big + "\"}}");
  }
  auto slow = std::make_shared<FakeExchange>();
  slow->reads = false;
  begin(request("GET", kMaps), slow);
  settle();
  EXPECT_FALSE(slow->finished);
  EXPECT_LT(slow->most_unsent, (2U << 20));
  while (slow->when_taken) {
    slow->take();
    settle();
  }
  EXPECT_TRUE(slow->finished);
  EXPECT_GT(slow->body.size(), 4'500'000u);
}

TEST_F(ListCallTest, M6_ProtobufListsAreTheStoredBytes) {
  for (const int many : {3, 700}) {
    for (int i = many == 3 ? 0 : 3; i < many; ++i) {
      must_create(config_map("m" + std::to_string(1000 + i)), R"({"data":{"k":"v"}})");
    }
    const auto answer =
        get(kMaps, {{"Accept", "application/vnd.kubernetes.protobuf,application/json"}});
    EXPECT_EQ(answer->header("Content-Type"), "application/vnd.kubernetes.protobuf");
    const auto envelope = api::open_envelope(answer->body);
    ASSERT_TRUE(envelope);
    EXPECT_EQ(envelope->type, (api::TypeMeta{"v1", "ConfigMapList"}));
    api::core::v1::ConfigMapList list;
    ASSERT_TRUE(list.ParseFromArray(envelope->raw.data(), static_cast<int>(envelope->raw.size())));
    EXPECT_EQ(list.items_size(), many);
    EXPECT_EQ(list.metadata().resource_version(), std::to_string(store.revision()));
  }
}

TEST_F(ListCallTest, M130_M132_M133_TableOfJobs) {
  must_create_job("j");
  world.run_for(seconds(90));
  const auto answer = get("/apis/batch/v1/namespaces/default/jobs?limit=500", {{"Accept", kTable}});
  EXPECT_THAT(answer->body,
              StartsWith(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":)"
                         R"({"resourceVersion":")"));
  EXPECT_THAT(answer->body, HasSubstr(R"({"name":"Name","type":"string","format":"name",)"));
  EXPECT_THAT(answer->body, HasSubstr(R"("cells":["j","Running","0/1","","90s","c","i",)"
                                      R"("batch.kubernetes.io/controller-uid=)"));
  EXPECT_THAT(answer->body, HasSubstr(R"("object":{"kind":"PartialObjectMetadata",)"
                                      R"("apiVersion":"meta.k8s.io/v1","metadata":{"name":"j")"));
  EXPECT_THAT(
      get("/apis/batch/v1/namespaces/default/jobs/j?includeObject=None", {{"Accept", kTable}})
          ->body,
      HasSubstr(R"("object":null)"));
  EXPECT_THAT(
      get("/apis/batch/v1/namespaces/default/jobs/j?includeObject=Object", {{"Accept", kTable}})
          ->body,
      HasSubstr(R"("object":{"kind":"Job","apiVersion":"batch/v1",)"));
  const auto bad =
      get("/apis/batch/v1/namespaces/default/jobs/j?includeObject=Foo", {{"Accept", kTable}});
  EXPECT_EQ(bad->status, 400);
  EXPECT_THAT(bad->body, HasSubstr("must be 'Metadata', 'Object', 'None', or empty"));
}

TEST_F(ListCallTest, M4_M5_Negotiation) {
  add(1);
  const std::string one = std::string(kMaps) + "/m1000";
  const auto type = [&](const std::string& accept) {
    const auto answer = get(one, {{"Accept", accept}});
    return std::to_string(answer->status) + " " + answer->header("Content-Type");
  };
  EXPECT_EQ(type("*/*"), "200 application/json");
  EXPECT_EQ(type("application/*"), "200 application/json");
  EXPECT_EQ(type("application/yaml"), "200 application/yaml");
  EXPECT_EQ(type("application/json;q=0.1, application/yaml;q=0.9"), "200 application/yaml");
  EXPECT_EQ(type("text/html, application/json"), "200 application/json");
  EXPECT_EQ(type("text/html"), "406 application/json");
  EXPECT_EQ(type("application/json;as=Table;v=v2;g=meta.k8s.io"), "406 application/json");
  EXPECT_EQ(type("application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io"),
            "406 application/json");
  EXPECT_THAT(get(one, {{"Accept", "text/html"}})->body,
              AllOf(StartsWith("{\n  \"kind\": \"Status\""),
                    HasSubstr("Available representations: application/json, ")));
  const auto partial = get(kMaps, {{"Accept",
                                    "application/json;as=PartialObjectMetadataList;"
                                    "g=meta.k8s.io;v=v1"}});
  EXPECT_THAT(partial->body, AllOf(StartsWith(R"({"kind":"PartialObjectMetadataList","apiVersion":)"
                                              R"("meta.k8s.io/v1")"),
                                   HasSubstr(R"("items":[{"kind":"PartialObjectMetadata",)"),
                                   Not(HasSubstr("data\":{\"k\""))));
}

TEST_F(ListCallTest, M4a_ErrorsComeInTheNegotiatedTypeAndPeopleGetLineEnds) {
  const auto missing = get(std::string(kMaps) + "/none",
                           {{"Accept", "application/vnd.kubernetes.protobuf,application/json"}});
  EXPECT_EQ(missing->header("Content-Type"), "application/vnd.kubernetes.protobuf");
  EXPECT_TRUE(api::has_protobuf_magic(missing->body));
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
           {"User-Agent", "curl/8.0"}, {"User-Agent", "Mozilla/5.0 (X11)"}}) {
    EXPECT_THAT(get(kMaps, {{name, value}})->body, StartsWith("{\n  \"kind\": \"ConfigMapList\""));
  }
  EXPECT_THAT(get(std::string(kMaps) + "?pretty=true")->body, StartsWith("{\n"));
  EXPECT_THAT(get(std::string(kMaps) + "?pretty=false", {{"User-Agent", "curl"}})->body,
              StartsWith(R"({"kind")"));
}

// A client that reads nothing holds no list a second time, whatever the form it asked for.
TEST_F(ListCallTest, M4a_EveryFormIsStreamed) {
  add(600);
  const std::string all = kMaps;
  const http::Headers partial = {
      {"Accept",
       "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}};
  const std::vector<std::pair<std::string, http::Headers>> forms = {
      {all + "?pretty=true", {}},
      {all, {{"Accept", "application/yaml"}}},
      {all, {{"Accept", kTable}}},
      {all + "?pretty=true", {{"Accept", kTable}}},
      {all, {{"Accept", "application/yaml;as=Table;v=v1;g=meta.k8s.io"}}},
      {all, partial}};
  for (const auto& [target, headers] : forms) {
    SCOPED_TRACE(target + (headers.empty() ? "" : " " + headers.front().value));
    const auto slow = std::make_shared<FakeExchange>();
    slow->reads = false;
    begin(request("GET", target, "", headers), slow);
    settle();
    EXPECT_EQ(slow->status, 200);
    EXPECT_GE(slow->chunks.size(), 1u) << "in pieces, not as one answer";
    EXPECT_TRUE(slow->finished) << "all of it fits into what may wait";
    size_t names = 0;
    for (int i = 0; i < 600; ++i) {
      names += slow->body.find("m" + std::to_string(1000 + i)) != std::string::npos ? 1U : 0U;
    }
    EXPECT_EQ(names, 600u);
  }
}

TEST_F(ListCallTest, M4a_AStreamedListReadsLikeAWholeOne) {
  add(600);
  const auto plain = get(kMaps);
  std::string pretty;
  api::append_pretty_json(plain->body, pretty);
  EXPECT_EQ(get(std::string(kMaps) + "?pretty=true")->body, pretty + "\n");
  const auto yaml = api::json_to_yaml(plain->body);
  ASSERT_TRUE(yaml);
  EXPECT_EQ(get(kMaps, {{"Accept", "application/yaml"}})->body, *yaml);
  const auto table = get(kMaps, {{"Accept", kTable}});
  const auto yaml_table = api::json_to_yaml(table->body);
  ASSERT_TRUE(yaml_table);
  EXPECT_EQ(get(kMaps, {{"Accept", "application/yaml;as=Table;v=v1;g=meta.k8s.io"}})->body,
            *yaml_table);
  const auto none = get(std::string(kMaps) + "?labelSelector=a%3Db");
  pretty.clear();
  api::append_pretty_json(none->body, pretty);
  EXPECT_EQ(get(std::string(kMaps) + "?labelSelector=a%3Db&pretty=true")->body, pretty + "\n");
  EXPECT_EQ(
      get(std::string(kMaps) + "?labelSelector=a%3Db", {{"Accept", "application/yaml"}})->body,
      *api::json_to_yaml(none->body));
}

TEST_F(ListCallTest, M5_AStreamedListOfMetadataIsGoodProtobuf) {
  add(600);
  const auto list = get(
      kMaps,
      {{"Accept",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"}});
  const auto envelope = api::open_envelope(list->body);
  ASSERT_TRUE(envelope);
  EXPECT_EQ(envelope->type.kind, "PartialObjectMetadataList");
  api::core::v1::ConfigMapList maps;  // the metadata is where every kind has it
  ASSERT_TRUE(maps.ParseFromString(std::string(envelope->raw)));
  ASSERT_EQ(maps.items_size(), 600);
  EXPECT_EQ(maps.items(599).metadata().name(), "m1599");
}

// A few big objects are as much as many small ones.
TEST_F(ListCallTest, M4a_AFewBigObjectsAreStreamedAsWell) {
  for (int i = 0; i < 4; ++i) {
    must_create(config_map("m" + std::to_string(i)),
                R"({"data":{"k":")" + std::string(700'000, 'x') + R"("}})");
  }
  const auto slow = std::make_shared<FakeExchange>();
  slow->reads = false;
  begin(request("GET", std::string(kMaps) + "?pretty=true"), slow);
  settle();
  EXPECT_FALSE(slow->finished);
  EXPECT_LT(slow->most_unsent, size_t{2'500'000});
  for (int i = 0; i < 4 && !slow->finished; ++i) {
    slow->take();
    settle();
  }
  EXPECT_TRUE(slow->finished);
  EXPECT_EQ(text_at(slow->body, "/items/3/metadata/name"), "m3");
}

}  // namespace
}  // namespace windlass::apiserver
