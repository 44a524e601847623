#include "node/images/image_defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "images/catalog/catalog_testing.h"

namespace windlass::node {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

class ImageDefaultsTest : public ::testing::Test {
 protected:
  ImageDefaultsTest() {
    image.id = "1";
    image.root = "/roots/1";
    image.has_config = true;
    files.put("/images/images/1/passwd", "root:x:0:0:root:/root:/bin/sh\napp:x:10:20::/srv/app:\n");
    files.put("/images/images/1/group", "app:x:20:\nvideo:x:44:app\n");
  }
  Result<ContainerSpecView> apply() {
    defaults = image_defaults(image);
    return with_image(container, images::ImageCatalog(files, "/images"), image, defaults);
  }

  virtual_world::VirtualFiles files;
  images::ImageRecord image;
  ContainerSpecView container;
  ImageDefaults defaults;
};

TEST_F(ImageDefaultsTest, AnImageThatSaysNothingChangesNothing) {
  const auto view = apply();
  ASSERT_TRUE(view);
  EXPECT_FALSE(view->identity.user);
  EXPECT_EQ(view->working_dir, "");
  EXPECT_THAT(defaults.environment, ElementsAre("HOME=/root"));
  EXPECT_EQ(defaults.stop_signal, 0);
}

TEST_F(ImageDefaultsTest, NamesAreThoseOfTheImage) {
  image.config.user = "app";
  image.config.working_directory = "/work";
  image.config.stop_signal = "SIGINT";
  const auto view = apply();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->identity.user, 10u);
  EXPECT_EQ(view->identity.group, 20u);
  EXPECT_THAT(view->identity.more_groups, ElementsAre(44u));
  EXPECT_EQ(view->working_dir, "/work");
  EXPECT_EQ(defaults.stop_signal, SIGINT);
  EXPECT_FALSE(defaults.user_number());
  EXPECT_THAT(defaults.environment, Contains("HOME=/srv/app"));
}

TEST_F(ImageDefaultsTest, ThePodDecides) {
  image.config.user = "app:video";
  image.config.working_directory = "/work";
  image.config.environment = {"HOME=/elsewhere", "broken", "=x"};
  container.identity.user = 77;
  container.identity.group = 5;
  container.identity.more_groups = {9};
  container.working_dir = "/own";
  const auto view = apply();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->identity.user, 77u);
  EXPECT_EQ(view->identity.group, 5u);
  EXPECT_THAT(view->identity.more_groups, ElementsAre(9u));
  EXPECT_EQ(view->working_dir, "/own");
  EXPECT_THAT(defaults.environment, ElementsAre("HOME=/elsewhere"));
}

TEST_F(ImageDefaultsTest, AUserWithoutAnEntryIsAnError) {
  image.config.user = "ghost";
  EXPECT_EQ(apply().error().message,
            "unable to find user ghost: no matching entries in passwd file");
}

}  // namespace
}  // namespace windlass::node
