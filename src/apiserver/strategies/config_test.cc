// ConfigMap and Secret: api.md N60, N61.
#include "apiserver/server_testing.h"

namespace windlass::apiserver {
namespace {

class Config : public ServerTest {
 protected:
  const ObjectRef secret{&api::kinds::secret(), "default", "s"};
  WriteResult change(const ObjectRef& ref, std::string_view patch) {
    return server.patch(ref, "", PatchType::merge, patch);
  }
};

TEST_F(Config, N60_KeysAndSizes) {
  EXPECT_NE(error(create(config_map("c"), R"({"data":{"a b":"1"}})")).find("data[a b]: Invalid"),
            std::string::npos);
  EXPECT_NE(error(create(config_map("c"), R"({"data":{"a":"1"},"binaryData":{"a":"AA=="}})"))
                .find("duplicate of key present in binaryData"),
            std::string::npos);
  const std::string big(1024 * 1024, 'x');
  EXPECT_NE(error(create(config_map("c"), R"({"data":{"a":")" + big + R"(x"}})"))
                .find("[]: Too long: may not be more than 1048576 bytes"),
            std::string::npos);
  EXPECT_EQ(error(create(config_map("c"), R"({"data":{"a":")" + big + R"("}})")), "")
      << "keys do not count";
}

TEST_F(Config, N60_Immutable) {
  must_create(config_map("c"), R"({"data":{"a":"1"},"immutable":true})");
  const std::string why = "Forbidden: field is immutable when `immutable` is set";
  EXPECT_NE(error(change(config_map("c"), R"({"data":{"a":"2"}})")).find("data: " + why),
            std::string::npos);
  EXPECT_NE(error(change(config_map("c"), R"({"immutable":null})")).find("immutable: " + why),
            std::string::npos);
  EXPECT_NE(error(change(config_map("c"), R"({"binaryData":{"b":"AA=="}})")).find("binaryData"),
            std::string::npos);
  EXPECT_EQ(error(change(config_map("c"), R"({"metadata":{"labels":{"a":"b"}}})")), "");
}

TEST_F(Config, N61_StringDataBecomesData) {
  must_create(secret, R"({"data":{"a":"AA==","b":"AQ=="},"stringData":{"a":"x"}})");
  const std::string json = api::to_json(*stored(secret));
  EXPECT_NE(json.find(R"("data":{"a":"eA==","b":"AQ=="})"), std::string::npos) << json;
  EXPECT_EQ(json.find("stringData"), std::string::npos);
  EXPECT_NE(json.find(R"("type":"Opaque")"), std::string::npos);
  EXPECT_NE(error(change(secret, R"({"type":"other"})")).find("type: Invalid value: \"other\""),
            std::string::npos);
}

TEST_F(Config, N61_KnownTypesHoldWhatTheyAreFor) {
  const auto refused = [&](const std::string& type, const std::string& rest) {
    return error(create(secret, R"({"type":"kubernetes.io/)" + type + R"(")" + rest + "}"));
  };
  const std::string prefix = "422 Invalid: Secret \"s\" is invalid: ";
  EXPECT_EQ(refused("tls", ""),
            prefix + "[data[tls.crt]: Required value, data[tls.key]: Required value]");
  EXPECT_EQ(refused("dockercfg", ""), prefix + "data[.dockercfg]: Required value");
  EXPECT_EQ(refused("dockerconfigjson", R"(,"stringData":{".dockerconfigjson":"[1]"})"),
            prefix +
                "data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\": "
                "json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(refused("dockercfg", R"(,"stringData":{".dockercfg":"x"})"),
            prefix +
                "data[.dockercfg]: Invalid value: \"<secret contents redacted>\": invalid "
                "character 'x' looking for beginning of value");
  EXPECT_EQ(refused("basic-auth", ""),
            prefix + "[data[username]: Required value, data[password]: Required value]");
  EXPECT_EQ(refused("ssh-auth", R"(,"stringData":{"ssh-privatekey":""})"),
            prefix + "data[ssh-privatekey]: Required value");
  EXPECT_EQ(refused("service-account-token", ""),
            prefix + "metadata.annotations[kubernetes.io/service-account.name]: Required value");
  EXPECT_EQ(refused("basic-auth", R"(,"stringData":{"password":""})"), "");
  server.remove(secret, {});
  EXPECT_EQ(refused("dockercfg", R"(,"stringData":{".dockercfg":"{}"})"), "");
  server.remove(secret, {});
  EXPECT_EQ(refused("tls", R"(,"stringData":{"tls.crt":"","tls.key":""})"), "");
  server.remove(secret, {});
  EXPECT_EQ(refused("other", ""), "");
}

// Every kind is asked about its metadata first; then each as often as Kubernetes asks.
TEST_F(Config, M25_CausesOfABadLabel) {
  const auto causes = [&](const ObjectRef& ref, std::string_view json) {
    must_create(ref, json);
    const WriteResult refused = change(ref, R"({"metadata":{"labels":{"a":"$"}}})");
    return refused.answer.error().details.causes.size();
  };
  EXPECT_EQ(causes(config_map("c"), "{}"), 4U);
  EXPECT_EQ(causes(secret, "{}"), 4U);
  EXPECT_EQ(causes({&api::kinds::node(), "", "n"}, "{}"), 4U);
  EXPECT_EQ(causes({&api::kinds::lease(), "default", "l"}, "{}"), 3U);
  EXPECT_EQ(causes({&api::kinds::event(), "default", "e"}, "{}"), 2U);
  EXPECT_NE(error(change(config_map("c"), R"({"metadata":{"finalizers":["a.io/b c"]}})")), "");
}

}  // namespace
}  // namespace windlass::apiserver
