// ConfigMap and Secret: api.md N60, N61.
#include "apiserver/server_testing.h"

namespace windlass::apiserver {
namespace {

class Config : public ServerTest {
 protected:
  const ObjectRef secret{&api::kinds::secret(), "default", "s"};
  Decision change(const ObjectRef& ref, std::string_view patch) {
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
  EXPECT_NE(error(create(config_map("c"), R"({"data":{"a":")" + big + R"("}})"))
                .find("[]: Too long: may not be more than 1048576 bytes"),
            std::string::npos);
  EXPECT_EQ(error(create(config_map("c"), R"({"data":{"a":")" + big.substr(1) + R"("}})")), "");
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

}  // namespace
}  // namespace windlass::apiserver
