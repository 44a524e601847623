#include "plane/server_credentials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

#include "posix/files/posix_files.h"
#include "posix/testing.h"
#include "virtual_world/world.h"

namespace windlass::plane {
namespace {

class CertificateRenewalTest : public ::testing::Test {
 protected:
  void start() {
    const CredentialSource source{files, world.random(), world.clock().now(), directory.path()};
    credentials = *open_credentials(source, {"127.0.0.1"});
    renewal.emplace(env::Env{world.clock(), world.random(), world.executor(), world.log(), files},
                    directory.path(), std::vector<std::string>{"127.0.0.1"}, credentials,
                    [this](const net::TlsFiles& renewed) {
                      used.push_back(renewed.certificate_pem);
                      return Result<void>();
                    });
  }

  virtual_world::VirtualWorld world{1};
  posix::PosixFiles files;
  posix::TemporaryDirectory directory;
  ServerCredentials credentials;
  std::vector<std::string> used;
  std::optional<CertificateRenewal> renewal;
};

TEST_F(CertificateRenewalTest, AServerThatRunsForAYearGetsAnotherInTime) {
  start();
  world.run_for(net::kCertificateLifetime - net::kRenewBefore - hours(24));
  EXPECT_TRUE(used.empty());
  world.run_for(hours(24 * 3));
  ASSERT_EQ(used.size(), 1u);
  EXPECT_NE(used[0], credentials.server.certificate_pem);
  EXPECT_EQ(used[0], directory.read("server.crt"));
  world.run_for(net::kCertificateLifetime);
  EXPECT_EQ(used.size(), 2u);
  renewal.reset();
  world.run_for(net::kCertificateLifetime);
  EXPECT_EQ(used.size(), 2u);
}

TEST_F(CertificateRenewalTest, WhatCannotBeWrittenIsTriedAgain) {
  start();
  std::filesystem::create_directory(directory / "server.key.new");  // as on a full disk
  world.run_for(net::kCertificateLifetime - net::kRenewBefore + hours(24 * 3));
  EXPECT_TRUE(used.empty());
  EXPECT_EQ(directory.read("server.crt"), credentials.server.certificate_pem);
  std::filesystem::remove(directory / "server.key.new");
  world.run_for(hours(24));
  EXPECT_EQ(used.size(), 1u);
}

}  // namespace
}  // namespace windlass::plane
