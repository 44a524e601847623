#include "remote/credentials.h"

#include <gtest/gtest.h>

#include "sim/sim_files.h"
#include "sim/world.h"

namespace windlass::remote {
namespace {

// A service account's token is replaced in its file long before it runs out.
TEST(Credentials, TokenFilesRotate) {
  sim::SimWorld world(1);
  sim::SimFiles files;
  files.put("/token", "one\n");
  Access access;
  access.token_file = "/token";
  Credentials credentials(files, world.clock(), access);
  EXPECT_EQ(*credentials.authorization(), "Bearer one");
  files.put("/token", "two\n");
  EXPECT_EQ(*credentials.authorization(), "Bearer one");
  world.run_for(Credentials::kRereadAfter);
  EXPECT_EQ(*credentials.authorization(), "Bearer two");
  files.put("/token", "three");
  EXPECT_TRUE(credentials.reread_token());  // the server has refused it
  EXPECT_EQ(*credentials.authorization(), "Bearer three");
  // Caught while it is written: what was there goes on.
  files.put("/token", "");
  world.run_for(Credentials::kRereadAfter);
  EXPECT_EQ(*credentials.authorization(), "Bearer three");
}

TEST(Credentials, ErrorsNeverShowTheToken) {
  sim::SimWorld world(1);
  sim::SimFiles files;
  Access access;
  EXPECT_EQ(*Credentials(files, world.clock(), access).authorization(), "");
  access.token = "CANARY \x01";
  const auto bad = Credentials(files, world.clock(), access).authorization();
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().message.find("CANARY"), std::string::npos);
  access.token_file = "/none";
  EXPECT_FALSE(Credentials(files, world.clock(), access).authorization().has_value());
}

}  // namespace
}  // namespace windlass::remote
