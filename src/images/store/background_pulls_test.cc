#include "images/store/background_pulls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>

#include "images/store/registry_testing.h"
#include "posix/posix_clock.h"
#include "posix/testing.h"

namespace windlass::images {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class BackgroundPullsTest : public ::testing::Test, protected ScriptedRegistry {
 protected:
  BackgroundPulls::Options options(Skopeo through) {
    return {directory / "images", "amd64", 0, std::move(through)};
  }
  // Until this many have answered.
  void run_until(size_t count) {
    while (answers.size() < count) {
      loop.run();
    }
  }
  ImagePuller::OnPulled answer() {
    return [this](const Result<ImagePuller::Pulled>& pulled) {
      answers.push_back(pulled ? "pulled" : pulled.error().message);
      loop.stop();
    };
  }

  posix::TemporaryDirectory directory;
  posix::PosixClock clock;
  posix::EventLoop loop{clock};
  std::vector<std::string> answers;
};

TEST_F(BackgroundPullsTest, RequestsForOneImageShareAPullAndForAMomentItsAnswer) {
  BackgroundPulls pulls(loop, clock, options(skopeo()));
  for (int i = 0; i < 3; ++i) {
    pulls.pull({"demo:1", {}}, answer());
  }
  EXPECT_TRUE(answers.empty()) << "never inside the call";
  run_until(3);
  EXPECT_THAT(answers, ElementsAre("pulled", "pulled", "pulled"));
  EXPECT_THAT(calls, SizeIs(2));
  ASSERT_TRUE(pulls.recent({"demo:1", {}}));
  EXPECT_TRUE(pulls.recent({"demo:1", {}})->downloaded);
  EXPECT_FALSE(pulls.recent({"demo:1", {"other login"}}));
  EXPECT_FALSE(pulls.recent({"demo:2", {}}));
}

TEST_F(BackgroundPullsTest, AnErrorIsAskedAboutAgain) {
  BackgroundPulls pulls(loop, clock, options(skopeo()));
  error = "manifest unknown";
  pulls.pull({"demo:1", {}}, answer());
  run_until(1);
  EXPECT_THAT(answers[0], HasSubstr("no such tag"));
  EXPECT_FALSE(pulls.recent({"demo:1", {}}));
  error.clear();
  pulls.pull({"demo:1", {}}, answer());
  run_until(2);
  EXPECT_EQ(answers[1], "pulled");
}

TEST_F(BackgroundPullsTest, AFewRunAtATimeAndAllGetTheirTurn) {
  std::mutex turn;
  std::condition_variable changed;
  size_t now = 0;
  size_t most = 0;
  const Skopeo counted = [&, through = skopeo()](const SkopeoCall& call) {
    {
      std::unique_lock lock(turn);
      most = std::max(most, ++now);
      changed.notify_all();
      // The first ones wait for each other: they run at the same time.
      changed.wait(lock, [&] { return most == BackgroundPulls::kMaxParallel; });
    }
    auto result = through(call);
    const std::lock_guard lock(turn);
    --now;
    return result;
  };
  BackgroundPulls pulls(loop, clock, options(counted));
  constexpr size_t kImages = 8;
  for (size_t i = 0; i < kImages; ++i) {
    pulls.pull({"demo:" + std::to_string(i), {}}, answer());
  }
  run_until(kImages);
  EXPECT_EQ(most, BackgroundPulls::kMaxParallel);
  EXPECT_THAT(answers, ::testing::Each("pulled"));
}

// Another pull of the image, perhaps of another process, does not end.
TEST_F(BackgroundPullsTest, AnEarlyEndDoesNotWait) {
  std::mutex turn;
  std::condition_variable changed;
  bool in_skopeo = false;
  bool go_on = false;
  BackgroundPulls first(loop, clock, options([&](const SkopeoCall&) -> Result<SkopeoResult> {
                          std::unique_lock lock(turn);
                          in_skopeo = true;
                          changed.notify_all();
                          changed.wait(lock, [&] { return go_on; });
                          return SkopeoResult{false, "", "stopped"};
                        }));
  first.pull({"demo:1", {}}, answer());
  {
    std::unique_lock lock(turn);
    changed.wait(lock, [&] { return in_skopeo; });
  }
  {
    BackgroundPulls second(loop, clock, options(skopeo()));
    second.pull({"demo:1", {}}, answer());
  }
  {
    const std::lock_guard lock(turn);
    go_on = true;
    changed.notify_all();
  }
  run_until(1);
  EXPECT_THAT(answers, ElementsAre("stopped"));
  EXPECT_TRUE(calls.empty());
}

}  // namespace
}  // namespace windlass::images
