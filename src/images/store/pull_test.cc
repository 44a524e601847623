#include "images/store/pull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "images/store/registry_testing.h"
#include "posix/testing.h"

namespace windlass::images {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class PullTest : public ::testing::Test, protected ScriptedRegistry {
 protected:
  Result<PulledImage> pull(const std::string& name, const std::string& auth_file = "") {
    return pull_image(store, {name, auth_file, "amd64", false}, skopeo());
  }
  std::string in_image(const std::string& name) {
    posix::PosixFiles files;
    const auto found = store.catalog().find(*api::parse_image_name(name));
    return found ? files.read(found->image.root + "/version", 100).value_or("(none)") : "(none)";
  }

  posix::TemporaryDirectory directory;
  ImageStore store{directory / "images", [](const std::string&) { return std::set<std::string>(); },
                   0};
};

TEST_F(PullTest, AnImageIsThereUnderItsTagAndItsDigest) {
  const auto pulled = pull("docker.io/library/demo");
  ASSERT_TRUE(pulled) << pulled.error().message;
  EXPECT_TRUE(pulled->downloaded);
  EXPECT_EQ(pulled->image.name, "demo:latest");
  EXPECT_EQ(pulled->image.status_id(), "demo@" + sha256_digest(manifest));
  EXPECT_EQ(in_image("demo"), "1");
  EXPECT_EQ(in_image("demo@" + sha256_digest(manifest)), "1");
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].back(), "docker://demo:latest");
  EXPECT_EQ(calls[1][calls[1].size() - 2], "docker://demo@" + sha256_digest(manifest));
}

TEST_F(PullTest, WhatIsThereIsNotDownloadedAgain) {
  ASSERT_TRUE(pull("demo:1"));
  const auto again = pull("demo:2");
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->downloaded);
  EXPECT_EQ(calls.size(), 3u);
  EXPECT_EQ(in_image("demo:2"), "1");
}

TEST_F(PullTest, ATagFollowsTheRegistry) {
  ASSERT_TRUE(pull("demo:1"));
  const std::string before = sha256_digest(manifest);
  push("2");
  ASSERT_TRUE(pull("demo:1"));
  EXPECT_EQ(in_image("demo:1"), "2");
  EXPECT_EQ(in_image("demo@" + before), "1");
}

TEST_F(PullTest, AnotherManifestThanThatOfTheDigestIsAnError) {
  const std::string wanted = sha256_digest(manifest);
  push("2");
  EXPECT_THAT(pull("demo@" + wanted).error().message,
              HasSubstr("the registry answered with a manifest whose digest is sha256:"));
  EXPECT_THAT(store.catalog().list(), IsEmpty());
}

TEST_F(PullTest, ADamagedLayerLeavesNothing) {
  damaged = true;
  EXPECT_FALSE(pull("demo:1"));
  EXPECT_THAT(store.catalog().list(), IsEmpty());
  EXPECT_THAT(store.catalog().image_ids(), IsEmpty());
  damaged = false;
  EXPECT_TRUE(pull("demo:1"));
}

TEST_F(PullTest, LoopbackNeedsNoTlsAndCredentialsAreAFile) {
  ASSERT_TRUE(pull("localhost:5000/demo:1", "/run/auth.json"));
  EXPECT_THAT(calls[0], Contains("--tls-verify=false"));
  EXPECT_THAT(calls[0], Contains("/run/auth.json"));
  EXPECT_THAT(calls[1], Contains("--src-tls-verify=false"));
  EXPECT_THAT(calls[1], Contains("--src-authfile"));
  for (const char* other : {"demo", "reg:5000/demo", "127.evil.example/demo", "localhost"}) {
    EXPECT_FALSE(is_loopback_registry(other)) << other;
  }
  EXPECT_TRUE(is_loopback_registry("127.0.0.1:5000/a"));
}

TEST_F(PullTest, TheFirstLoginThatIsGoodIsUsed) {
  wanted_login = "good";
  const auto with = [this](std::vector<std::string> logins) {
    return pull_image(
        store, {.name = "demo:1", .architecture = "amd64", .logins = std::move(logins)}, skopeo());
  };
  EXPECT_THAT(with({"bad", "worse"}).error().message, HasSubstr("unauthorized"));
  calls.clear();
  EXPECT_TRUE(with({"bad", "good", "other"}));
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_THAT(calls[0], Contains("--authfile"));
  EXPECT_THAT(calls[2], Contains("--src-authfile"));
  posix::PosixFiles files;
  EXPECT_THAT(files.list(directory / "images").value(), Not(Contains(StartsWith("new-"))))
      << "logins do not stay on the disk";
}

TEST_F(PullTest, ErrorsNameTheCause) {
  error =
      "time=\"2026-01-01T00:00:00Z\" level=fatal msg=\"Error parsing image name: reading manifest "
      "9 in docker.io/library/demo: manifest unknown: manifest unknown\"\n";
  EXPECT_EQ(pull("demo:9").error().message,
            "the registry has no such tag or digest (Error parsing image name: reading manifest 9 "
            "in docker.io/library/demo: manifest unknown: manifest unknown)");
  EXPECT_THAT(pull_error("dial tcp: lookup r on 1.1.1.1:53: no such host"),
              HasSubstr("is there a network?"));
  EXPECT_EQ(pull_error("something new"), "something new");
  EXPECT_EQ(pull_error(""), "skopeo failed");
}

}  // namespace
}  // namespace windlass::images
