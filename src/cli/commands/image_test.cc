#include "cli/commands/image.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "images/catalog/catalog.h"
#include "posix/files/posix_files.h"
#include "posix/process/program.h"
#include "posix/testing.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing::TextOutput;
using Action = ImageOptions::Action;

class ImageCommand : public ::testing::Test {
 protected:
  // What it said, an error too.
  std::string run(Action action, const std::string& name = "", const std::string& source = "",
                  const std::string& from_static = "") {
    TextOutput output;
    code = manage_images({action, directory / "images", name, source, from_static}, output);
    return output.out_text + output.err_text;
  }
  std::string root_of(const std::string& name) {
    const auto found =
        images::ImageCatalog(files, directory / "images").find(*api::parse_image_name(name));
    return found ? found->image.root : "(none)";
  }

  posix::TemporaryDirectory directory;
  posix::PosixFiles files;
  ExitCode code = ExitCode::ok;
};

TEST_F(ImageCommand, ADirectoryIsUsedWhereItIs) {
  ASSERT_TRUE(files.make_directory(directory / "root/bin"));
  EXPECT_EQ(run(Action::list), "");
  EXPECT_EQ(run(Action::add, "docker.io/library/tool:1", directory / "root"),
            "image tool:1 loaded: " + directory / "root" + "\n");
  EXPECT_THAT(run(Action::list), StartsWith("NAME     ID             SIZE\ntool:1   "));
  EXPECT_THAT(run(Action::list), HasSubstr("   " + directory / "root" + "\n"));
  EXPECT_THAT(run(Action::inspect, "tool:1"), HasSubstr("\"names\":[\"tool:1\"]"));
  EXPECT_EQ(run(Action::remove, "tool:1"), "image tool:1 removed\n");
  EXPECT_TRUE(files.type(directory / "root/bin").has_value());
  EXPECT_EQ(run(Action::list), "");
  EXPECT_EQ(run(Action::remove, "tool:1"), "error: there is no image \"tool:1\"\n");
  EXPECT_EQ(code, ExitCode::failed);
  EXPECT_EQ(run(Action::inspect, "tool:1"), "error: there is no image \"tool:1\"\n");
}

// As `tar` writes names, as `docker export` does, and with the slash that `tar -P` keeps.
TEST_F(ImageCommand, ARootFileSystemIsUnpacked) {
  for (const char* folder : {"tree/dev", "tree/app"}) {
    ASSERT_TRUE(files.make_directory(directory / folder));
  }
  directory.write("tree/app/settings", "kept");
  const std::vector<std::vector<std::string>> ways = {
      {"."}, {"app", "dev"}, {"-P", "--transform=s,^,/,", "app", "dev"}};
  for (size_t i = 0; i < ways.size(); ++i) {
    const std::string name = "tool" + std::to_string(i);
    const std::string archive = directory / (name + ".tar.gz");
    std::vector<std::string> words = {"tar", "-czf", archive, "-C", directory / "tree"};
    words.insert(words.end(), ways[i].begin(), ways[i].end());
    ASSERT_TRUE(posix::run_program(words));
    EXPECT_THAT(run(Action::load, name, archive), StartsWith("image " + name + " loaded: "));
    EXPECT_EQ(files.read(root_of(name) + "/app/settings", 100).value_or("missing"), "kept") << i;
  }
  const std::string root = root_of("tool0");
  run(Action::remove, "tool0");
  EXPECT_FALSE(files.type(root).has_value());
  EXPECT_THAT(run(Action::prune), HasSubstr(" freed\n"));
}

TEST_F(ImageCommand, WhatCannotBeUnpackedLeavesNothing) {
  const std::string archive = directory.write("broken.tar", "this is not an archive");
  EXPECT_THAT(run(Action::add, "tool", archive), HasSubstr("is no tar archive"));
  EXPECT_EQ(code, ExitCode::failed);
  EXPECT_EQ(run(Action::list), "");
  EXPECT_EQ(run(Action::add, "tool", directory / "none"),
            "error: stat " + directory / "none" + ": no such file or directory\n");
  EXPECT_EQ(run(Action::add, "Tool", directory / "none"),
            "error: invalid reference format: repository name (Tool) must be lowercase\n");
  EXPECT_THAT(run(Action::add, "a@sha256:" + std::string(64, 'a'), archive),
              HasSubstr("not under a digest"));
}

TEST_F(ImageCommand, ARootIsMadeOfOneProgram) {
  const std::string program = directory.write("only", "static");
  run(Action::add, "one", "", program);
  ASSERT_EQ(code, ExitCode::ok);
  EXPECT_EQ(files.read(root_of("one") + "/bin/only", 100).value_or("missing"), "static");
  EXPECT_THAT(files.read(root_of("one") + "/etc/passwd", 1000).value_or(""),
              HasSubstr("root:x:0:0"));
}

TEST_F(ImageCommand, BusyboxIsAskedForItsNames) {
  const std::string program = directory.write(
      "busybox", "#!/bin/sh\n[ \"$1\" = --install ] && ln \"$0\" \"$2/sh\" && ln \"$0\" \"$2/ls\"");
  run(Action::load, "busybox", "", program);
  ASSERT_EQ(code, ExitCode::ok);
  EXPECT_TRUE(files.type(root_of("busybox:1.36") + "/bin/ls").has_value());
}

TEST(SizeText, IsShort) {
  EXPECT_EQ(size_text(0), "0 B");
  EXPECT_EQ(size_text(999), "999 B");
  EXPECT_EQ(size_text(1234), "1.2 kB");
  EXPECT_EQ(size_text(4'500'000'000), "4.5 GB");
}

}  // namespace
}  // namespace windlass::cli
