#include "api/codec/json/source_map.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

// spec: {containers: [{image: _}]}, metadata: {labels: {a.b/c: _, a: {b: _}}}
SourceMap sample() {
  SourceMap::Builder builder({1, 1});
  builder.enter_key("spec", {2, 1});
  builder.enter_key("containers", {3, 3});
  builder.enter_item(0, {4, 5});
  builder.enter_key("image", {5, 7});
  builder.leave();
  builder.leave();
  builder.leave();
  builder.leave();
  builder.enter_key("metadata", {6, 1});
  builder.enter_key("labels", {7, 3});
  builder.enter_key("a.b/c", {8, 5});
  builder.leave();
  builder.enter_key("a", {9, 5});
  builder.enter_key("b", {10, 7});
  return std::move(builder).build();
}

TEST(SourceMap, FindsPaths) {
  SourceMap map = sample();
  EXPECT_EQ(map.find(""), (SourcePosition{1, 1}));
  EXPECT_EQ(map.find("spec"), (SourcePosition{2, 1}));
  EXPECT_EQ(map.find("spec.containers[0]"), (SourcePosition{4, 5}));
  EXPECT_EQ(map.find("spec.containers[0].image"), (SourcePosition{5, 7}));
}

TEST(SourceMap, KeysWithDotsInBothForms) {
  SourceMap map = sample();
  EXPECT_EQ(map.find("metadata.labels.a.b/c"), (SourcePosition{8, 5}));
  EXPECT_EQ(map.find("metadata.labels[a.b/c]"), (SourcePosition{8, 5}));
  EXPECT_EQ(map.find("metadata.labels.a.b"), (SourcePosition{10, 7}));
}

TEST(SourceMap, WhatIsNotThereIsAtItsNearestParent) {
  SourceMap map = sample();
  EXPECT_EQ(map.find("status.active"), (SourcePosition{1, 1}));
  EXPECT_EQ(map.find("spec.containers[7].name"), (SourcePosition{3, 3}));
  EXPECT_EQ(map.find("spec.containersX"), (SourcePosition{2, 1}));
  EXPECT_EQ(map.find("spec.containers[0].name"), (SourcePosition{4, 5}));
  EXPECT_EQ(map.find("spec.containers[x"), (SourcePosition{3, 3}));
  EXPECT_EQ(SourceMap().find("spec"), (SourcePosition{0, 0}));
}

TEST(SourceMap, Under) {
  SourceMap below = sample().under("spec.containers[0]");
  EXPECT_EQ(below.find(""), (SourcePosition{4, 5}));
  EXPECT_EQ(below.find("image"), (SourcePosition{5, 7}));
  EXPECT_EQ(below.find("metadata"), (SourcePosition{4, 5}));
}

}  // namespace
}  // namespace windlass::api
