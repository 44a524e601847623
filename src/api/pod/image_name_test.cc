#include "api/pod/image_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::api {
namespace {

using ::testing::ElementsAre;

TEST(ImageName, P12_Tag) {
  struct Case {
    const char* image;
    const char* tag;
  };
  const Case cases[] = {
      {"busybox", "latest"},
      {"busybox:latest", "latest"},
      {"busybox:1.36", "1.36"},
      {"reg:5000/a", "latest"},
      {"reg:5000/a:v1", "v1"},
      {"example.com/a/b_c", "latest"},
      {"localhost/a", "latest"},
      {"a@sha256:0123456789012345678901234567890123456789012345678901234567890123", ""},
      {"a:latest@sha256:0123456789012345678901234567890123456789012345678901234567890123",
       "latest"},
      // Not names of images: no tag, so that they are not pulled at every start.
      {"", ""},
      {"a:", ""},
      {"Busybox", ""},
      {"a b", ""},
      {"a//b", ""},
      {"/a", ""},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(image_tag(c.image), c.tag) << c.image;
  }
}

TEST(ImageName, ItsParts) {
  const std::string digest = "sha256:" + std::string(64, 'a');
  struct Case {
    std::string text;
    ImageName want;
  };
  const Case cases[] = {
      {"busybox", {"busybox", "", ""}},
      {"busybox:1.36", {"busybox", "1.36", ""}},
      {"docker.io/library/busybox:1.36", {"busybox", "1.36", ""}},
      {"docker.io/me/tool", {"me/tool", "", ""}},
      {"reg:5000/a", {"reg:5000/a", "", ""}},
      {"reg:5000/a:v1", {"reg:5000/a", "v1", ""}},
      {"localhost/a__b/c-d.e", {"localhost/a__b/c-d.e", "", ""}},
      {"registry.k8s.io/e2e-test-images/busybox:1.37.0-2",
       {"registry.k8s.io/e2e-test-images/busybox", "1.37.0-2", ""}},
      {"busybox:1@" + digest, {"busybox", "1", digest}},
  };
  for (const Case& c : cases) {
    const auto parsed = parse_image_name(c.text);
    ASSERT_TRUE(parsed) << c.text;
    EXPECT_EQ(*parsed, c.want) << c.text;
  }
}

TEST(ImageName, K18_WhatIsNoName) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "invalid reference format"},
      {"a b", "invalid reference format"},
      {"busybox:", "invalid reference format"},
      {"busybox:-x", "invalid reference format"},
      {"a//b", "invalid reference format"},
      {"a/", "invalid reference format"},
      {"-a", "invalid reference format"},
      {"a..b", "invalid reference format"},
      {"a___b", "invalid reference format"},
      {"reg:port/a", "invalid reference format"},
      {"a@sha256:xyz", "invalid reference format"},
      {"Bad Name", "invalid reference format"},
      {"me/BusyBox", "invalid reference format: repository name (me/BusyBox) must be lowercase"},
  };
  for (const auto& [text, why] : cases) {
    const auto parsed = parse_image_name(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().message, why) << text;
  }
}

TEST(ImageName, ANameWithoutATagStandsForAllTags) {
  EXPECT_THAT(known_names(*parse_image_name("a:1")), ElementsAre("a:1", "a"));
  EXPECT_THAT(known_names(*parse_image_name("a")), ElementsAre("a:latest", "a"));
  const std::string digest = "@sha256:" + std::string(64, 'a');
  EXPECT_THAT(known_names(*parse_image_name("a" + digest)), ElementsAre("a"));
}

TEST(ImageName, E72_PauseOfAnyRegistry) {
  EXPECT_TRUE(is_pause_image("pause"));
  EXPECT_TRUE(is_pause_image("registry.k8s.io/pause:3.10"));
  EXPECT_FALSE(is_pause_image("registry.k8s.io/pause-more:3.10"));
  EXPECT_FALSE(is_pause_image("pause/busybox"));
}

}  // namespace
}  // namespace windlass::api
