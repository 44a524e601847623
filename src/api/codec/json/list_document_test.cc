#include "api/codec/json/list_document.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

std::vector<YamlDocument> parse_and_split(std::string_view text) {
  auto documents = parse_yaml(text);
  EXPECT_TRUE(documents.has_value());
  EXPECT_EQ(documents->size(), 1u);
  return split_list(std::move(documents->front()));
}

TEST(ListDocument, SplitsAListAndKeepsPositions) {
  const auto items = parse_and_split(
      "apiVersion: v1\n"
      "kind: List\n"
      "items:\n"
      "- kind: Job\n"
      "  metadata: {name: a}\n"
      "- kind: Job\n"
      "  metadata:\n"
      "    name: b\n"
      "    name: c\n");
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].json, R"({"kind":"Job","metadata":{"name":"a"}})");
  EXPECT_EQ(items[0].find("metadata.name").line, 5u);
  EXPECT_EQ(items[1].find("metadata").line, 7u);
  EXPECT_EQ(items[1].start.line, 6u);
  EXPECT_EQ(items[1].duplicate_keys, std::vector<std::string>{"metadata.name"});
  EXPECT_TRUE(items[0].duplicate_keys.empty());
}

TEST(ListDocument, LeavesOtherDocumentsAlone) {
  const auto items = parse_and_split("kind: Job\nitems: [1]\n");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].json, R"({"kind":"Job","items":[1]})");
  EXPECT_EQ(parse_and_split("kind: List\n").size(), 1u);
  EXPECT_TRUE(parse_and_split("{kind: List, items: []}").empty());
}

}  // namespace
}  // namespace windlass::api
