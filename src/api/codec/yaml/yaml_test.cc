#include "api/codec/yaml/yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/json_writer.h"
#include "base/utf8.h"

namespace windlass::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string json_from_yaml(std::string_view yaml) {
  Result<std::vector<YamlDocument>> documents = parse_yaml(yaml);
  if (!documents) {
    return "error: " + documents.error().message;
  }
  std::string all;
  for (const YamlDocument& document : *documents) {
    all += (all.empty() ? "" : "\n") + document.json;
  }
  return all;
}

YamlDocument only(std::string_view yaml) {
  Result<std::vector<YamlDocument>> documents = parse_yaml(yaml);
  EXPECT_TRUE(documents.has_value()) << (documents ? "" : documents.error().message);
  EXPECT_EQ(documents->size(), 1U);
  return documents->front();
}

TEST(Yaml, BlocksBecomeJsonInOrder) {
  EXPECT_EQ(json_from_yaml("b: 1\na:\n- x\n- c: [1, {z: ~}]\n"),
            R"({"b":1,"a":["x",{"c":[1,{"z":null}]}]})");
  EXPECT_EQ(json_from_yaml("a: |\n  one\n  two\nb: >-\n  one\n  two\n"),
            R"({"a":"one\ntwo\n","b":"one two"})");
}

TEST(Yaml, QuotedScalarsAreStrings) {
  EXPECT_EQ(json_from_yaml("[\"1\", 'true', \"null\", 'yes', \"\"]"),
            R"(["1","true","null","yes",""])");
  EXPECT_EQ(json_from_yaml("[!!str 1, !!int '1', !!binary aGk=, !custom 1]"),
            R"(["1",1,"hi","1"])");
}

TEST(Yaml, KeysBecomeStrings) {
  EXPECT_EQ(json_from_yaml("1: a\ntrue: b\n1.5: c\n0x10: d\n'x': e\n"),
            R"({"1":"a","true":"b","1.5":"c","16":"d","x":"e"})");
  EXPECT_THAT(json_from_yaml("~: 1"), HasSubstr("only strings, booleans and numbers can be keys"));
  EXPECT_THAT(json_from_yaml("? [a]\n: 1"), HasSubstr("line 1, column 3"));
  EXPECT_THAT(json_from_yaml("? {a: 1}\n: 1"), HasSubstr("can be keys"));
}

TEST(Yaml, SeveralDocumentsAndEmptyOnes) {
  EXPECT_EQ(json_from_yaml("---\na: 1\n---\n# nothing\n---\nb: 2\n...\n"), "{\"a\":1}\n{\"b\":2}");
  EXPECT_EQ(json_from_yaml(""), "");
  EXPECT_EQ(json_from_yaml("# only a comment\n"), "");
  EXPECT_EQ(json_from_yaml("---\n---\n"), "");
  EXPECT_EQ(json_from_yaml("a: 1\n---\nb: 2\n"), "{\"a\":1}\n{\"b\":2}");
}

TEST(Yaml, ByteOrderMarkIsSkipped) {
  EXPECT_EQ(json_from_yaml("\xef\xbb\xbf"
                           "a: 1\n"),
            R"({"a":1})");
  EXPECT_EQ(json_from_yaml("\xef\xbb\xbf{\"a\":1}"), R"({"a":1})");
}

TEST(Yaml, AnchorsAliasesAndMergeKeysAsKubectlDoes) {
  EXPECT_EQ(json_from_yaml("a: &x {p: 1}\nb: *x\n"), R"({"a":{"p":1},"b":{"p":1}})");
  // Observed with kubectl: `<<` takes effect where it stands.
  EXPECT_EQ(json_from_yaml("b: &b {x: 1, z: 2}\nm: {<<: *b, z: 3}\n"),
            R"({"b":{"x":1,"z":2},"m":{"x":1,"z":3}})");
  EXPECT_EQ(json_from_yaml("b: &b {x: 1, z: 2}\nm: {z: 3, <<: *b}\n"),
            R"({"b":{"x":1,"z":2},"m":{"z":2,"x":1}})");
  EXPECT_EQ(json_from_yaml("b: &b {x: 1, z: 2}\nm: {<<: [{x: 9, w: 1}, *b]}\n"),
            R"({"b":{"x":1,"z":2},"m":{"x":9,"z":2,"w":1}})");
  EXPECT_EQ(json_from_yaml("a: {'<<': {x: 1}}"), R"({"a":{"\u003c\u003c":{"x":1}}})");
  EXPECT_THAT(json_from_yaml("a: {<<: 1}"),
              HasSubstr("map merge requires map or sequence of maps"));
  EXPECT_THAT(json_from_yaml("a: {<<: [1]}"),
              HasSubstr("map merge requires map or sequence of maps"));
  EXPECT_THAT(json_from_yaml("a: *x"),
              HasSubstr("line 1, column 4: unknown anchor 'x' referenced"));
  EXPECT_THAT(json_from_yaml("a: &x [*x]"), HasSubstr("anchor 'x' value contains itself"));
}

TEST(Yaml, DuplicateKeysByPathTheLastWins) {
  YamlDocument document = only("spec:\n  a: 1\n  b: [{c: 1, c: 2}]\n  a: 3\nspec2: 1\n");
  EXPECT_EQ(document.json, R"({"spec":{"a":3,"b":[{"c":2}]},"spec2":1})");
  EXPECT_THAT(document.duplicate_keys, ElementsAre("spec.a", "spec.b[0].c"));
  EXPECT_EQ(document.find("spec.a").line, 4U);
  // 1 and "1" are one key in JSON; a merged key is not a duplicate.
  EXPECT_THAT(only("1: a\n'1': b\n").duplicate_keys, ElementsAre("1"));
  EXPECT_THAT(only("b: &b {x: 1}\nm: {<<: *b, x: 2}\n").duplicate_keys, IsEmpty());
  EXPECT_THAT(only(R"({"a":1,"a":2})").duplicate_keys, ElementsAre("a"));
}

TEST(Yaml, ManyKeysAreStillUnique) {
  std::string yaml;
  for (int i = 0; i < 100; ++i) {
    yaml += "k" + std::to_string(i % 50) + ": " + std::to_string(i) + "\n";
  }
  YamlDocument document = only(yaml);
  EXPECT_EQ(document.duplicate_keys.size(), 50U);
  EXPECT_TRUE(document.json.starts_with(R"({"k0":50,"k1":51,)")) << document.json;
}

TEST(Yaml, Positions) {
  YamlDocument document = only(
      "# a Job\n"
      "kind: Job\n"
      "spec:\n"
      "  template:\n"
      "    spec:\n"
      "      containers:\n"
      "      - name: a\n"
      "      - {name: b, image: c}\n");
  EXPECT_EQ(document.start, (SourcePosition{2, 1}));
  EXPECT_EQ(document.find("kind"), (SourcePosition{2, 1}));
  EXPECT_EQ(document.find("spec.template.spec.containers"), (SourcePosition{6, 7}));
  EXPECT_EQ(document.find("spec.template.spec.containers[0]"), (SourcePosition{7, 9}));
  EXPECT_EQ(document.find("spec.template.spec.containers[1].image"), (SourcePosition{8, 19}));
  EXPECT_EQ(document.find("spec.backoffLimit"), (SourcePosition{3, 1}));
}

TEST(Yaml, PositionsOfJson) {
  YamlDocument document =
      only("{\n  \"kind\": \"Job\",\n  \"\xc3\xbc\": 1, \"spec\": {\"a\": [1,\n2]}\n}\n");
  EXPECT_EQ(document.json, "{\"kind\":\"Job\",\"\xc3\xbc\":1,\"spec\":{\"a\":[1,2]}}");
  EXPECT_EQ(document.find("kind"), (SourcePosition{2, 3}));
  EXPECT_EQ(document.find("spec"), (SourcePosition{3, 11}));
  EXPECT_EQ(document.find("spec.a[1]"), (SourcePosition{4, 1}));
}

TEST(Yaml, JsonKeepsItsNumbersAndStreams) {
  EXPECT_EQ(json_from_yaml(R"({"a":1.0,"b":1e3,"c":12345678901234567890123})"),
            R"({"a":1.0,"b":1e3,"c":12345678901234567890123})");
  EXPECT_EQ(json_from_yaml("{\"a\":1}\n{\"b\":2}"), "{\"a\":1}\n{\"b\":2}");
  EXPECT_EQ(json_from_yaml("{\"a\":1}\n---\n{\"b\":2}"), "{\"a\":1}\n{\"b\":2}");
  EXPECT_EQ(json_from_yaml("{a: 1.0}"), R"({"a":1})");  // YAML after all
  EXPECT_EQ(json_from_yaml(R"({"a":"\u00fc\ud83d\ude80<"})"),
            "{\"a\":\"\xc3\xbc\xf0\x9f\x9a\x80\\u003c\"}");
}

TEST(Yaml, SyntaxErrorsHaveLineAndColumn) {
  EXPECT_EQ(json_from_yaml("a: b: c\n"),
            "error: yaml: line 1, column 5: mapping values are not allowed in this context");
  EXPECT_THAT(json_from_yaml("a:\n\tb: 1\n"),
              HasSubstr("line 2, column 1: found character that cannot start"));
  EXPECT_THAT(json_from_yaml("a: [1, 2\nb: 3\n"), HasSubstr("line 2"));
  EXPECT_THAT(json_from_yaml("{\"a\": 1,, }"), HasSubstr("yaml: line 1, column"));
  EXPECT_THAT(json_from_yaml("a: \x01\n"),
              HasSubstr("line 1, column 4: control characters are not allowed"));
  EXPECT_THAT(json_from_yaml("a: .inf\n"),
              HasSubstr("line 1, column 4: `.inf` is a number that JSON"));
}

TEST(Yaml, BadInput_InvalidUtf8) {
  EXPECT_EQ(json_from_yaml("a: 1\nb: \xff\n"), "error: yaml: line 2, column 4: invalid UTF-8");
  EXPECT_EQ(json_from_yaml("\xff\xfe"
                           "a"),
            "error: yaml: line 1, column 1: invalid UTF-8");
}

TEST(Yaml, BadInput_AliasBomb) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    std::string previous = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 9; ++k) {
      bomb += previous + ", ";
    }
    bomb += previous + "]\n";
  }
  EXPECT_THAT(json_from_yaml(bomb), HasSubstr("document contains excessive aliasing"));
}

TEST(Yaml, BadInput_MergeBomb) {
  std::string bomb = "a0: &a0 {x: 1}\n";
  for (int i = 1; i < 30; ++i) {
    std::string previous = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + previous + ", " +
            previous + ", " + previous + "]}\n";
  }
  EXPECT_THAT(json_from_yaml(bomb), HasSubstr("document contains excessive aliasing"));
}

TEST(Yaml, BadInput_LongStringsThroughAliases) {
  std::string bomb = "a: &a \"" + std::string(1 << 20, 'x') + "\"\nb: [";
  for (int i = 0; i < 200; ++i) {
    bomb += "*a, ";
  }
  EXPECT_THAT(json_from_yaml(bomb + "*a]\n"), HasSubstr("document contains excessive aliasing"));
}

TEST(Yaml, BadInput_Depth) {
  EXPECT_THAT(json_from_yaml(std::string(100'000, '[')), HasSubstr("exceeded max depth"));
  std::string flow = "a: " + std::string(100'000, '[');
  EXPECT_THAT(json_from_yaml(flow), HasSubstr("nested deeper than 1000 levels"));
  std::string dashes;
  for (int i = 0; i < 2000; ++i) {
    dashes += "- ";
  }
  EXPECT_THAT(json_from_yaml(dashes + "x"), HasSubstr("nested deeper than 1000 levels"));
  std::string chain = "a0: &a0 [x]\n";
  for (int i = 1; i < 1100; ++i) {
    chain += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
             "]\n";
  }
  EXPECT_THAT(json_from_yaml(chain), HasSubstr("nested too deeply by its aliases"));
}

TEST(Yaml, BadInput_SizeAndNumberOfValues) {
  EXPECT_THAT(json_from_yaml(std::string(kMaxYamlBytes + 1, ' ')),
              HasSubstr("the limit is 16777216"));
  std::string many = "[";
  for (size_t i = 0; i < kMaxYamlValues + 1; ++i) {
    many += "1,";
  }
  EXPECT_THAT(json_from_yaml(many + "1]"), HasSubstr("more than 1000000 values"));
}

TEST(Yaml, BadInput_PathsDoNotAddUp) {
  // 900 levels of long keys: paths would take 400 MB, the tree takes what the document takes.
  std::string open;
  std::string key(1000, 'k');
  for (int i = 0; i < 900; ++i) {
    open += "{\"" + key + "\":";
  }
  YamlDocument document = only(open + "1" + std::string(900, '}'));
  EXPECT_EQ(document.find(key + "." + key).column, 2U + 2 * 1004U - 1004U);
}

TEST(JsonToYaml, BlockStyle) {
  EXPECT_EQ(
      json_to_yaml(R"({"a":{"b":[{"c":1,"d":[]},["x",[]],{}]},"e":{},"f":[1,[2,3]]})").value(),
      "a:\n"
      "  b:\n"
      "  - c: 1\n"
      "    d: []\n"
      "  - - x\n"
      "    - []\n"
      "  - {}\n"
      "e: {}\n"
      "f:\n"
      "- 1\n"
      "- - 2\n"
      "  - 3\n");
  EXPECT_EQ(json_to_yaml("\"x\"").value(), "x\n");
  EXPECT_EQ(json_to_yaml("null").value(), "null\n");
}

TEST(JsonToYaml, StringsThatWouldBeOtherTypesAreQuoted) {
  for (std::string_view text : {"true", "yes", "n", "~", "null", "1", "0x1", "1e3", ".5", "", "<<",
                                "2001-01-01", "12:30", ".inf", "=", "1_0"}) {
    std::string json;
    append_json_string(text, json);
    EXPECT_EQ(json_to_yaml(json).value(), "\"" + std::string(text) + "\"\n");
  }
}

TEST(JsonToYaml, StringsInTheirSimplestForm) {
  auto yaml = [](std::string_view text) {
    std::string json;
    append_json_string(text, json);
    return json_to_yaml("[" + json + "]").value();
  };
  EXPECT_EQ(yaml("hello world"), "- hello world\n");
  EXPECT_EQ(yaml("-c"), "- -c\n");
  EXPECT_EQ(yaml("1-7"), "- 1-7\n");
  EXPECT_EQ(yaml("a: b"), "- 'a: b'\n");
  EXPECT_EQ(yaml("it's #1"), "- 'it''s #1'\n");
  EXPECT_EQ(yaml("- x"), "- '- x'\n");
  EXPECT_EQ(yaml("[x]"), "- '[x]'\n");
  EXPECT_EQ(yaml(" x"), "- ' x'\n");
  EXPECT_EQ(yaml("a\tb"), "- \"a\\tb\"\n");
  EXPECT_EQ(yaml("\xe2\x80\xa8"), "- \"\\u2028\"\n");
  EXPECT_EQ(yaml("a\nb\n"), "- |\n  a\n  b\n");
  EXPECT_EQ(yaml("a\n\nb"), "- |-\n  a\n\n  b\n");
  EXPECT_EQ(yaml("a\n\n"), "- |+\n  a\n\n");
  EXPECT_EQ(yaml(" a\nb"), "- \" a\\nb\"\n");
  EXPECT_EQ(yaml("a \nb"), "- \"a \\nb\"\n");
}

TEST(JsonToYaml, RefusesWhatIsNotJson) {
  EXPECT_EQ(json_to_yaml("{").error().message, "unexpected end of JSON input");
  EXPECT_EQ(json_to_yaml("{} x").error().message, "invalid character 'x' after top-level value");
  EXPECT_FALSE(json_to_yaml(std::string(100'000, '[')).has_value());
}

void append_random_json(int depth, std::string& out) {
  int kind = *rc::gen::inRange(0, depth > 4 ? 4 : 6);
  if (kind == 0) {
    out += *rc::gen::element<std::string>("null", "true", "false");
  } else if (kind == 1) {
    out += std::to_string(*rc::gen::arbitrary<int64_t>());
  } else if (kind < 4) {
    std::string text;
    for (char32_t c : *rc::gen::container<std::vector<char32_t>>(rc::gen::oneOf(
             rc::gen::inRange<char32_t>(1, 128), rc::gen::inRange<char32_t>(1, 0xd800),
             rc::gen::element<char32_t>('\n', ' ', ':', '#', '-', '\t', 0x85, 0xfeff, 0x10000)))) {
      append_utf8(c, text);
    }
    append_json_string(text, out);
  } else {
    bool object = kind == 4;
    int count = *rc::gen::inRange(0, 4);
    out += object ? '{' : '[';
    for (int i = 0; i < count; ++i) {
      out += i == 0 ? "" : ",";
      if (object) {
        std::string key = *rc::gen::element<std::string>("a", "true", "1", "a b", "x: y", "<<", "");
        append_json_string(key + (i == 0 ? "" : "_" + std::to_string(i)), out);
        out += ':';
      }
      append_random_json(depth + 1, out);
    }
    out += object ? '}' : ']';
  }
}

RC_GTEST_PROP(JsonToYaml, ReadsBackAsTheSameJson, ()) {
  std::string json = "{\"root\":";
  append_random_json(0, json);
  json += '}';
  Result<std::string> yaml = json_to_yaml(json);
  RC_ASSERT(yaml.has_value());
  RC_LOG() << *yaml;
  Result<std::vector<YamlDocument>> documents = parse_yaml(*yaml);
  RC_ASSERT(documents.has_value());
  RC_ASSERT(documents->at(0).json == json);
}

TEST(JsonToYaml, IndentationIsBounded) {
  std::string items = "1";
  for (int i = 0; i < 20'000; ++i) {
    items += ",[1]";
  }
  std::string json = std::string(900, '[') + items + std::string(900, ']');
  EXPECT_THAT(json_to_yaml(json).error().message, HasSubstr("too large, or nested too deeply"));
}

TEST(JsonToYaml, LongKeys) {
  std::string json = "{\"" + std::string(3000, 'k') + "\":{\"a\":[1]}}";
  EXPECT_EQ(json_from_yaml(json_to_yaml(json).value()), json);
}

}  // namespace
}  // namespace windlass::api
