#include "cli/commands/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "posix/files/posix_files.h"
#include "posix/process/program.h"
#include "posix/testing.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using testing::TextOutput;
using Action = ImageOptions::Action;

class ImageCommand : public ::testing::Test {
 protected:
  // What it said, an error too.
  std::string run(Action action, const std::string& name = "", const std::string& source = "",
                  const std::string& from_static = "") {
    TextOutput output;
    code = manage_images({action, directory / "images", name, source, from_static}, files, output);
    return output.out_text + output.err_text;
  }

  posix::TemporaryDirectory directory;
  posix::PosixFiles files;
  ExitCode code = ExitCode::ok;
};

TEST_F(ImageCommand, ADirectoryIsUsedWhereItIs) {
  ASSERT_TRUE(files.make_directory(directory / "root/bin"));
  EXPECT_EQ(run(Action::list), "");
  EXPECT_EQ(run(Action::add, "docker.io/library/tool:1", directory / "root"),
            "image tool:1 added: " + directory / "root" + "\n");
  EXPECT_EQ(run(Action::list), "NAME     ROOT\ntool:1   " + directory / "root" + "\n");
  EXPECT_EQ(run(Action::remove, "tool:1"), "image tool:1 removed\n");
  EXPECT_TRUE(files.type(directory / "root/bin").has_value());
  EXPECT_EQ(run(Action::list), "");
  EXPECT_EQ(run(Action::remove, "tool:1"), "error: there is no image \"tool:1\"\n");
  EXPECT_EQ(code, ExitCode::failed);
}

TEST_F(ImageCommand, AnArchiveIsUnpackedWithoutItsDevices) {
  for (const char* folder : {"tree/bin", "tree/dev"}) {
    ASSERT_TRUE(files.make_directory(directory / folder));
  }
  directory.write("tree/bin/tool", "#!/bin/sh\n");
  directory.write("tree/dev/null", "");
  ASSERT_TRUE(posix::run_program(
      {"tar", "-czf", directory / "tool.tar.gz", "-C", directory / "tree", "."}));
  run(Action::add, "tool", directory / "tool.tar.gz");
  ASSERT_EQ(code, ExitCode::ok);
  const std::string root = directory / "images/tool/root";
  EXPECT_EQ(files.read(root + "/bin/tool", 100).value_or("missing"), "#!/bin/sh\n");
  EXPECT_FALSE(files.type(root + "/dev/null").has_value());
  run(Action::remove, "tool");
  EXPECT_FALSE(files.type(root).has_value());
}

TEST_F(ImageCommand, AnImageArchiveIsNoRootFileSystem) {
  ASSERT_TRUE(files.make_directory(directory / "saved/blobs/sha256"));
  directory.write("saved/manifest.json", "[]");
  ASSERT_TRUE(posix::run_program({"tar", "-cf", directory / "saved.tar", "-C", directory / "saved",
                                  "manifest.json", "blobs"}));
  const std::string said = run(Action::add, "tool", directory / "saved.tar");
  EXPECT_EQ(code, ExitCode::failed);
  EXPECT_THAT(said, HasSubstr("is an image archive (`docker save` or an OCI layout)"));
  EXPECT_THAT(said, HasSubstr("docker export $(docker create tool) > root.tar"));
  EXPECT_EQ(run(Action::list), "");
  EXPECT_FALSE(files.type(directory / "images/tool").has_value());
}

// As `tar` writes names, as `docker export` does, and with the slash that `tar -P` keeps.
TEST_F(ImageCommand, OnlyTheDevicesAtTheTopAreLeftOut) {
  for (const char* folder : {"tree/dev", "tree/app/dev"}) {
    ASSERT_TRUE(files.make_directory(directory / folder));
  }
  directory.write("tree/dev/null", "");
  directory.write("tree/app/dev/settings", "kept");
  const std::vector<std::vector<std::string>> ways = {
      {"."}, {"app", "dev"}, {"-P", "--transform=s,^,/,", "app", "dev"}};
  for (size_t i = 0; i < ways.size(); ++i) {
    const std::string name = "tool" + std::to_string(i);
    const std::string archive = directory / (name + ".tar");
    std::vector<std::string> words = {"tar", "-cf", archive, "-C", directory / "tree"};
    words.insert(words.end(), ways[i].begin(), ways[i].end());
    ASSERT_TRUE(posix::run_program(words));
    run(Action::add, name, archive);
    ASSERT_EQ(code, ExitCode::ok);
    const std::string root = directory / ("images/" + name + "/root");
    EXPECT_EQ(files.read(root + "/app/dev/settings", 100).value_or("missing"), "kept") << i;
    EXPECT_FALSE(files.type(root + "/dev/null").has_value()) << i;
  }
}

TEST_F(ImageCommand, WhatCannotBeUnpackedLeavesNothing) {
  const std::string archive = directory.write("broken.tar", "this is not an archive");
  EXPECT_THAT(run(Action::add, "tool", archive), HasSubstr("error: tar ended with 2"));
  EXPECT_EQ(code, ExitCode::failed);
  EXPECT_FALSE(files.type(directory / "images/tool").has_value());
  EXPECT_EQ(run(Action::add, "tool", directory / "none"),
            "error: stat " + directory / "none" + ": no such file or directory\n");
  EXPECT_EQ(run(Action::add, "Tool", directory / "none"),
            "error: invalid reference format: repository name (Tool) must be lowercase\n");
}

TEST_F(ImageCommand, ARootIsMadeOfOneProgram) {
  const std::string program = directory.write("only", "static");
  run(Action::add, "one", "", program);
  ASSERT_EQ(code, ExitCode::ok);
  const std::string root = directory / "images/one/root";
  EXPECT_EQ(files.read(root + "/bin/only", 100).value_or("missing"), "static");
  EXPECT_THAT(files.read(root + "/etc/passwd", 1000).value_or(""), HasSubstr("root:x:0:0"));
}

TEST_F(ImageCommand, BusyboxIsAskedForItsNames) {
  const std::string program = directory.write(
      "busybox", "#!/bin/sh\n[ \"$1\" = --install ] && ln \"$0\" \"$2/sh\" && ln \"$0\" \"$2/ls\"");
  run(Action::add, "busybox", "", program);
  ASSERT_EQ(code, ExitCode::ok);
  const std::string root = directory / "images/busybox/root";
  EXPECT_TRUE(files.type(root + "/bin/ls").has_value());
}

}  // namespace
}  // namespace windlass::cli
