// What a query parameter means when it is empty, malformed, given twice or at odds with another:
// what kube-apiserver 1.36 makes of it, for every verb.
#include "apiserver/rest/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/codec/json/json_value.h"
#include "apiserver/rest/rest_testing.h"

namespace windlass::apiserver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

http::Target target_of(const std::string& query) {
  return *http::parse_target("/api/v1/pods?" + query);
}

TEST(Parameters, M63_ANumberIsThereOrNot) {
  const auto number = [](const std::string& query) {
    const auto value = int_parameter(target_of(query), "limit");
    return !value ? value.error().message : *value ? std::to_string(**value) : "none";
  };
  EXPECT_EQ(number(""), "none");
  EXPECT_EQ(number("limit=5"), "5");
  EXPECT_EQ(number("limit=%2B5"), "5");
  EXPECT_EQ(number("limit=-5"), "-5");
  EXPECT_EQ(number("limit=5&limit=x"), "5");
  EXPECT_EQ(number("limit="), R"(strconv.ParseInt: parsing "": invalid syntax)");
  EXPECT_EQ(number("limit"), R"(strconv.ParseInt: parsing "": invalid syntax)");
  EXPECT_EQ(number("limit=&limit=5"), R"(strconv.ParseInt: parsing "": invalid syntax)");
  EXPECT_EQ(number("limit=%2B-5"), R"(strconv.ParseInt: parsing "+-5": invalid syntax)");
  EXPECT_EQ(number("limit=1.0"), R"(strconv.ParseInt: parsing "1.0": invalid syntax)");
  EXPECT_EQ(number("limit=9223372036854775808"),
            R"(strconv.ParseInt: parsing "9223372036854775808": value out of range)");
}

TEST(Parameters, SwitchesAreOnWithWhateverIsNotOff) {
  const auto on = [](const std::string& query) {
    return flag_parameter(target_of(query), "follow");
  };
  EXPECT_EQ(on(""), std::nullopt);
  EXPECT_EQ(on("follow"), true);
  EXPECT_EQ(on("follow="), true);
  EXPECT_EQ(on("follow=maybe"), true);
  EXPECT_EQ(on("follow=False"), false);
  EXPECT_EQ(on("follow=0&follow=1"), false);
}

TEST(Parameters, P103_TimesAreReadOrRefused) {
  const auto time = [](const std::string& query) {
    return time_parameter(target_of(query), "sinceTime");
  };
  EXPECT_EQ(*time(""), std::nullopt);
  EXPECT_EQ(*time("sinceTime="), Time::min());
  EXPECT_EQ(*time("sinceTime=null"), Time::min());
  EXPECT_EQ(*time("sinceTime=1970-01-01T00:00:07Z"), time_from_unix(7));
  EXPECT_EQ(*time("sinceTime=9999-01-01T00:00:00Z"), Time::max());
  EXPECT_EQ(time("sinceTime=5m").error().code, 400);
}

TEST(Parameters, M56_AListHasAllThatIsGiven) {
  EXPECT_THAT(list_parameter(target_of("dryRun=&x=1&dryRun=All"), "dryRun"),
              ElementsAre("", "All"));
}

class ParametersTest : public RestTest {
 protected:
  static constexpr const char* kMaps = "/api/v1/namespaces/default/configmaps";
  static constexpr const char* kMap = R"({"metadata":{"name":"m"}})";

  std::string outcome(const std::string& method, const std::string& target,
                      const std::string& body = "", http::Headers headers = {}) {
    const auto answer = send(request(method, target, body, std::move(headers)));
    const auto status = api::parse_json_value(answer->body);
    const api::JsonValue* message = status ? status->value.find("message") : nullptr;
    return std::to_string(answer->status) + " " + (message == nullptr ? "" : message->text);
  }
  bool exists(const std::string& name) {
    return get(std::string(kMaps) + "/" + name)->status == 200;
  }
};

TEST_F(ParametersTest, M56_AnEmptyDryRunWritesNothing) {
  const auto refused = [](const std::string& options) {
    return "422 " + options +
           ".meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"\"]: supported values: "
           "\"All\"";
  };
  const std::string maps = kMaps;
  EXPECT_EQ(outcome("POST", maps + "?dryRun=", kMap), refused("CreateOptions"));
  EXPECT_EQ(outcome("POST", maps + "?dryRun", kMap), refused("CreateOptions"));
  EXPECT_FALSE(exists("m"));
  must_create(config_map("m"), "{}");
  EXPECT_EQ(outcome("PUT", maps + "/m?dryRun=", kMap), refused("UpdateOptions"));
  EXPECT_EQ(outcome("PATCH", maps + "/m?dryRun=", "{}",
                    {{"Content-Type", "application/merge-patch+json"}}),
            refused("PatchOptions"));
  EXPECT_EQ(outcome("DELETE", maps + "/m?dryRun="), refused("DeleteOptions"));
  EXPECT_EQ(outcome("DELETE", maps + "?dryRun="), refused("DeleteOptions"));
  EXPECT_TRUE(exists("m"));
  EXPECT_EQ(outcome("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews?dryRun=",
                    R"({"spec":{}})"),
            refused("CreateOptions"));
}

TEST_F(ParametersTest, M50_DeleteOptionsInTheQuery) {
  const std::string map = std::string(kMaps) + "/m";
  must_create(config_map("m"), "{}");
  EXPECT_EQ(outcome("DELETE", map + "?gracePeriodSeconds="),
            R"(400 strconv.ParseInt: parsing "": invalid syntax)");
  EXPECT_EQ(outcome("DELETE", map + "?propagationPolicy="),
            "422 DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported value: "
            "\"\": supported values: \"Foreground\", \"Background\", \"Orphan\", \"nil\"");
  EXPECT_THAT(outcome("DELETE", map + "?propagationPolicy=Orphan&orphanDependents="),
              HasSubstr("orphanDependents and deletionPropagation cannot be both set"));
  EXPECT_THAT(outcome("DELETE", map + "?uid=another"), StartsWith("409 "));
  EXPECT_THAT(outcome("DELETE", map + "?resourceVersion=1"), StartsWith("409 "));
  EXPECT_TRUE(exists("m"));
  EXPECT_THAT(outcome("DELETE", map + "?uid=&resourceVersion=&gracePeriodSeconds=%2B5"),
              StartsWith("200 "));
}

TEST_F(ParametersTest, ATimeoutIsADuration) {
  const std::string maps = kMaps;
  EXPECT_EQ(outcome("GET", maps + "?timeout=invalid"),
            "400 invalid timeout specified in the request URL - time: invalid duration "
            "\"invalid\"");
  EXPECT_EQ(outcome("POST", maps + "?timeout=5", kMap),
            "400 invalid timeout specified in the request URL - time: missing unit in duration "
            "\"5\"");
  EXPECT_FALSE(exists("m"));
  EXPECT_THAT(outcome("GET", "/version?timeout=x"), StartsWith("400 "));
  EXPECT_THAT(outcome("GET", maps + "?timeout="), StartsWith("200 "));
  EXPECT_THAT(outcome("GET", maps + "?timeout=-5s"), StartsWith("200 "));
  // What streams has no deadline, and so no such parameter.
  EXPECT_EQ(get(maps + "?watch=true&timeout=invalid")->status, 200);
}

TEST_F(ParametersTest, M63_M82_ContradictionsOfAWatch) {
  const std::string maps = kMaps;
  const std::string about = "422 ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: ";
  const std::string with_continue =
      about + "Forbidden: resourceVersionMatch is forbidden when continue is provided";
  EXPECT_EQ(outcome("GET", maps + "?watch=true&continue=x"), with_continue);
  EXPECT_EQ(outcome("GET", maps + "?watch=true&continue=x&resourceVersion=0"), with_continue);
  EXPECT_EQ(outcome("DELETE", maps + "?watch=true&continue=x"), with_continue);
  EXPECT_EQ(get(maps + "?watch=true&continue=&resourceVersion=")->status, 200);
  EXPECT_EQ(outcome("GET", maps + "?watch=true&timeoutSeconds="),
            R"(400 strconv.ParseInt: parsing "": invalid syntax)");
  EXPECT_THAT(outcome("GET", maps + "?watch=true&resourceVersionMatch=Exact&resourceVersion=1"),
              HasSubstr("Unsupported value: \"Exact\": supported values: \"NotOlderThan\""));
  // The older paths carry the options of a list.
  EXPECT_THAT(outcome("GET", "/api/v1/watch/namespaces/default/configmaps?sendInitialEvents=true"),
              HasSubstr("sendInitialEvents is forbidden for list"));
}

TEST_F(ParametersTest, M81_AWatchFromTheBeginningSaysWhereTheBeginningEnds) {
  const std::string maps = kMaps;
  const auto plain = get(maps + "?watch=true&allowWatchBookmarks=true");
  EXPECT_THAT(plain->body, HasSubstr("k8s.io/initial-events-end"));
  EXPECT_THAT(get(maps + "?watch=true&allowWatchBookmarks=true&resourceVersion=1")->body,
              Not(HasSubstr("k8s.io/initial-events-end")));
}

TEST_F(ParametersTest, M4a_PrettyIsOnOrOff) {
  const auto lines = [&](const std::string& query, const char* agent) {
    const auto answer = get(std::string(kMaps) + query, {{"User-Agent", agent}});
    return answer->body.find("\n  ") != std::string::npos;
  };
  EXPECT_TRUE(lines("?pretty=1", "kubectl/v1"));
  EXPECT_TRUE(lines("?pretty=T", "kubectl/v1"));
  EXPECT_FALSE(lines("?pretty=yes", "curl/8"));
  EXPECT_FALSE(lines("?pretty=", "kubectl/v1"));
  EXPECT_TRUE(lines("?pretty=", "curl/8"));
}

TEST_F(ParametersTest, ExportIsNoLongerServed) {
  must_create(config_map("m"), "{}");
  EXPECT_EQ(outcome("GET", std::string(kMaps) + "/m?export"),
            "400 the export parameter, deprecated since v1.14, is no longer supported");
  EXPECT_EQ(get(std::string(kMaps) + "/m?export=false")->status, 200);
}

TEST_F(ParametersTest, P103_ParametersOfALog) {
  must_create_pod("p");
  const std::string log = "/api/v1/namespaces/default/pods/p/log";
  for (const char* name : {"tailLines", "limitBytes", "sinceSeconds"}) {
    EXPECT_EQ(outcome("GET", log + "?" + name + "="),
              R"(400 strconv.ParseInt: parsing "": invalid syntax)")
        << name;
  }
  EXPECT_THAT(outcome("GET", log + "?sinceTime=yesterday"), StartsWith("400 parsing time "));
  EXPECT_THAT(outcome("GET", log + "?sinceTime=&sinceSeconds=5"),
              HasSubstr("at most one of `sinceTime` or `sinceSeconds` may be specified"));
  EXPECT_EQ(outcome("GET", log + "?stream=Stdout"),
            "422 PodLogOptions \"p\" is invalid: stream: Forbidden: may not be specified");
  EXPECT_THAT(outcome("GET", log + "?stream="), HasSubstr("stream: Forbidden"));
  EXPECT_EQ(get(log + "?follow=&previous=no&timestamps=x&insecureSkipTLSVerifyBackend=&sinceTime=")
                ->status,
            204);
}

}  // namespace
}  // namespace windlass::apiserver
