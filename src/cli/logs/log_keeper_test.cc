#include "cli/logs/log_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/output/captured_output_testing.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using ::testing::Pair;
using ::testing::UnorderedElementsAre;

class KeptInMemory final : public LogFiles {
 public:
  Result<void> append(const std::string& name, std::string_view bytes) override {
    if (full && !bytes.empty()) {
      return fail(plain_error("write " + name + ": no space left on device"));
    }
    texts[name] += bytes;
    return {};
  }

  std::map<std::string, std::string> texts;
  bool full = false;
};

api::core::v1::Pod pod_of(const std::string& name, const std::string& job, const std::string& index,
                          const std::string& ns = "default") {
  api::core::v1::Pod pod;
  auto& metadata = *pod.mutable_metadata();
  metadata.set_name(name);
  metadata.set_namespace_(ns);
  metadata.set_uid(name + "-uid");
  if (!index.empty()) {
    (*metadata.mutable_annotations())["batch.kubernetes.io/job-completion-index"] = index;
  }
  if (!job.empty()) {
    auto& owner = *metadata.add_owner_references();
    owner.set_kind("Job");
    owner.set_name(job);
    owner.set_controller(true);
  }
  return pod;
}

node::ContainerLog log_of(const std::string& pod, int restart = 0) {
  return {"default", pod, pod + "-uid", "main", restart, "/logs/" + pod};
}

class LogKeeperTest : public ::testing::Test {
 protected:
  void end(const std::string& pod, const std::string& text, int restart = 0) {
    if (!text.empty()) {
      keeper_.log_grew(log_of(pod, restart), text);
    }
    keeper_.log_ended(log_of(pod, restart), 1);
  }

  KeptInMemory files_;
  testing::TextOutput output_;
  LogKeeper keeper_{files_, output_, "default"};
};

TEST_F(LogKeeperTest, FilesAreNamedByIndexAndAttempt) {
  for (const auto& [name, index] : {std::pair{"a", "7"}, {"b", "7"}, {"c", "10"}}) {
    keeper_.pod_seen(pod_of(name, "train", index));
    keeper_.pod_seen(pod_of(name, "train", index));  // again, with another status
  }
  end("a", "first\n");
  end("b", "second\n");
  end("c", "");
  EXPECT_THAT(files_.texts, UnorderedElementsAre(Pair("train/7.1.main.log", "first\n"),
                                                 Pair("train/7.2.main.log", "second\n"),
                                                 Pair("train/10.1.main.log", "")));
}

TEST_F(LogKeeperTest, AJobWithoutIndexesCountsItsPods) {
  keeper_.pod_seen(pod_of("a", "queue", ""));
  keeper_.pod_gone("a-uid");
  keeper_.pod_seen(pod_of("b", "queue", ""));
  end("b", "x");
  EXPECT_THAT(files_.texts, UnorderedElementsAre(Pair("queue/2.main.log", "x")));
}

TEST_F(LogKeeperTest, RestartsNamespacesAndBarePodsHaveNamesOfTheirOwn) {
  keeper_.pod_seen(pod_of("a", "train", "0"));
  keeper_.pod_seen(pod_of("b", "train", "0", "team"));
  keeper_.pod_seen(pod_of("alone", "", ""));
  keeper_.pod_seen(pod_of("odd", "train", "../../x"));
  end("a", "1", 0);
  end("a", "2", 1);
  end("b", "3");
  end("alone", "4");
  end("odd", "5");
  EXPECT_THAT(files_.texts,
              UnorderedElementsAre(Pair("train/0.1.main.log", "1"),
                                   Pair("train/0.1.main.restart1.log", "2"),
                                   Pair("team/train/0.1.main.log", "3"),
                                   Pair("alone.main.log", "4"), Pair("train/1.main.log", "5")));
}

TEST_F(LogKeeperTest, AFullDiskIsOneWarningAndTheRunGoesOn) {
  files_.full = true;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "p" + std::to_string(i);
    keeper_.pod_seen(pod_of(name, "train", std::to_string(i)));
    end(name, "text");
  }
  EXPECT_EQ(output_.err_text,
            "warning: log not kept: write train/0.1.main.log: no space left on device\n");
  EXPECT_EQ(keeper_.incomplete(), 5u);
}

}  // namespace
}  // namespace windlass::cli
