#include "api/select/label_selector.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "api/pod/pod_testing.h"
#include "schema/meta/v1/selector.pb.h"

namespace windlass::api {
namespace {

using ::testing::ElementsAre;
using testing::error_texts;
using testing::from_yaml;
using ::testing::IsEmpty;

using Labels = std::map<std::string, std::string>;

LabelSelector parsed(std::string_view text) {
  const auto selector = LabelSelector::parse(text);
  EXPECT_TRUE(selector) << text << ": " << selector.error().message;
  return selector.value_or(LabelSelector::nothing());
}

std::string selector_error(std::string_view text) {
  const auto selector = LabelSelector::parse(text);
  EXPECT_FALSE(selector) << text;
  if (selector) {
    return "";
  }
  EXPECT_EQ(selector.error().code, 400);
  return selector.error().message;
}

TEST(LabelSelector, M68_Matching) {
  struct Case {
    const char* selector;
    Labels labels;
    bool matches;
  };
  const Case cases[] = {
      {"", {}, true},
      {"a=b", {{"a", "b"}}, true},
      {"a==b", {{"a", "b"}}, true},
      {"a=b", {{"a", "c"}}, false},
      {"a=b", {}, false},
      {"a=", {{"a", ""}}, true},
      {"a!=b", {{"a", "c"}}, true},
      {"a!=b", {{"a", "b"}}, false},
      {"a!=b", {}, true},
      {"a in (b,c)", {{"a", "c"}}, true},
      {"a in (b,c)", {{"a", "d"}}, false},
      {"a in (b,c)", {}, false},
      {"a in ()", {{"a", ""}}, true},
      {"a notin (b,c)", {{"a", "d"}}, true},
      {"a notin (b,c)", {{"a", "b"}}, false},
      {"a notin (b)", {}, true},
      {"a", {{"a", "x"}}, true},
      {"a", {}, false},
      {"!a", {}, true},
      {"!a", {{"a", "x"}}, false},
      {"a>1", {{"a", "2"}}, true},
      {"a>1", {{"a", "1"}}, false},
      {"a<1", {{"a", "-5"}}, true},
      {"a<1", {{"a", "x"}}, false},
      {"a<1", {}, false},
      {"a=b,c", {{"a", "b"}, {"c", ""}}, true},
      {"a=b,c", {{"a", "b"}}, false},
      {" a = b , ! c ", {{"a", "b"}}, true},
      {"in in (in)", {{"in", "in"}}, true},
      {"example.com/a=b", {{"example.com/a", "b"}}, true},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(parsed(c.selector).matches(c.labels), c.matches) << c.selector;
  }
}

TEST(LabelSelector, M68_ParseErrors) {
  EXPECT_EQ(selector_error("a=b c"), "found 'c', expected: ',' or 'end of string'");
  EXPECT_EQ(selector_error("a in b"), "unable to parse requirement: found 'b' expected: '('");
  EXPECT_EQ(selector_error("a=$"),
            "unable to parse requirement: values[0][a]: Invalid value: \"$\": a valid label must "
            "be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
            "'12345', regex used for validation is "
            "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')");
  EXPECT_EQ(selector_error("a,"), "found '', expected: identifier after ','");
  EXPECT_EQ(selector_error(",a"), "found ',', expected: !, identifier, or 'end of string'");
  EXPECT_EQ(selector_error("!"), "unable to parse requirement: found '', expected: identifier");
  EXPECT_EQ(selector_error("!a=b"), "found '=', expected: ',' or 'end of string'");
  EXPECT_EQ(selector_error("a ! b"),
            "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt");
  EXPECT_EQ(selector_error("a=("), "unable to parse requirement: found '(', expected: identifier");
  EXPECT_EQ(selector_error("a in (b c)"),
            "unable to parse requirement: found 'c', expected: ',' or ')'");
  EXPECT_EQ(selector_error("a in (b"),
            "unable to parse requirement: found '', expected: ',' or ')'");
  EXPECT_EQ(selector_error("a in (b,"),
            "unable to parse requirement: found '', expected: ',', or identifier");
  EXPECT_EQ(selector_error("a in (="),
            "unable to parse requirement: found '=', expected: ',', ')' or identifier");
  EXPECT_EQ(selector_error("a>x"),
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
            "operators, the value must be an integer");
  EXPECT_TRUE(selector_error("-a=b").starts_with(
      "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist"));
  EXPECT_TRUE(
      selector_error("a in ($,&)").starts_with("unable to parse requirement: [values[0][a]: "));
}

TEST(LabelSelector, TextHasRequirementsInOrder) {
  EXPECT_EQ(parsed("c notin (z,y), a == b, !d,b>1,e in (,x)").text(),
            "a==b,b>1,c notin (y,z),!d,e in (,x)");
  EXPECT_EQ(parsed("").text(), "");
  EXPECT_TRUE(parsed("").matches_everything());
  EXPECT_FALSE(LabelSelector::nothing().matches_everything());
  EXPECT_FALSE(LabelSelector::nothing().matches(Labels{}));
}

std::string short_word() {
  return (*rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab1")))).substr(0, 20);
}

RC_GTEST_PROP(LabelSelector, TextParsesToTheSameSelector, ()) {
  const int requirements = *rc::gen::inRange(0, 4);
  std::string text;
  for (int i = 0; i < requirements; ++i) {
    const std::string key = "k" + short_word();
    const std::string op =
        *rc::gen::element<std::string>("=", "==", "!=", " in (,", " notin (b,", "", ">");
    const std::string value = op == ">" ? "1" : op.empty() ? "" : short_word();
    text += (text.empty() ? "" : ",") + key + op + value + (op.size() > 3 ? ")" : "");
  }
  const auto selector = LabelSelector::parse(text);
  RC_ASSERT(selector.has_value());
  RC_ASSERT(bool{LabelSelector::parse(selector->text()) == selector});
}

TEST(LabelSelector, N52_MessageNullSelectsNothingAndEmptyEverything) {
  const meta::v1::LabelSelector empty;
  EXPECT_TRUE(LabelSelector::from_message(&empty)->matches(Labels{}));
  EXPECT_FALSE(LabelSelector::from_message(nullptr)->matches(Labels{}));
}

TEST(LabelSelector, FromMessage) {
  const auto message = from_yaml<meta::v1::LabelSelector>(
      "{matchLabels: {a: b}, matchExpressions: ["
      "{key: c, operator: In, values: [v, w]}, {key: d, operator: NotIn, values: [z]},"
      "{key: e, operator: Exists}, {key: f, operator: DoesNotExist}]}");
  const auto selector = LabelSelector::from_message(&message);
  ASSERT_TRUE(selector);
  EXPECT_EQ(selector->text(), "a=b,c in (v,w),d notin (z),e,!f");
  EXPECT_TRUE(selector->matches(Labels{{"a", "b"}, {"c", "w"}, {"e", ""}}));
  EXPECT_FALSE(selector->matches(Labels{{"a", "b"}, {"c", "w"}, {"e", ""}, {"f", ""}}));
}

TEST(LabelSelector, J91_MessagesThatCannotBeParsed) {
  for (const char* bad : {
           "{matchExpressions: [{key: a, operator: Near}]}",
           "{matchExpressions: [{key: a, operator: In}]}",
           "{matchExpressions: [{key: a, operator: Exists, values: [b]}]}",
           "{matchLabels: {a: $}}",
           "{matchLabels: {-a: b}}",
       }) {
    const auto message = from_yaml<meta::v1::LabelSelector>(bad);
    EXPECT_FALSE(LabelSelector::from_message(&message)) << bad;
  }
}

std::vector<std::string> validation_errors(std::string_view yaml) {
  FieldErrors errors;
  validate_label_selector(errors, FieldPath("spec").child("selector"),
                          from_yaml<meta::v1::LabelSelector>(yaml));
  return error_texts(errors);
}

TEST(LabelSelectorValidation, J90_AcceptsGoodOnes) {
  EXPECT_THAT(validation_errors("{}"), IsEmpty());
  EXPECT_THAT(validation_errors("{matchLabels: {a: b}, matchExpressions: [{key: c, operator: In, "
                                "values: [d]}, {key: e, operator: Exists}]}"),
              IsEmpty());
}

TEST(LabelSelectorValidation, J90_ReportsEachPart) {
  EXPECT_THAT(
      validation_errors("{matchExpressions: [{key: a, operator: In}, {key: a, operator: NotIn}]}"),
      ElementsAre("spec.selector.matchExpressions[0].values: Required value: must be specified "
                  "when `operator` is 'In' or 'NotIn'",
                  "spec.selector.matchExpressions[1].values: Required value: must be specified "
                  "when `operator` is 'In' or 'NotIn'"));
  EXPECT_THAT(validation_errors("{matchExpressions: [{key: a, operator: Exists, values: [b]}]}"),
              ElementsAre("spec.selector.matchExpressions[0].values: Forbidden: may not be "
                          "specified when `operator` is 'Exists' or 'DoesNotExist'"));
  EXPECT_THAT(validation_errors("{matchExpressions: [{key: a, operator: Near}]}"),
              ElementsAre("spec.selector.matchExpressions[0].operator: Invalid value: \"Near\": "
                          "not a valid selector operator"));
  const auto bad_value =
      validation_errors("{matchExpressions: [{key: a, operator: In, values: [b, $]}]}");
  ASSERT_EQ(bad_value.size(), 1U);
  EXPECT_TRUE(bad_value[0].starts_with(
      "spec.selector.matchExpressions[0].values[1]: Invalid value: \"$\": a valid label must be"));
  const auto bad_label = validation_errors("{matchLabels: {b: $, -a: c}}");
  ASSERT_EQ(bad_label.size(), 2U);
  EXPECT_TRUE(bad_label[0].starts_with("spec.selector.matchLabels: Invalid value: \"-a\": name"));
  EXPECT_TRUE(bad_label[1].starts_with("spec.selector.matchLabels: Invalid value: \"$\": a valid"));
}

TEST(LabelSelector, ValuesOfAMessageMayComeInAnyOrder) {
  meta::v1::LabelSelector message;
  auto& expression = *message.add_match_expressions();
  expression.set_key("k");
  expression.set_operator_("In");
  for (const char* value : {"c", "a", "b", "a"}) {
    expression.add_values(value);
  }
  const auto selector = LabelSelector::from_message(&message);
  ASSERT_TRUE(selector.has_value());
  for (const char* value : {"a", "b", "c"}) {
    EXPECT_TRUE(selector->matches(std::map<std::string, std::string>{{"k", value}})) << value;
  }
  EXPECT_FALSE(selector->matches(std::map<std::string, std::string>{{"k", "d"}}));
}

// Bounds the time that one object takes: by its labels, not by the requirements.
TEST(LabelSelector, ManyRequirementsMatchAsFewDo) {
  const std::map<std::string, std::string> labels = {{"a", "1"}, {"b", "x"}, {"n", "7"}};
  std::string many;
  for (int i = 0; i < 30'000; ++i) {
    many += "!k" + std::to_string(i) + ",b!=" + std::to_string(i) + ",";
  }
  for (const char* few : {"a=1",
                          "a=2",
                          "a in (1,2),a in (1,3)",
                          "a in (1,2),a in (2,3)",
                          "a",
                          "c",
                          "!a",
                          "!c",
                          "b!=x",
                          "b notin (y,z)",
                          "n>3,n>5",
                          "n>3,n>7",
                          "n>7,n>3",
                          "n<9,n<8",
                          "n<8,n<7",
                          "n<7,n<8",
                          "b>1",
                          "c notin (a)",
                          "c=1",
                          "a,b,n",
                          "a,b,n,c"}) {
    const auto plain = LabelSelector::parse(few);
    const auto indexed = LabelSelector::parse(many + few);
    ASSERT_TRUE(plain && indexed) << few;
    EXPECT_EQ(indexed->matches(labels), plain->matches(labels)) << few;
  }
  const auto selector = LabelSelector::parse(many + "a=1");
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(selector->matches(labels)) << "6 billion look-ups, one by one";
  }
}

}  // namespace
}  // namespace windlass::api
