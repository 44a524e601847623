// The termination messages of containers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "node/container/container_request.h"
#include "node/testing.h"

namespace windlass::node {
namespace {

using apiserver::testing::SimulatedApi;
using testing::SimulatedNode;

class TerminationMessageTest : public ::testing::Test {
 protected:
  TerminationMessageTest() : node(api, "node-1") {
    node.agent->start();
    run_for(milliseconds(1));
  }

  void run_for(Duration duration) { api.world.run_for(duration); }

  // A pod p of so many containers that run for a second and end with 1; `more` goes into each.
  void add_pod(const std::string& more, int containers = 1) {
    std::string list;
    for (int i = 0; i < containers; ++i) {
      list += fmt::format("{{name: c{}, image: i, command: [run, '1', '1'], {}}},", i, more);
    }
    api.create_pod("{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Never, " +
                   ("containers: [" + list + "]}}"));
    run_for(milliseconds(1));
  }

  // Where what the container finds at `path` is on the host.
  std::optional<std::string> source_of(const std::string& path, size_t container = 0) const {
    for (const env::ContainerMount& mount : node.spawned.at(container).isolation.mounts) {
      if (mount.target == path) {
        return mount.source;
      }
    }
    return std::nullopt;
  }

  std::string message(int container = 0) {
    const auto pod = api.pod("p");
    return pod->status().container_statuses(container).state().terminated().message();
  }

  SimulatedApi api;
  SimulatedNode node;
};

// Upstream: "should report termination message if TerminationMessagePath is set as non-root user
// and at a non-default path".
TEST_F(TerminationMessageTest, E78_WhatAContainerWritesToItsMessagePathIsItsMessage) {
  add_pod("terminationMessagePath: /tmp/why");
  const auto file = source_of("/tmp/why");
  ASSERT_TRUE(file);
  EXPECT_EQ(node.files.read(*file, 1).value_or("there is none"), "");
  ASSERT_TRUE(node.files.write(*file, std::string(5'000, 'x') + "DONE", 0666));
  run_for(seconds(2));
  EXPECT_EQ(message(), std::string(4'092, 'x') + "DONE");
}

TEST_F(TerminationMessageTest, E78_TheUsualPathIsThereForWhoNamesIt) {
  add_pod("args: ['echo why > /dev/termination-log']");
  EXPECT_TRUE(source_of("/dev/termination-log"));
}

TEST_F(TerminationMessageTest, E78_TheUsualPathIsThereForWhoNamesItInTheEnvironment) {
  add_pod("env: [{name: LOG, value: /dev/termination-log}]");
  EXPECT_TRUE(source_of("/dev/termination-log"));
}

TEST_F(TerminationMessageTest, OnTheHostsRootOnlyPodsThatNameItPayForIt) {
  add_pod("workingDir: /");
  EXPECT_FALSE(source_of("/dev/termination-log"));
  run_for(seconds(2));
  EXPECT_EQ(message(), "");
}

TEST_F(TerminationMessageTest, WrittenWordsGoBeforeTheEndOfTheLog) {
  add_pod("terminationMessagePath: /tmp/why, terminationMessagePolicy: FallbackToLogsOnError");
  node.files.put(node.spawned.at(0).log_path, "2024-01-01T00:00:00Z stdout F from the log\n");
  ASSERT_TRUE(node.files.write(*source_of("/tmp/why"), "from the file", 0666));
  run_for(seconds(2));
  EXPECT_EQ(message(), "from the file");
}

// A kubelet adds none: a program that prints "x" has said "x".
TEST_F(TerminationMessageTest, E78_ALogThatEndsWithoutALineFeedIsAMessageWithoutOne) {
  add_pod("terminationMessagePolicy: FallbackToLogsOnError");
  node.files.put(node.spawned.at(0).log_path,
                 "2024-01-01T00:00:00Z stdout F a\n2024-01-01T00:00:00Z stdout P x\n");
  run_for(seconds(2));
  EXPECT_EQ(message(), "a\nx");
}

// An API object holds UTF-8 only.
TEST_F(TerminationMessageTest, BytesThatAreNoTextBecomeQuestionMarks) {
  add_pod("terminationMessagePath: /tmp/why");
  ASSERT_TRUE(node.files.write(*source_of("/tmp/why"), "no \xff\xfe for Größe", 0666));
  run_for(seconds(2));
  EXPECT_EQ(message(), "no ?? for Größe");
}

TEST_F(TerminationMessageTest, LongWordsAreCutBetweenCharacters) {
  add_pod("terminationMessagePath: /tmp/why", 4);  // 3072 bytes each
  ASSERT_TRUE(node.files.write(*source_of("/tmp/why"), std::string(3'071, 'x') + "ö", 0666));
  std::string many;
  while (many.size() < 6'000) {
    many += "€";  // the last 4096 bytes begin within one
  }
  ASSERT_TRUE(node.files.write(*source_of("/tmp/why", 1), many, 0666));
  run_for(seconds(2));
  EXPECT_EQ(message(), std::string(3'071, 'x'));
  EXPECT_EQ(message(1).size(), 3'072u);
  EXPECT_EQ(message(1).substr(0, 3), "€");
}

TEST_F(TerminationMessageTest, TheContainersOfAPodShareTwelveKibibytes) {
  constexpr int kContainers = 6;
  add_pod("terminationMessagePath: /tmp/why", kContainers);
  ASSERT_EQ(node.spawned.size(), static_cast<size_t>(kContainers));
  for (size_t i = 0; i < kContainers; ++i) {
    ASSERT_TRUE(node.files.write(*source_of("/tmp/why", i), std::string(4'096, 'x'), 0666));
  }
  run_for(seconds(2));
  for (int i = 0; i < kContainers; ++i) {
    EXPECT_EQ(message(i).size(), 2'048u);
  }
}

TEST_F(TerminationMessageTest, AMessageFileThatCannotBeMadeKeepsNoOtherContainerBusy) {
  const auto made = api.create_pod(
      "{metadata: {name: p}, spec: {nodeName: node-1, restartPolicy: Always, containers: ["
      "{name: c0, image: i, command: [run, '-1', '0'], terminationMessagePath: /tmp/why},"
      "{name: c1, image: i, command: [run, '-1', '0'], terminationMessagePath: /tmp/why}]}}");
  const std::string place = "/data/logs/default_p_" + made->metadata().uid() + "/c0/0.message";
  ASSERT_TRUE(node.files.make_directory(place));  // where the file should be
  run_for(seconds(1));
  EXPECT_EQ(node.spawned.size(), 1u) << "c1, once";
  const auto pod = api.pod("p");
  EXPECT_EQ(pod->status().container_statuses(0).state().waiting().reason(), "CreateContainerError");
  EXPECT_TRUE(pod->status().container_statuses(1).state().has_running());
  EXPECT_EQ(pod->status().container_statuses(1).restart_count(), 0);
  ASSERT_TRUE(node.files.remove_tree(place));
  run_for(seconds(11));
  EXPECT_EQ(node.spawned.size(), 2u);
  EXPECT_EQ(api.pod("p")->status().container_statuses(0).restart_count(), 0);
}

TEST_F(TerminationMessageTest, AMountWhosePathLeadsUpIsNotMade) {
  add_pod("terminationMessagePath: /tmp/../etc/why");
  api.create_pod(
      "{metadata: {name: q}, spec: {nodeName: node-1, volumes: [{name: v, emptyDir: {}}], "
      "containers: [{name: c, image: i, volumeMounts: [{name: v, mountPath: /tmp/..}]}]}}");
  run_for(seconds(1));
  const auto first = api.pod("p")->status().container_statuses(0).state().waiting();
  EXPECT_EQ(first.reason(), "CreateContainerConfigError");
  EXPECT_EQ(first.message(), R"(terminationMessagePath "/tmp/../etc/why": .. is not allowed)");
  const auto second = api.pod("q")->status().container_statuses(0).state().waiting();
  EXPECT_EQ(second.reason(), "CreateContainerConfigError");
  EXPECT_EQ(second.message(), R"(mountPath "/tmp/..": .. is not allowed)");
  EXPECT_TRUE(node.spawned.empty());
}

TEST(MessageFile, NeedsARootOrMountsOfItsOwn) {
  ContainerSpecView container;
  container.message_path = "/tmp/why";
  env::ContainerSupport none;
  none.mounts = false;
  EXPECT_FALSE(wants_message_file(container, {}, false, none));
  EXPECT_TRUE(wants_message_file(container, {}, true, none));
  container.message_path = "relative";
  EXPECT_FALSE(wants_message_file(container, {}, true, none));
}

}  // namespace
}  // namespace windlass::node
