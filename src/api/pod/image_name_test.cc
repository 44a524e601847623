#include "api/pod/image_name.h"

#include <gtest/gtest.h>

namespace windlass::api {
namespace {

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

}  // namespace
}  // namespace windlass::api
