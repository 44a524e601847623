#include "http/target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Target, SegmentsAndParametersAreDecodedOnce) {
  const auto target = parse_target("/api/v1/namespaces/a%2Db/pods/x%2525?limit=5&a=b+c%2B&flag");
  ASSERT_TRUE(target.has_value()) << target.error().message;
  EXPECT_EQ(target->path, "/api/v1/namespaces/a%2Db/pods/x%2525");
  EXPECT_THAT(target->segments, ElementsAre("api", "v1", "namespaces", "a-b", "pods", "x%25"));
  EXPECT_THAT(target->parameters,
              ElementsAre(Parameter{"limit", "5"}, Parameter{"a", "b c+"}, Parameter{"flag", ""}));
}

TEST(Target, TheRootHasNoSegmentsAndOneSlashAtTheEndIsDropped) {
  EXPECT_THAT(parse_target("/")->segments, IsEmpty());
  EXPECT_THAT(parse_target("/?a=b")->segments, IsEmpty());
  EXPECT_THAT(parse_target("/api/")->segments, ElementsAre("api"));
}

TEST(Target, WhatCouldBeReadInTwoWaysIsRefused) {
  for (const char* bad : {"", "api", "http://host/api", "*", "/a//b", "//", "/a//", "/a/./b",
                          "/a/../b", "/a/%2e%2e/b", "/a/%2E", "/a%2Fb", "/a%00b", "/a%0Ab", "/a%",
                          "/a%2", "/a%zz", "/a?x=%", "/a?%g0=1"}) {
    const auto target = parse_target(bad);
    ASSERT_FALSE(target.has_value()) << bad;
    EXPECT_EQ(target.error().code, 400) << bad;
  }
}

TEST(Target, SegmentsAndParametersAreLimited) {
  std::string path;
  std::string query = "?";
  for (size_t i = 0; i < kMaxPathSegments; ++i) {
    path += "/a";
  }
  for (size_t i = 0; i < kMaxQueryParameters; ++i) {
    query += "a=b&";
  }
  EXPECT_TRUE(parse_target(path + query).has_value());
  EXPECT_FALSE(parse_target(path + "/a").has_value());
  EXPECT_FALSE(parse_target("/" + query + "a").has_value());
}

TEST(Target, TheFirstParameterOfANameCounts) {
  const auto target = parse_target("/a?x=1&x=2&empty=");
  EXPECT_EQ(target->parameter("x"), "1");
  EXPECT_EQ(target->parameter("empty"), "");
  EXPECT_EQ(target->parameter("y"), std::nullopt);
}

TEST(Target, ASwitchIsOffOnlyWhenItSaysSo) {
  EXPECT_TRUE(parse_target("/a?watch=true")->flag("watch"));
  EXPECT_TRUE(parse_target("/a?watch=1")->flag("watch"));
  EXPECT_TRUE(parse_target("/a?watch")->flag("watch"));
  EXPECT_FALSE(parse_target("/a?watch=false")->flag("watch"));
  EXPECT_FALSE(parse_target("/a?watch=FALSE")->flag("watch"));
  EXPECT_FALSE(parse_target("/a?watch=0")->flag("watch"));
  EXPECT_FALSE(parse_target("/a")->flag("watch"));
}

}  // namespace
}  // namespace windlass::http
