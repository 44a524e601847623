#include "supervisor/child/capabilities.h"

#include <gtest/gtest.h>
#include <linux/capability.h>

#include <algorithm>

namespace windlass::supervisor {
namespace {

bool drops(const std::vector<std::string>& added, const std::vector<std::string>& dropped,
           int number) {
  const auto list = capabilities_to_drop(added, dropped);
  EXPECT_TRUE(list);
  return list && std::find(list->begin(), list->end(), number) != list->end();
}

TEST(Capabilities, WhatAContextAddsAndDrops) {
  EXPECT_FALSE(drops({}, {}, CAP_CHOWN));
  EXPECT_TRUE(drops({}, {}, CAP_SYS_ADMIN));
  EXPECT_TRUE(drops({}, {}, CAP_NET_RAW)) << "it reads what others send";
  EXPECT_FALSE(drops({"NET_RAW"}, {}, CAP_NET_RAW));
  EXPECT_TRUE(drops({}, {"CHOWN"}, CAP_CHOWN));
  EXPECT_FALSE(drops({}, {"CHOWN"}, CAP_KILL));
  EXPECT_TRUE(drops({}, {"ALL"}, CAP_KILL));
  EXPECT_FALSE(drops({"NET_BIND_SERVICE"}, {"ALL"}, CAP_NET_BIND_SERVICE));
  EXPECT_TRUE(drops({"NET_BIND_SERVICE"}, {"ALL"}, CAP_CHOWN));
  EXPECT_FALSE(drops({"SYS_PTRACE"}, {}, CAP_SYS_PTRACE));
  EXPECT_FALSE(drops({"CAP_SYS_PTRACE"}, {}, CAP_SYS_PTRACE));
  EXPECT_FALSE(drops({"ALL"}, {}, CAP_SYS_ADMIN));
  EXPECT_TRUE(drops({"ALL"}, {"SYS_ADMIN"}, CAP_SYS_ADMIN));
  EXPECT_FALSE(drops({"CHECKPOINT_RESTORE"}, {}, CAP_CHECKPOINT_RESTORE));
}

TEST(Capabilities, OneThatThereIsNotIsNamed) {
  EXPECT_EQ(capabilities_to_drop({}, {"NET_ROW"}).error().message,
            R"(unknown capability "NET_ROW")");
}

}  // namespace
}  // namespace windlass::supervisor
