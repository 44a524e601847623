#include "cli/manifests/run_preflight.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "images/catalog/catalog_testing.h"
#include "virtual_world/virtual_files.h"

namespace windlass::cli {
namespace {

using ::testing::HasSubstr;

class PreflightTest : public ::testing::Test {
 protected:
  bool check(const std::string& containers) {
    files_.put("job.yaml",
               "apiVersion: batch/v1\nkind: Job\nmetadata: {name: demo}\nspec:\n  template:\n"
               "    spec:\n      restartPolicy: Never\n" +
                   containers);
    JobOptions options;
    options.manifests.paths = {"job.yaml"};
    const auto plan = plan_run(options, files_, output_);
    EXPECT_TRUE(plan.has_value()) << output_.err_text;
    return plan && preflight(*plan, images_, can_pull_, files_, output_);
  }

  virtual_world::VirtualFiles files_;
  testing::TextOutput output_;
  plane::NodeImages images_{"/images", {true, false}};
  bool can_pull_ = true;
};

TEST_F(PreflightTest, WithoutACommandAnImageThatIsNotThereIsAnError) {
  EXPECT_FALSE(check("      containers: [{name: main, image: 'python:3.12'}]\n"));
  EXPECT_EQ(output_.err_text,
            "error: job.batch/demo: container \"main\" has no command, and image \"python:3.12\" "
            "is not on this machine: set `command`, or get the image with: windlass image pull "
            "python:3.12\n");
}

TEST_F(PreflightTest, InitContainersNeedACommandToo) {
  EXPECT_FALSE(
      check("      initContainers: [{name: setup, image: a}]\n"
            "      containers: [{name: main, image: b, command: [work]}]\n"));
  EXPECT_THAT(output_.err_text, HasSubstr("container \"setup\" has no command"));
}

TEST_F(PreflightTest, AnImageWithoutAnEntrypointNeedsACommandToo) {
  images::put_image(files_, "/images", "python", {.id = "1", .root = "/srv/python"});
  EXPECT_FALSE(check("      containers: [{name: main, image: 'python:3.12'}]\n"));
  EXPECT_THAT(output_.err_text,
              HasSubstr("image \"python:3.12\" has no entrypoint: set `command`"));
}

TEST_F(PreflightTest, TheEntrypointOfAnImageIsACommand) {
  images::ImageRecord python{.id = "1", .root = "/srv/python", .has_config = true};
  python.config.command = {"python3"};
  images::put_image(files_, "/images", "python:3.12", python);
  EXPECT_TRUE(check("      containers: [{name: main, image: 'python:3.12'}]\n"));
  EXPECT_EQ(output_.err_text, "");
}

TEST_F(PreflightTest, EachImageThatIsNotThereIsSaidOnce) {
  EXPECT_TRUE(
      check("      containers:\n"
            "      - {name: a, image: 'busybox:1.36', command: [work]}\n"
            "      - {name: b, image: 'busybox:1.36', args: [work]}\n"
            "      - {name: c, image: alpine, command: [work]}\n"));
  EXPECT_EQ(output_.err_text,
            "note: image \"busybox:1.36\" is not on this machine: its containers use the root file "
            "system of this machine (--host-root)\n"
            "note: image \"alpine\" is not on this machine: its containers use the root file "
            "system of this machine (--host-root)\n");
}

TEST_F(PreflightTest, AnImageThatIsNotThereIsPulledAndThatIsSaidOnce) {
  images_.host_root = {};
  EXPECT_TRUE(
      check("      containers:\n"
            "      - {name: a, image: 'busybox:1.36'}\n"
            "      - {name: b, image: 'busybox:1.36', args: [work]}\n"
            "      - {name: c, image: host, command: [work]}\n"));
  EXPECT_EQ(output_.err_text,
            "note: image \"busybox:1.36\" is not on this machine: it is pulled from its registry. "
            "Without a registry: `windlass image load`, or the files of this machine with `image: "
            "host` or --host-root\n");
}

TEST_F(PreflightTest, AnImageThatCannotBeHadIsAnErrorWithTheWaysOut) {
  images_.host_root = {};
  can_pull_ = false;
  EXPECT_FALSE(check("      containers: [{name: main, image: busybox, command: [work]}]\n"));
  EXPECT_EQ(
      output_.err_text,
      "error: job.batch/demo: container \"main\" cannot have the image \"busybox\": it is not "
      "on this machine, and skopeo, which pulls images, is not installed (apt install "
      "skopeo). Without a registry: `windlass image load`, or the files of this machine with "
      "`image: host` or --host-root\n");
  can_pull_ = true;
  EXPECT_FALSE(check("      containers: [{name: main, image: busybox, imagePullPolicy: Never}]\n"));
  EXPECT_THAT(output_.err_text, HasSubstr("imagePullPolicy is Never"));
  EXPECT_FALSE(check("      containers: [{name: main, image: 'Big:1', command: [work]}]\n"));
  EXPECT_THAT(output_.err_text, HasSubstr("repository name (Big) must be lowercase"));
}

TEST_F(PreflightTest, TheRootOfTheMachineHasNoEntrypoint) {
  EXPECT_FALSE(check("      containers: [{name: main, image: host}]\n"));
  EXPECT_EQ(output_.err_text,
            "error: job.batch/demo: container \"main\" has no command, and image \"host\" is the "
            "root of this machine: set `command`\n");
}

TEST_F(PreflightTest, NothingIsSaidOfAddedImagesAndOfPause) {
  images::put_image(files_, "/images", "busybox", {.id = "1", .root = "/srv/busybox"});
  EXPECT_TRUE(
      check("      containers:\n"
            "      - {name: a, image: 'busybox:1.36', command: [work]}\n"
            "      - {name: b, image: 'registry.k8s.io/pause:3.9'}\n"));
  EXPECT_EQ(output_.err_text, "");
}

TEST_F(PreflightTest, AScriptInTmpIsNotInTheContainer) {
  images::put_image(files_, "/images", "busybox", {.id = "1", .root = "/srv/busybox"});
  files_.put("/tmp/train.sh", "");
  const std::string note =
      "note: job.batch/demo: container \"main\" cannot see /tmp/train.sh of this machine: a "
      "container has its own /tmp. Move the file, or mount it with a hostPath volume\n";
  for (const char* command : {"[/tmp/train.sh]", "[sh, /tmp/train.sh]",
                              "[sh, -c, 'cd /; exec /tmp/train.sh --epochs 3']"}) {
    output_.err_text.clear();
    EXPECT_TRUE(check(std::string("      containers: [{name: main, image: busybox, command: ") +
                      command + "}]\n"));
    EXPECT_EQ(output_.err_text, note) << command;
  }
}

TEST_F(PreflightTest, NothingIsSaidOfFilesThatTheContainerMakesOrMounts) {
  images::put_image(files_, "/images", "busybox", {.id = "1", .root = "/srv/busybox"});
  files_.put("/tmp/data/in.csv", "");
  EXPECT_TRUE(
      check("      containers:\n"
            "      - {name: a, image: busybox, command: [touch, /tmp/own, /var/tmp/other]}\n"
            "      - {name: b, image: busybox, command: [wc, /tmp/data/in.csv],\n"
            "         volumeMounts: [{name: v, mountPath: /tmp/data}]}\n"
            "      volumes: [{name: v, emptyDir: {}}]\n"));
  EXPECT_EQ(output_.err_text, "");
}

// It waits for the image, as on a cluster.
}  // namespace
}  // namespace windlass::cli
