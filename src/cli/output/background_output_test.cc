#include "cli/output/background_output.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>

#include "cli/output/captured_output_testing.h"
#include "posix/posix_clock.h"

namespace windlass::cli {
namespace {

// A reader that pauses until it is told to go on.
class PausingOutput final : public Output {
 public:
  void out(std::string_view text) override {
    may_go_on_.wait();
    all_ += text;
  }
  void err(std::string_view text) override {
    may_go_on_.wait();
    all_ += text;
  }
  bool interactive() const override { return true; }
  size_t columns() const override { return 123; }

  void go_on() { gate_.set_value(); }
  const std::string& all() const { return all_; }

 private:
  std::promise<void> gate_;
  std::shared_future<void> may_go_on_ = gate_.get_future().share();
  std::string all_;
};

TEST(BackgroundOutput, ItsCallerDoesNotWaitForTheReader) {
  posix::PosixClock clock;
  PausingOutput reader;
  std::string expected;
  {
    BackgroundOutput output(reader, clock);
    EXPECT_TRUE(output.interactive());
    EXPECT_EQ(output.columns(), 123u);
    for (int i = 0; i < 10'000; ++i) {
      const std::string line = "line " + std::to_string(i) + "\n";
      expected += line;
      i % 3 == 0 ? output.err(line) : output.out(line);
    }
    reader.go_on();
  }
  EXPECT_EQ(reader.all(), expected) << "in order, and all of it before it ends";
}

TEST(BackgroundOutput, TheCallerWaitsWhenTooMuchIsUnread) {
  posix::PosixClock clock;
  PausingOutput reader;
  {
    BackgroundOutput output(reader, clock, 10);
    output.out("0123456789");
    std::thread caller([&output] { output.out("abc"); });
    reader.go_on();
    caller.join();
  }
  EXPECT_EQ(reader.all(), "0123456789abc");
}

}  // namespace
}  // namespace windlass::cli
