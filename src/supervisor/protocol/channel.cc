#include "supervisor/protocol/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace windlass::supervisor {
namespace {

constexpr size_t kLengthBytes = 4;

size_t length_at(std::string_view bytes) {
  size_t length = 0;
  for (size_t i = 0; i < kLengthBytes; ++i) {
    length |= static_cast<size_t>(static_cast<uint8_t>(bytes[i])) << (8 * i);
  }
  return length;
}

}  // namespace

Channel::Channel(posix::EventLoop& loop, posix::FileDescriptor socket, Handlers handlers)
    : loop_(loop), socket_(std::move(socket)), handlers_(std::move(handlers)) {
  watch_ = loop_.watch(socket_.get(), EPOLLIN, [this](uint32_t events) { on_event(events); });
}

Channel::~Channel() {
  release();
}

void Channel::send(std::string_view frame) {
  CHECK(frame.size() <= kMaxFrameBytes, "a frame is checked where it is made");
  if (!socket_.valid()) {
    return;
  }
  for (size_t i = 0; i < kLengthBytes; ++i) {
    output_.push_back(static_cast<char>(frame.size() >> (8 * i)));
  }
  output_ += frame;
  if (!std::exchange(writing_, true)) {
    loop_.change(watch_, EPOLLIN | EPOLLOUT);
  }
}

void Channel::close() {
  if (socket_.valid() && !output_.empty()) {
    flush();
  }
  release();
}

void Channel::on_event(uint32_t events) {
  if ((events & EPOLLOUT) != 0) {
    flush();
  }
  if (socket_.valid() && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
    read_some();
  }
}

void Channel::read_some() {
  // As it is: only what arrives is written to, and that alone has a copy for every container.
  std::array<char, kReadBytes> buffer;
  const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got > 0) {
    input_.append(buffer.data(), static_cast<size_t>(got));
    take_frames();
  } else if (got == 0) {
    fail(input_.empty() ? "" : "the peer closed within a message");
  } else if (errno != EAGAIN && errno != EINTR) {
    fail(errno == ECONNRESET ? "" : "cannot read");
  }
}

void Channel::take_frames() {
  size_t start = 0;
  while (socket_.valid() && input_.size() - start >= kLengthBytes) {
    const std::string_view rest = std::string_view(input_).substr(start);
    const size_t length = length_at(rest);
    if (length > kMaxFrameBytes) {
      fail("a message is too long");
      return;
    }
    if (rest.size() < kLengthBytes + length) {
      break;
    }
    start += kLengthBytes + length;
    handlers_.on_frame(rest.substr(kLengthBytes, length));
  }
  input_.erase(0, start);
  if (input_.empty()) {
    input_.shrink_to_fit();  // an idle connection costs nothing
  }
}

void Channel::flush() {
  while (written_ < output_.size()) {
    const ssize_t put = ::send(socket_.get(), output_.data() + written_, output_.size() - written_,
                               MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0 && errno == EAGAIN) {
      if (output_.size() - written_ > kMaxQueuedBytes) {
        fail("the peer does not read");
      }
      return;
    }
    if (put < 0) {
      fail("");  // gone; what it sent before is not lost on us, it will ask again
      return;
    }
    written_ += static_cast<size_t>(put);
  }
  output_ = {};
  written_ = 0;
  if (std::exchange(writing_, false)) {
    loop_.change(watch_, EPOLLIN);
  }
}

void Channel::fail(std::string_view why) {
  release();
  handlers_.on_closed(why);
}

void Channel::release() {
  loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
  socket_.reset();
}

}  // namespace windlass::supervisor
