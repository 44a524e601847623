#include "node/images/image_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "virtual_world/virtual_files.h"

namespace windlass::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

api::ImageName name(const char* text) {
  return *api::parse_image_name(text);
}

TEST(ImageStore, AnImageIsKnownWhenItIsFinished) {
  virtual_world::VirtualFiles files;
  ImageStore store(files, "/images");
  const auto root = store.begin(name("reg:5000/tools/a:1"));
  EXPECT_EQ(root.value_or(""), "/images/reg%3A5000%2Ftools%2Fa%3A1/root");
  EXPECT_FALSE(store.find(name("reg:5000/tools/a:1")));
  EXPECT_THAT(store.list(), IsEmpty());
  ASSERT_TRUE(store.finish(name("reg:5000/tools/a:1"), *root));
  EXPECT_EQ(store.find(name("reg:5000/tools/a:1")), (StoredImage{"reg:5000/tools/a:1", *root}));
  EXPECT_FALSE(store.find(name("reg:5000/tools/a:2")));
  EXPECT_FALSE(store.find(name("reg:5000/tools/a")));
}

TEST(ImageStore, TheMostExactNameWins) {
  virtual_world::VirtualFiles files;
  ImageStore store(files, "/images");
  for (const char* each : {"a", "a:2"}) {
    ASSERT_TRUE(store.begin(name(each)));
    ASSERT_TRUE(store.finish(name(each), std::string("/roots/") + each));
  }
  EXPECT_EQ(store.find(name("a"))->root, "/roots/a");
  EXPECT_EQ(store.find(name("docker.io/library/a:1"))->root, "/roots/a");
  EXPECT_EQ(store.find(name("a:2"))->root, "/roots/a:2");
  EXPECT_THAT(store.list(),
              ElementsAre(StoredImage{"a", "/roots/a"}, StoredImage{"a:2", "/roots/a:2"}));
}

TEST(ImageStore, NothingIsReplacedUnasked) {
  virtual_world::VirtualFiles files;
  ImageStore store(files, "/images");
  ASSERT_TRUE(store.begin(name("a")));
  ASSERT_TRUE(store.finish(name("a"), "/roots/a"));
  EXPECT_EQ(store.begin(name("a")).error().message,
            "image \"a\" is there already; remove it first");
  ASSERT_TRUE(store.remove(name("a")));
  EXPECT_EQ(store.remove(name("a")).error().message, "there is no image \"a\"");
  EXPECT_FALSE(files.type("/images/a").has_value());
  EXPECT_TRUE(store.begin(name("a")));
}

TEST(ImageStore, WhatWasNotFinishedIsBegunAnew) {
  virtual_world::VirtualFiles files;
  ImageStore store(files, "/images");
  const auto root = store.begin(name("a"));
  files.put(*root + "/bin/half", "x");
  ASSERT_TRUE(store.begin(name("a")));
  EXPECT_FALSE(files.type(*root).has_value());
  files.put("/images/b/image", "/roots/b");  // a line that was not written to its end
  EXPECT_FALSE(store.find(name("b")));
}

}  // namespace
}  // namespace windlass::node
