#include "api/select/field_selector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace windlass::api {
namespace {

bool matches(std::string_view text, const std::map<std::string, std::string, std::less<>>& fields) {
  const auto selector = FieldSelector::parse(text);
  EXPECT_TRUE(selector) << text << ": " << selector.error().message;
  return selector && selector->matches([&](std::string_view field) {
    const auto found = fields.find(field);
    return found == fields.end() ? std::string() : found->second;
  });
}

std::string error_of(std::string_view text) {
  const auto selector = FieldSelector::parse(text);
  EXPECT_FALSE(selector) << text;
  if (selector) {
    return "";
  }
  EXPECT_EQ(selector.error().code, 400);
  return selector.error().message;
}

TEST(FieldSelector, M68_Matching) {
  EXPECT_TRUE(matches("", {}));
  EXPECT_TRUE(matches("a=b", {{"a", "b"}}));
  EXPECT_TRUE(matches("a==b", {{"a", "b"}}));
  EXPECT_FALSE(matches("a=b", {{"a", "c"}}));
  EXPECT_TRUE(matches("a!=b", {{"a", "c"}}));
  EXPECT_FALSE(matches("a!=b", {{"a", "b"}}));
  EXPECT_TRUE(matches("a!=b", {}));
  EXPECT_TRUE(matches("spec.nodeName=", {}));
  EXPECT_TRUE(matches("a=b,c!=d", {{"a", "b"}}));
  EXPECT_FALSE(matches("a=b,c!=d", {{"a", "b"}, {"c", "d"}}));
  EXPECT_TRUE(matches(",a=b,,", {{"a", "b"}}));
  EXPECT_TRUE(matches("a=b\\,c\\=d\\\\", {{"a", "b,c=d\\"}}));
}

TEST(FieldSelector, M68_ParseErrors) {
  EXPECT_EQ(error_of("x"), "invalid selector: 'x'; can't understand 'x'");
  EXPECT_EQ(error_of("a=b,x"), "invalid selector: 'a=b,x'; can't understand 'x'");
  EXPECT_EQ(error_of("a=b=c"), "invalid field selector: unescaped character in value: 61");
  EXPECT_EQ(error_of("a=\\x"), "invalid field selector: invalid escape sequence: \\x");
  EXPECT_EQ(error_of("a=b\\"), "invalid field selector: invalid escape sequence: \\");
}

TEST(FieldSelector, RequiredValue) {
  const auto selector = FieldSelector::parse("metadata.name=x,status.phase!=Failed");
  ASSERT_TRUE(selector);
  EXPECT_EQ(selector->required_value("metadata.name"), "x");
  EXPECT_EQ(selector->required_value("status.phase"), std::nullopt);
  EXPECT_EQ(selector->required_value("other"), std::nullopt);
  EXPECT_FALSE(selector->matches_everything());
  EXPECT_TRUE(FieldSelector().matches_everything());
}

RC_GTEST_PROP(FieldSelector, AnyValueSurvivesItsText, (const std::string& value, bool equal)) {
  std::string escaped;
  for (const char c : value) {
    escaped += c == '\\' || c == ',' || c == '=' ? std::string{'\\', c} : std::string{c};
  }
  const auto selector = FieldSelector::parse("f" + std::string(equal ? "=" : "!=") + escaped);
  RC_ASSERT(selector.has_value());
  RC_ASSERT(selector->requirements() == (std::vector<FieldRequirement>{{"f", equal, value}}));
  RC_ASSERT(bool{FieldSelector::parse(selector->text()) == selector});
}

}  // namespace
}  // namespace windlass::api
