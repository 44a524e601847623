#include "images/catalog/catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "images/catalog/catalog_testing.h"
#include "images/catalog/image_manifest.h"
#include "virtual_world/virtual_files.h"

namespace windlass::images {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kDigestA = "sha256:" + std::string(64, 'a');
const std::string kDigestB = "sha256:" + std::string(64, 'b');

api::ImageName name(std::string_view text) {
  return *api::parse_image_name(text);
}

TEST(ImageCatalog, TheMostExactNameWins) {
  virtual_world::VirtualFiles files;
  const ImageCatalog catalog(files, "/images");
  EXPECT_FALSE(catalog.find(name("a")));
  EXPECT_THAT(catalog.list(), IsEmpty());
  put_image(files, "/images", "a", {.id = "1", .root = "/roots/a"});
  put_image(files, "/images", "a:2", {.id = "2", .root = "/roots/a:2"});
  EXPECT_EQ(catalog.find(name("a"))->image.root, "/roots/a");
  EXPECT_EQ(catalog.find(name("docker.io/library/a:1"))->image.root, "/roots/a");
  EXPECT_EQ(catalog.find(name("a:2"))->image.root, "/roots/a:2");
  ASSERT_EQ(catalog.list().size(), 2u);
  EXPECT_EQ(catalog.list()[1].name, "a:2");
  EXPECT_EQ(catalog.list()[1].status_id(), "sha256:2");
}

TEST(ImageCatalog, ADigestDecides) {
  virtual_world::VirtualFiles files;
  const ImageCatalog catalog(files, "/images");
  put_image(files, "/images", "a:1", {.id = "1", .root = "/roots/1"});
  put_image(files, "/images", "a@" + kDigestB, {.id = "2", .root = "/roots/2"}, kDigestB);
  EXPECT_EQ(catalog.find(name("a:1@" + kDigestB))->image.root, "/roots/2");
  EXPECT_EQ(catalog.find(name("a@" + kDigestB))->status_id(), "a@" + kDigestB);
  EXPECT_FALSE(catalog.find(name("a:1@" + kDigestA)));
}

TEST(ImageCatalog, WhatIsNotWholeIsNotThere) {
  virtual_world::VirtualFiles files;
  const ImageCatalog catalog(files, "/images");
  put_image(files, "/images", "a:1", {.id = "1", .root = "/r"});
  files.put(catalog.name_path("b"), "1");  // a line that was not written to its end
  files.put(catalog.name_path("c"), "2\n\n");
  files.put(catalog.image_path("3") + "/record", "{\"id\":");
  files.put(catalog.name_path("d"), "3\n\n");
  for (const char* each : {"b", "c", "d"}) {
    EXPECT_FALSE(catalog.find(name(each))) << each;
  }
  EXPECT_EQ(catalog.list().size(), 1u);
}

TEST(ImageCatalog, ARecordIsReadAsItWasWritten) {
  const ImageRecord record{"1",
                           "/r",
                           7,
                           true,
                           true,
                           {{"/bin/tool", "run"},
                            {"--all"},
                            {"A=b"},
                            "me:us",
                            "/work",
                            "SIGINT",
                            {"/data"},
                            {kDigestA},
                            "linux",
                            "amd64"}};
  const auto read = read_stored_record(stored_record(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, record);
}

TEST(ImageConfig, IsReadFromTheImagesOwnForm) {
  const auto config = read_image_config(
      R"({"os":"linux","architecture":"arm64","config":{"Entrypoint":["/e"],"Cmd":["a","b"],
          "Env":["PATH=/bin"],"User":"1000:50","WorkingDir":"/w","StopSignal":"SIGQUIT",
          "Volumes":{"/v":{}}},"rootfs":{"type":"layers","diff_ids":[")" +
      kDigestA + R"("]},"history":[{"created_by":"x"}]})");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(*config, (ImageConfig{{"/e"},
                                  {"a", "b"},
                                  {"PATH=/bin"},
                                  "1000:50",
                                  "/w",
                                  "SIGQUIT",
                                  {"/v"},
                                  {kDigestA},
                                  "linux",
                                  "arm64"}));
  // Docker writes null for what an image does not set.
  EXPECT_TRUE(read_image_config(
      R"({"config":{"Entrypoint":null,"Cmd":null,"Env":null,"Volumes":null},"rootfs":null})"));
}

TEST(ImageConfig, WhatCannotBeUsedIsAnError) {
  EXPECT_FALSE(read_image_config("[]"));
  EXPECT_FALSE(read_image_config("{"));
  EXPECT_FALSE(read_image_config(R"({"config":{"Cmd":["a\u0000b"]}})"));
  EXPECT_FALSE(read_image_config(R"({"rootfs":{"diff_ids":["../../etc/passwd"]}})"));
}

TEST(ImageConfig, SignalsHaveNamesAndNumbers) {
  EXPECT_EQ(signal_number("SIGQUIT"), SIGQUIT);
  EXPECT_EQ(signal_number("QUIT"), SIGQUIT);
  EXPECT_EQ(signal_number("15"), SIGTERM);
  EXPECT_EQ(signal_number("SIGRTMIN+3"), SIGRTMIN + 3);
  for (const char* none : {"", "SIG", "0", "65", "-1", "BREAK", "SIGRTMIN+99", "99999999999"}) {
    EXPECT_EQ(signal_number(none), 0) << none;
  }
}

TEST(ImageManifest, OneOfSeveralPlatformsIsChosen) {
  const auto entry = [](const std::string& digest, const char* platform) {
    return R"({"mediaType":"m","digest":")" + digest + R"(","size":3,"platform":)" + platform + "}";
  };
  const auto index = read_image_manifest(
      R"({"manifests":[)" + entry(kDigestA, R"({"os":"linux","architecture":"amd64"})") + "," +
      entry(kDigestB, R"({"os":"linux","architecture":"arm64","variant":"v8"})") + "," +
      entry(kDigestB, R"({"os":"unknown","architecture":"unknown"})") + "]}");
  ASSERT_TRUE(index && index->is_index);
  const auto fitting = for_platform(*index, "amd64");
  ASSERT_TRUE(fitting);
  ASSERT_EQ(fitting->size(), 1u);
  EXPECT_EQ(fitting->front().digest, kDigestA);
  EXPECT_EQ(for_platform(*index, "riscv64").error().message,
            "the image has no manifest for linux/riscv64, only for: linux/amd64, linux/arm64/v8");
}

TEST(ImageManifest, NamesItsConfigAndLayers) {
  const auto manifest = read_image_manifest(R"({"schemaVersion":2,"config":{"digest":")" +
                                            kDigestA + R"(","size":10},"layers":[{"digest":")" +
                                            kDigestB + R"(","size":20,"mediaType":"t"}]})");
  ASSERT_TRUE(manifest) << manifest.error().message;
  EXPECT_EQ(manifest->config.digest, kDigestA);
  EXPECT_EQ(manifest->layer_bytes(), 20u);
  EXPECT_THAT(read_image_manifest(R"({"schemaVersion":1})").error().message,
              HasSubstr("schema 1, which is not supported"));
  for (const char* bad : {"", "[]", "{}", R"({"config":{"digest":"sha256:../x"},"layers":[]})",
                          R"({"manifests":[{"digest":"md5:1"}]})"}) {
    EXPECT_FALSE(read_image_manifest(bad)) << bad;
  }
}

constexpr const char* kPasswd =
    "root:x:0:0:root:/root:/bin/sh\n# a comment:x:9:9\napp:x:1000:50::/srv/app:/bin/sh\nbroken\n"
    "bad:x:-1:0::/:\n";
constexpr const char* kGroups = "root:x:0:\nusers:x:50:\nvideo:x:44:other,app\naudio:x:45:app\n";

TEST(ImageUsers, AreFoundByNameAndNumber) {
  const auto user = [](const char* text) { return find_user(text, kPasswd, kGroups).value(); };
  EXPECT_EQ(user(""), (ImageUser{0, 0, {}, "/root", false}));
  EXPECT_EQ(user("app"), (ImageUser{1000, 50, {44, 45}, "/srv/app", true}));
  EXPECT_EQ(user("1000"), (ImageUser{1000, 50, {44, 45}, "/srv/app", false}));
  EXPECT_EQ(user("app:video"), (ImageUser{1000, 44, {}, "/srv/app", true}));
  EXPECT_EQ(user("77:88"), (ImageUser{77, 88, {}, "/", false}));
  EXPECT_EQ(user("77"), (ImageUser{77, 0, {}, "/", false}));
}

TEST(ImageUsers, ANameWithoutAnEntryIsAnError) {
  EXPECT_EQ(find_user("ghost", kPasswd, kGroups).error().message,
            "unable to find user ghost: no matching entries in passwd file");
  EXPECT_EQ(find_user("app:ghosts", kPasswd, kGroups).error().message,
            "unable to find group ghosts: no matching entries in group file");
  for (const char* none : {"bad", "-1", "4294967296"}) {
    EXPECT_FALSE(find_user(none, kPasswd, kGroups)) << none;
  }
}

}  // namespace
}  // namespace windlass::images
