#include "supervisor/protocol/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
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

void Channel::send_first(std::string_view frame, std::vector<posix::FileDescriptor> descriptors) {
  CHECK(output_.empty() && descriptors.size() <= kMaxDescriptors, "the first frame, a few of them");
  to_send_ = std::move(descriptors);
  send(frame);
}

void Channel::close() {
  closing_ = true;
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
  const ssize_t got = receive(buffer.data(), buffer.size());
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
    const ssize_t put = transmit();
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

ssize_t Channel::receive(char* buffer, size_t size) {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control;
  iovec part = {buffer, size};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = ::recvmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  for (cmsghdr* each = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr; each != nullptr;
       each = CMSG_NXTHDR(&message, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) {
      continue;
    }
    const size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(each) + i * sizeof number, sizeof number);
      posix::FileDescriptor descriptor(number);
      if (received_.size() < kMaxDescriptors) {
        received_.push_back(std::move(descriptor));
      }
    }
  }
  return got;
}

ssize_t Channel::transmit() {
  iovec part = {output_.data() + written_, output_.size() - written_};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxDescriptors * sizeof(int))> control = {};
  if (!to_send_.empty()) {
    message.msg_control = control.data();
    message.msg_controllen = CMSG_SPACE(to_send_.size() * sizeof(int));
    cmsghdr* const rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(to_send_.size() * sizeof(int));
    for (size_t i = 0; i < to_send_.size(); ++i) {
      const int number = to_send_[i].get();
      std::memcpy(CMSG_DATA(rights) + i * sizeof number, &number, sizeof number);
    }
  }
  const ssize_t put = ::sendmsg(socket_.get(), &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (put > 0) {
    to_send_.clear();
  }
  return put;
}

void Channel::fail(std::string_view why) {
  release();
  if (!closing_) {
    handlers_.on_closed(why);
  }
}

void Channel::release() {
  loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
  socket_.reset();
}

}  // namespace windlass::supervisor
