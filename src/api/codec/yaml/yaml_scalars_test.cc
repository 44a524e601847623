#include "api/codec/yaml/yaml_scalars.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

std::string json_of(std::string_view text) {
  std::string out;
  return resolve_plain_scalar(text).append_json(out) ? out : "none";
}

struct ScalarCase {
  std::string_view yaml;
  std::string_view json;
};

// What kubectl 1.32 makes of each scalar, observed with `kubectl annotate --local -o json`.
TEST(YamlScalars, ResolveAsKubectlDoes) {
  const ScalarCase cases[] = {
      {"yes", "true"},
      {"y", "true"},
      {"Off", "false"},
      {"n", "false"},
      {"ON", "true"},
      {"True", "true"},
      {"FALSE", "false"},
      {"tRue", "\"tRue\""},
      {"~", "null"},
      {"null", "null"},
      {"Null", "null"},
      {"NULL", "null"},
      {"", "null"},
      {"nULL", "\"nULL\""},
      {"12", "12"},
      {"+12", "12"},
      {"-12", "-12"},
      {"-0", "0"},
      {"00", "0"},
      {"0644", "420"},
      {"0o644", "420"},
      {"0O7", "7"},
      {"0777", "511"},
      {"0x1F", "31"},
      {"0X1f", "31"},
      {"-0x1F", "-31"},
      {"0b101", "5"},
      {"-0b11", "-3"},
      {"1_000", "1000"},
      {"1__0", "10"},
      {"0_", "0"},
      {"0_7", "7"},
      {"089", "89"},
      {"08", "8"},
      {"0x", "\"0x\""},
      {"+", "\"+\""},
      {"-", "\"-\""},
      {"1.0", "1"},
      {"1.50", "1.5"},
      {".5", "0.5"},
      {"-.5", "-0.5"},
      {"+.5", "0.5"},
      {"1.", "1"},
      {"1e3", "1000"},
      {"12e03", "12000"},
      {"1e+3", "1000"},
      {".5e1", "5"},
      {"-0.0", "-0"},
      {".5_0", "0.5"},
      {"._5", "\"._5\""},
      {"1.5_5", "1.55"},
      {".", "\".\""},
      {"..", "\"..\""},
      {"1e400", "\"1e400\""},
      {"1e-400", "0"},
      {"1e21", "1e+21"},
      {"1e20", "100000000000000000000"},
      {"1.5e-7", "1.5e-7"},
      {"0.000001", "0.000001"},
      {"3.14159265358979", "3.14159265358979"},
      {"9223372036854775807", "9223372036854775807"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "18446744073709552000"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9223372036854776000"},
      {"123456789012345678901234567890", "1.2345678901234568e+29"},
      {"0xFFFFFFFFFFFFFFFF", "18446744073709551615"},
      {"2001-01-01", "\"2001-01-01\""},
      {"2001-01-01T00:00:00Z", "\"2001-01-01T00:00:00Z\""},
      {"12:30:45", "\"12:30:45\""},
      {"190:20:30", "\"190:20:30\""},
      {"inf", "\"inf\""},
      {"nan", "\"nan\""},
      {"<<", "\"\\u003c\\u003c\""},
      {"=", "\"=\""},
      {"hello", "\"hello\""},
      {"1.2.3", "\"1.2.3\""},
      {"1e", "\"1e\""},
      {"10m", "\"10m\""},
  };
  for (const ScalarCase& c : cases) {
    EXPECT_EQ(json_of(c.yaml), c.json) << c.yaml;
  }
}

TEST(YamlScalars, InfinityAndNanAreNotJson) {
  for (std::string_view text : {".inf", ".Inf", "+.INF", "-.inf", ".nan", ".NaN"}) {
    EXPECT_EQ(json_of(text), "none") << text;
  }
}

TEST(YamlScalars, KeysAreConvertedAsKubectlDoes) {
  const ScalarCase cases[] = {
      {"1", "1"},
      {"1.5", "1.5"},
      {"true", "true"},
      {"off", "false"},
      {"0x10", "16"},
      {"010", "8"},
      {"1e6", "1e+06"},
      {"1234567.5", "1.2345675e+06"},
      {"0.00001", "1e-05"},
      {"100000.0", "100000"},
      {"3.14159265358979", "3.1415927"},
      {"2001-01-01", "2001-01-01"},
      {".inf", ".inf"},
      {"-.inf", "-.inf"},
      {".nan", ".nan"},
      {"name", "name"},
      {"9223372036854775807", "9223372036854775807"},
  };
  for (const ScalarCase& c : cases) {
    EXPECT_EQ(resolve_plain_scalar(c.yaml).key(), c.json) << c.yaml;
  }
  for (std::string_view text : {"~", "null", "", "9223372036854775808", "18446744073709551615"}) {
    EXPECT_EQ(resolve_plain_scalar(text).key(), std::nullopt) << text;
  }
}

TEST(YamlScalars, ExplicitTags) {
  auto tagged = [](YamlTag tag, std::string_view text) -> std::string {
    std::optional<YamlScalar> scalar = resolve_tagged_scalar(tag, text);
    std::string out;
    return scalar && scalar->append_json(out) ? out : "error";
  };
  EXPECT_EQ(tagged(YamlTag::integer, "12"), "12");
  EXPECT_EQ(tagged(YamlTag::integer, "x"), "error");
  EXPECT_EQ(tagged(YamlTag::floating, "3"), "3");
  EXPECT_EQ(tagged(YamlTag::floating, "1.5"), "1.5");
  EXPECT_EQ(tagged(YamlTag::boolean, "yes"), "true");
  EXPECT_EQ(tagged(YamlTag::boolean, "1"), "error");
  EXPECT_EQ(tagged(YamlTag::null, "~"), "null");
  EXPECT_EQ(tagged(YamlTag::null, "x"), "error");
  EXPECT_EQ(tagged(YamlTag::timestamp, "2001-01-01"), "\"2001-01-01\"");
}

TEST(YamlScalars, JsonNumbersAsGoWritesThem) {
  auto text = [](double number) {
    std::string out;
    append_json_number(number, out);
    return out;
  };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(-1.5), "-1.5");
  EXPECT_EQ(text(1e-7), "1e-7");
  EXPECT_EQ(text(1e-10), "1e-10");
  EXPECT_EQ(text(1e100), "1e+100");
  EXPECT_EQ(text(123456789), "123456789");
}

}  // namespace
}  // namespace windlass::api
