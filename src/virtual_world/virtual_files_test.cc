#include "virtual_world/virtual_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "virtual_world/faults.h"

namespace windlass::virtual_world {
namespace {

using ::testing::ElementsAre;

TEST(VirtualFiles, FilesAndFolders) {
  VirtualFiles files;
  files.put("jobs/b.yaml", "bb");
  files.put("jobs/a.yaml", "a");
  files.put("jobs/more/c.yaml", "c");
  files.put("jobs2", "x");
  EXPECT_EQ(files.type("jobs"), env::Files::Type::directory);
  EXPECT_EQ(files.type("jobs/a.yaml"), env::Files::Type::file);
  EXPECT_THAT(*files.list("jobs"), ElementsAre("a.yaml", "b.yaml", "more"));
  EXPECT_THAT(*files.list("jobs/"), ElementsAre("a.yaml", "b.yaml", "more"));
  EXPECT_THAT(*files.list("."), ElementsAre("jobs", "jobs2"));
  EXPECT_EQ(*files.read("jobs/b.yaml", 2), "bb");
  EXPECT_TRUE(files.remove_tree("jobs2"));
  EXPECT_FALSE(files.type("jobs2").has_value());
  EXPECT_TRUE(files.type("jobs").has_value());
}

TEST(VirtualFiles, MakesAndRemovesFolders) {
  VirtualFiles files;
  EXPECT_TRUE(files.make_directory("/var/pods/a"));
  EXPECT_TRUE(files.make_directory("/var/pods/a"));
  EXPECT_EQ(files.type("/var"), env::Files::Type::directory);
  EXPECT_THAT(*files.list("/var/pods"), ElementsAre("a"));
  EXPECT_THAT(*files.list("/var/pods/a"), testing::IsEmpty());
  files.put("/var/pods/a/log", "x");
  EXPECT_EQ(files.make_directory("/var/pods/a/log/b").error().message,
            "mkdir /var/pods/a/log/b: not a directory");
  EXPECT_TRUE(files.remove_tree("/var/pods"));
  EXPECT_TRUE(files.remove_tree("/var/pods"));
  EXPECT_FALSE(files.type("/var/pods/a/log").has_value());
}

TEST(VirtualFiles, ErrorsNameThePath) {
  VirtualFiles files;
  files.put("d/f", "123");
  EXPECT_EQ(files.read("x", 10).error().message, "open x: no such file or directory");
  EXPECT_EQ(files.type("x").error().message, "stat x: no such file or directory");
  EXPECT_EQ(files.read("d", 10).error().message, "read d: is a directory");
  EXPECT_EQ(files.read("d/f", 2).error().message, "read d/f: more than 2 bytes");
  EXPECT_EQ(files.list("d/f").error().message, "open d/f: not a directory");
  EXPECT_EQ(files.list("x").error().message, "open x: no such file or directory");
}

TEST(VirtualFiles, ReadFailsWhereTheFaultPointFires) {
  VirtualFaults faults(1);
  faults.set("sim_files.read_failed", 1);
  VirtualFiles files(faults);
  files.put("f", "1");
  EXPECT_EQ(files.read("f", 10).error().message, "read f: input/output error");
}

TEST(VirtualFiles, WritesIntoFoldersThatAreThere) {
  VirtualFiles files;
  EXPECT_EQ(files.write("/v/f", "x", 0600).error().message, "open /v/f: no such file or directory");
  ASSERT_TRUE(files.make_directory("/v"));
  ASSERT_TRUE(files.write("/v/f", "12345", 0640));
  EXPECT_EQ(files.mode("/v/f"), 0640U);
  ASSERT_TRUE(files.set_mode("/v", 0777));
  EXPECT_EQ(files.mode("/v"), 0777U);
  EXPECT_EQ(files.write("/v", "x", 0600).error().message, "open /v: is a directory");
  EXPECT_EQ(files.set_mode("/w", 0700).error().message, "chmod /w: no such file or directory");
  files.put("/v/deep/g", "123");
  EXPECT_EQ(files.tree_size("/v")->bytes, 8U);
  EXPECT_EQ(files.tree_size("/w")->entries, 0U);
}

TEST(VirtualFiles, LinksLeadWhereTheyPoint) {
  VirtualFiles files;
  files.put("/v/..1/d/a", "old");
  files.put("/v/..2/d/a", "new");
  ASSERT_TRUE(files.set_link("/v/..data", "..1"));
  ASSERT_TRUE(files.set_link("/v/d", "..data/d"));
  EXPECT_EQ(*files.read("/v/d/a", 10), "old");
  ASSERT_TRUE(files.set_link("/v/..data", "..2"));
  EXPECT_EQ(*files.read("/v/d/a", 10), "new");
  EXPECT_EQ(*files.list("/v"), (std::vector<std::string>{"..1", "..2", "..data", "d"}));
  EXPECT_EQ(files.link("/v/d"), "..data/d");
  ASSERT_TRUE(files.remove_tree("/v/d"));
  EXPECT_FALSE(files.read("/v/d/a", 10));
  EXPECT_EQ(*files.read("/v/..2/d/a", 10), "new");
}

}  // namespace
}  // namespace windlass::virtual_world
