#include "net/stream/stream_pump.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <optional>

#include "net/stream/byte_stream.h"
#include "posix/posix_clock.h"

namespace windlass::net {
namespace {

// One end of a socket pair on a loop; the test holds the other end.
class StreamPumpTest : public ::testing::Test, protected StreamUser {
 protected:
  StreamPumpTest() {
    std::array<int, 2> ends = {};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    other_ = posix::FileDescriptor(ends[0]);
    own_ = posix::FileDescriptor(ends[1]);
  }

  void start(StreamPump::AfterFailedWrite after = StreamPump::AfterFailedWrite::end) {
    pump_.emplace(loop_, static_cast<StreamUser&>(*this),
                  std::make_unique<PlainStream>(std::move(own_)), after);
    pump_->start(0);
  }
  // Until stop(), or for too long.
  void run() {
    loop_.schedule(minutes(2), [this] {
      ADD_FAILURE() << "it takes too long";
      loop_.stop();
    });
    loop_.run();
  }
  void send(std::string_view bytes) {
    ASSERT_EQ(::send(other_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  void on_ready(uint32_t /*events*/) override {
    if (pump_->resumes()) {
      return;
    }
    ++turns_;
    std::array<char, StreamPump::kReadBytes> buffer;
    pump_->run(std::span(buffer).first(read_bytes_));
  }
  size_t output(std::span<std::string_view> parts) override {
    parts[0] = to_send_;
    return to_send_.empty() ? 0 : 1;
  }
  void on_sent(size_t bytes) override { to_send_.erase(0, bytes); }
  bool reads() const override { return reads_; }
  size_t on_received(std::string_view bytes) override {
    const std::string_view taken = bytes.substr(0, takes_);
    received_ += taken;
    if (received_.size() >= enough_) {
      loop_.stop();
    }
    return taken.size();
  }
  void on_ended(Io how, const std::string& why) override {
    ended_ = how;
    why_ = why;
    pump_->close();
    loop_.stop();
  }

  posix::PosixClock clock_;
  posix::EventLoop loop_{clock_};
  posix::FileDescriptor other_;
  posix::FileDescriptor own_;
  std::optional<StreamPump> pump_;
  std::string to_send_;
  std::string received_;
  bool reads_ = true;
  size_t takes_ = SIZE_MAX;   // of the bytes of one call
  size_t enough_ = SIZE_MAX;  // bytes, then the loop stops
  size_t read_bytes_ = StreamPump::kReadBytes;
  int turns_ = 0;
  std::optional<Io> ended_;
  std::string why_;
};

TEST_F(StreamPumpTest, BytesThatAreNotTakenComeAgain) {
  start();
  takes_ = 2;
  enough_ = 5;
  send("abcde");
  run();
  EXPECT_EQ(received_, "abcde");
}

TEST_F(StreamPumpTest, OthersHaveTheirTurn) {
  start();
  read_bytes_ = 1;
  enough_ = 2 * StreamPump::kMaxStepsPerTurn + 1;
  send(std::string(enough_, 'x'));
  run();
  EXPECT_EQ(turns_, 3);
}

TEST_F(StreamPumpTest, NothingIsReadWhileItsUserDoesNotRead) {
  reads_ = false;
  start();
  send("abc");
  loop_.schedule(milliseconds(1), [&] {
    EXPECT_EQ(received_, "");
    reads_ = true;
    enough_ = 3;
    pump_->resume_later();
  });
  run();
  EXPECT_EQ(received_, "abc");
}

TEST_F(StreamPumpTest, SendsMoreThanTheSocketTakesAtOnce) {
  start();
  constexpr size_t kBytes = 4'000'000;
  to_send_.assign(kBytes, 'x');
  size_t got = 0;
  const posix::WatchId watch = loop_.watch(other_.get(), EPOLLIN, [&](uint32_t) {
    std::array<char, 65536> buffer;
    const ssize_t bytes = ::recv(other_.get(), buffer.data(), buffer.size(), 0);
    got += bytes > 0 ? static_cast<size_t>(bytes) : 0;
    if (got == kBytes) {
      loop_.stop();
    }
  });
  pump_->resume_later();
  run();
  loop_.unwatch(watch);
  EXPECT_EQ(got, kBytes);
  EXPECT_FALSE(pump_->write_blocked());
}

TEST_F(StreamPumpTest, TheEndOfTheOtherSideIsTold) {
  start();
  send("last words");
  other_.reset();
  run();
  EXPECT_EQ(received_, "last words");
  EXPECT_EQ(ended_, Io::closed);
  EXPECT_EQ(why_, "the connection was ended");
}

// A server that refuses early says why before it hangs up.
TEST_F(StreamPumpTest, LastWordsAreReadAfterAWriteThatFails) {
  for (const auto after : {StreamPump::AfterFailedWrite::read, StreamPump::AfterFailedWrite::end}) {
    std::array<int, 2> ends = {};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends.data()), 0);
    other_ = posix::FileDescriptor(ends[0]);
    own_ = posix::FileDescriptor(ends[1]);
    received_.clear();
    ended_.reset();
    to_send_ = "a question";
    start(after);
    send("no");
    ::shutdown(other_.get(), SHUT_RD);
    run();
    EXPECT_EQ(received_, after == StreamPump::AfterFailedWrite::read ? "no" : "");
    EXPECT_EQ(ended_, Io::failed);
  }
}

TEST_F(StreamPumpTest, LingersUntilTheOtherSideEnds) {
  start();
  to_send_ = "the answer";
  pump_->flush();
  pump_->linger();
  send("more of the question");
  ::shutdown(other_.get(), SHUT_WR);
  run();
  EXPECT_EQ(received_, "") << "it is dropped";
  EXPECT_EQ(ended_, Io::closed);
  std::array<char, 100> answer;
  EXPECT_EQ(::recv(other_.get(), answer.data(), answer.size(), 0), 10);
  EXPECT_EQ(::recv(other_.get(), answer.data(), answer.size(), 0), 0) << "the end";
}

}  // namespace
}  // namespace windlass::net
