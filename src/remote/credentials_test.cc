#include "remote/credentials.h"

#include <gtest/gtest.h>

#include <utility>

#include "net/tls/certificates.h"
#include "virtual_world/virtual_files.h"
#include "virtual_world/world.h"

namespace windlass::remote {
namespace {

// A service account's token is replaced in its file long before it runs out.
TEST(Credentials, TokenFilesRotate) {
  virtual_world::VirtualWorld world(1);
  virtual_world::VirtualFiles files;
  files.put("/token", "one\n");
  ClusterAccess access;
  access.token_file = "/token";
  Credentials credentials(files, world.clock(), access);
  EXPECT_EQ(*credentials.authorization(), "Bearer one");
  files.put("/token", "two\n");
  EXPECT_EQ(*credentials.authorization(), "Bearer one");
  world.run_for(Credentials::kRereadAfter);
  EXPECT_EQ(*credentials.authorization(), "Bearer two");
  files.put("/token", "three");
  EXPECT_TRUE(credentials.reread());  // the server has refused it
  EXPECT_EQ(*credentials.authorization(), "Bearer three");
  // Caught while it is written: what was there goes on.
  files.put("/token", "");
  world.run_for(Credentials::kRereadAfter);
  EXPECT_EQ(*credentials.authorization(), "Bearer three");
}

// A connection shows the certificate that it was made with, so the owner of one has to know.
TEST(Credentials, ANewCertificateIsANewGeneration) {
  virtual_world::VirtualWorld world(1);
  virtual_world::VirtualFiles files;
  const auto authority = *net::make_authority("ca", world.clock().now());
  const auto put = [&](const char* name) {
    const auto made = *net::issue_client(authority, name, {}, world.clock().now());
    files.put("/certificate", made.certificate_pem);
    files.put("/key", made.key_pem);
  };
  put("one");
  ClusterAccess access;
  access.server.tls = true;
  access.authority_pem = authority.certificate_pem;
  access.certificate_file = "/certificate";
  access.key_file = "/key";
  Credentials credentials(files, world.clock(), access);
  const auto first = *credentials.tls();
  const uint64_t generation = credentials.tls_generation();
  world.run_for(Credentials::kRereadAfter);
  EXPECT_EQ(credentials.tls_generation(), generation) << "nothing has changed";
  put("two");
  EXPECT_EQ(credentials.tls_generation(), generation) << "it is not looked at all the time";
  world.run_for(Credentials::kRereadAfter);
  EXPECT_GT(credentials.tls_generation(), generation);
  EXPECT_NE(*credentials.tls(), first);
  const uint64_t second = credentials.tls_generation();
  put("three");
  EXPECT_TRUE(credentials.reread());  // the server has refused it
  EXPECT_GT(credentials.tls_generation(), second);
  // Caught between the two files: what was there goes on.
  const auto third = *credentials.tls();
  files.put("/key", "");
  EXPECT_TRUE(credentials.reread());
  EXPECT_EQ(*credentials.tls(), third);
}

TEST(Credentials, ErrorsNeverShowTheToken) {
  virtual_world::VirtualWorld world(1);
  virtual_world::VirtualFiles files;
  ClusterAccess access;
  EXPECT_EQ(*Credentials(files, world.clock(), access).authorization(), "");
  access.token = "CANARY \x01";
  const auto bad = Credentials(files, world.clock(), access).authorization();
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message.find("CANARY"), std::string::npos);
  access.token_file = "/none";
  EXPECT_FALSE(Credentials(files, world.clock(), access).authorization().has_value());
}

// A plugin that is asked, and answers when the test says so.
class PluginCredentials : public ::testing::Test {
 protected:
  static ClusterAccess access() {
    ClusterAccess access;
    access.exec.emplace();
    access.exec->command = {"plugin"};
    return access;
  }
  void answer(Result<PluginCredential> told) {
    ASSERT_TRUE(answer_);
    std::exchange(answer_, nullptr)(std::move(told));
  }
  PluginCredential token(const std::string& text, Duration lifetime) {
    PluginCredential told;
    told.token = text;
    told.expires = world_.clock().now() + lifetime;
    return told;
  }
  std::string prepare() {
    const auto kept = std::make_shared<std::string>("waits");
    credentials_.prepare(
        [kept](const Result<void>& ready) { *kept = ready ? "ready" : ready.error().message; });
    outcomes_.push_back(kept);
    return *kept;
  }

  virtual_world::VirtualWorld world_{1};
  virtual_world::VirtualFiles files_;
  int asked_ = 0;
  std::function<void(Result<PluginCredential>)> answer_;
  std::vector<std::shared_ptr<std::string>> outcomes_;
  Credentials credentials_{files_, world_.clock(), access(),
                           [this](const ExecPlugin&, auto done) -> std::shared_ptr<void> {
                             ++asked_;
                             answer_ = std::move(done);
                             return std::make_shared<int>(0);
                           }};
};

TEST_F(PluginCredentials, AreFetchedOnceForAllWhoWaitAndAgainBeforeTheyRunOut) {
  EXPECT_FALSE(credentials_.ready());
  EXPECT_EQ(prepare(), "waits");
  EXPECT_EQ(prepare(), "waits");
  EXPECT_EQ(asked_, 1);
  answer(token("one", minutes(15)));
  EXPECT_EQ(*outcomes_[0], "ready");
  EXPECT_EQ(*outcomes_[1], "ready");
  EXPECT_EQ(*credentials_.authorization(), "Bearer one");
  EXPECT_EQ(prepare(), "ready");
  world_.run_for(minutes(15) - Credentials::kRefreshBefore);
  EXPECT_EQ(asked_, 1);
  // What it told before is good for some seconds more, whether it is slow or fails.
  EXPECT_EQ(prepare(), "ready");
  EXPECT_EQ(asked_, 2);
  EXPECT_TRUE(credentials_.ready());
  EXPECT_EQ(prepare(), "ready");
  answer(fail(plain_error("no network")));
  EXPECT_EQ(prepare(), "ready");
  EXPECT_EQ(asked_, 2) << "not again at once";
  EXPECT_EQ(*credentials_.authorization(), "Bearer one");
  world_.run_for(Credentials::kRefreshBefore);
  EXPECT_EQ(prepare(), "waits");
  answer(fail(plain_error("no network")));
  EXPECT_EQ(*outcomes_.back(), "no network");
  EXPECT_EQ(prepare(), "waits");
  answer(token("two", minutes(15)));
  EXPECT_EQ(*credentials_.authorization(), "Bearer two");
}

TEST_F(PluginCredentials, WhatTheServerRefusesIsFetchedAgain) {
  prepare();
  answer(token("one", minutes(15)));
  EXPECT_TRUE(credentials_.reread());
  EXPECT_EQ(prepare(), "waits");
  answer(token("two", minutes(15)));
  EXPECT_EQ(*credentials_.authorization(), "Bearer two");
  EXPECT_TRUE(credentials_.ready());
}

TEST_F(PluginCredentials, AShortLifeIsNoLoop) {
  prepare();
  answer(token("one", seconds(20)));
  EXPECT_TRUE(credentials_.ready()) << "though it runs out within the time of a refresh";
  credentials_.refresh();
  EXPECT_EQ(asked_, 1);
  world_.run_for(Credentials::kShortestUse);
  EXPECT_TRUE(credentials_.ready());
  credentials_.refresh();
  credentials_.refresh();
  EXPECT_EQ(asked_, 2) << "while the first one lasts";
  world_.run_for(Credentials::kShortestUse);
  EXPECT_FALSE(credentials_.ready());
}

TEST_F(PluginCredentials, ATokenThatNoHeaderTakesIsRefused) {
  prepare();
  answer(token("CANARY\r\nX: y", minutes(15)));
  EXPECT_EQ(*outcomes_[0], "the plugin's token has invalid characters");
}

}  // namespace
}  // namespace windlass::remote
