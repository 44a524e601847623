#include "node/images/registry_logins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace windlass::node {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> logins_for(const std::string& image, const std::string& config,
                                    const char* key = ".dockerconfigjson") {
  return registry_logins(*api::parse_image_name(image), {{{key, config}}});
}

TEST(RegistryLogins, AKeyNamesAHostItsPortAndTheBeginningOfAPath) {
  const auto matches = [](std::string_view key, const std::string& image) {
    return is_login_for(key, *api::parse_image_name(image));
  };
  EXPECT_TRUE(matches("registry.example", "registry.example/team/app:1"));
  EXPECT_TRUE(matches("https://registry.example/v2/", "registry.example/team/app:1"));
  EXPECT_TRUE(matches("registry.example/team", "registry.example/team/app:1"));
  EXPECT_FALSE(matches("registry.example/other", "registry.example/team/app:1"));
  EXPECT_TRUE(matches("*.example", "registry.example/app"));
  EXPECT_FALSE(matches("*.example", "a.registry.example/app")) << "a glob is one part of a name";
  EXPECT_FALSE(matches("registry.example", "registry.example:5000/app"));
  EXPECT_TRUE(matches("localhost:5000", "localhost:5000/app"));
  for (const char* hub : {"https://index.docker.io/v1/", "docker.io", "index.docker.io"}) {
    EXPECT_TRUE(matches(hub, "busybox")) << hub;
    EXPECT_TRUE(matches(hub, "team/app:1")) << hub;
    EXPECT_FALSE(matches(hub, "quay.io/team/app")) << hub;
  }
}

TEST(RegistryLogins, AreAuthFilesForTheRegistryOfTheImage) {
  EXPECT_THAT(logins_for("busybox", R"({"auths":{"https://index.docker.io/v1/":{"auth":"eA=="},
                                                 "quay.io":{"auth":"eQ=="}}})"),
              ElementsAre(R"({"auths":{"docker.io":{"auth":"eA=="}}})"));
  EXPECT_THAT(logins_for("r.example:5000/app", R"({"auths":{"r.example:5000":
                           {"username":"user","password":"secret"}}})"),
              ElementsAre(R"({"auths":{"r.example:5000":{"auth":"dXNlcjpzZWNyZXQ="}}})"));
  EXPECT_THAT(logins_for("r.example/app", R"({"r.example":{"auth":"eA=="}})", ".dockercfg"),
              ElementsAre(R"({"auths":{"r.example":{"auth":"eA=="}}})"));
}

TEST(RegistryLogins, TheLongestPathIsTriedFirst) {
  EXPECT_THAT(logins_for("r.example/team/app",
                         R"({"auths":{"r.example":{"auth":"eA=="},"r.example/team":{"auth":"eQ=="},
                                      "*.example":{"auth":"eA=="}}})"),
              ElementsAre(R"({"auths":{"r.example":{"auth":"eQ=="}}})",
                          R"({"auths":{"r.example":{"auth":"eA=="}}})"));
}

TEST(RegistryLogins, WhatIsMalformedIsLeftOut) {
  for (const char* config :
       {"", "x", "[]", R"({"auths":1})", R"({"auths":{"docker.io":1}})",
        R"({"auths":{"docker.io":{}}})", R"({"auths":{"":{"auth":"eA=="}}})"}) {
    EXPECT_THAT(logins_for("busybox", config), IsEmpty()) << config;
  }
  EXPECT_THAT(logins_for("busybox", R"({"auths":{"docker.io":{"auth":"eA=="}}})", "other"),
              IsEmpty());
}

}  // namespace
}  // namespace windlass::node
