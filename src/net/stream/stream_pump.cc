#include "net/stream/stream_pump.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

namespace windlass::net {
namespace {

uint32_t events_of(Io what) {
  switch (what) {
    case Io::want_read:
      return EPOLLIN;
    case Io::want_write:
      return EPOLLOUT;
    default:
      return 0;
  }
}

}  // namespace

void StreamPump::start(uint32_t events) {
  always_ = events;
  watched_ = wanted_events();
  watch_ = loop_.watch(stream_->fd(), watched_, [this](uint32_t ready) { on_event(ready); });
}

void StreamPump::watch_always(uint32_t events) {
  always_ = events;
}

// Interest is only ever taken back here, when it turns out to be too much: a request and its answer
// mostly need none of it changed.
void StreamPump::on_event(uint32_t events) {
  may_read_ = true;
  constexpr uint32_t kAlwaysReported = EPOLLERR | EPOLLHUP;
  if (const uint32_t wanted = wanted_events(); (events & ~(wanted | kAlwaysReported)) != 0) {
    change_to(wanted);
  }
  user_.on_ready(events);
}

void StreamPump::run(std::span<char> scratch) {
  yields_ = false;
  for (int steps = 0; !closed() && !lingers_; ++steps) {
    if (steps == kMaxStepsPerTurn || std::exchange(yields_, false)) {
      resume_later();
      break;
    }
    const bool sent = send_some();
    const bool received = !closed() && !lingers_ && read_some(scratch);
    if (!sent && !received) {
      break;
    }
  }
  while (!closed() && lingers_) {
    const size_t before = discarded_;
    discard(scratch);
    if (discarded_ == before) {
      break;
    }
  }
  if (closed()) {
    return;
  }
  if (const uint32_t wanted = wanted_events(); (wanted & ~watched_) != 0) {
    change_to(wanted);
  }
}

void StreamPump::flush() {
  while (!closed() && send_some()) {
  }
}

bool StreamPump::send_some() {
  std::array<std::string_view, ByteStream::kMaxParts> parts;
  const size_t count = user_.output(parts);
  if (count == 0 || closed()) {
    write_result_ = Io::done;
    return false;
  }
  const Transfer sent = stream_->write({parts.data(), count});
  write_result_ = sent.result;
  switch (sent.result) {
    case Io::done:
      user_.on_sent(sent.bytes);
      return true;
    case Io::want_read:
    case Io::want_write:
      return false;
    default:
      break;
  }
  if (after_failed_write_ == AfterFailedWrite::read) {
    std::array<char, kReadBytes> buffer;
    for (int steps = 0; steps < kMaxStepsPerTurn && !closed() && read_some(buffer); ++steps) {
    }
  }
  if (!closed()) {
    end(sent.result, "the connection was ended");
  }
  return false;
}

bool StreamPump::read_some(std::span<char> scratch) {
  read_result_ = Io::done;
  if (!user_.reads()) {
    return false;
  }
  if (has_input()) {
    const std::string bytes = std::exchange(input_, {});
    take(bytes);
    return true;
  }
  if (!may_read_ && !stream_->has_received()) {
    return false;
  }
  const Transfer got = stream_->read(scratch);
  read_result_ = got.result;
  switch (got.result) {
    case Io::done:
      take({scratch.data(), got.bytes});
      return true;
    case Io::want_read:
      may_read_ = false;
      return false;
    case Io::want_write:
      return false;
    default:
      end(got.result,
          got.result == Io::closed ? "the connection was ended" : "the connection was cut");
      return false;
  }
}

void StreamPump::take(std::string_view bytes) {
  const size_t used = user_.on_received(bytes);
  if (!closed() && !lingers_ && used < bytes.size()) {
    input_ = bytes.substr(used);
  }
}

void StreamPump::linger() {
  stream_->finish_writing();
  input_.clear();
  lingers_ = true;
}

void StreamPump::discard(std::span<char> scratch) {
  const ssize_t got = ::recv(stream_->fd(), scratch.data(), scratch.size(), 0);
  if (got > 0) {
    discarded_ += static_cast<size_t>(got);
  }
  if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR) ||
      discarded_ > kMaxDiscardedBytes) {
    end(Io::closed, "the connection was ended");
  }
}

void StreamPump::end(Io how, std::string_view otherwise) {
  const std::string failure = stream_->failure();
  user_.on_ended(how, failure.empty() ? std::string(otherwise) : failure);
}

void StreamPump::resume_later() {
  if (!std::exchange(resumes_, true)) {
    loop_.post(self_.bind([](StreamPump& pump) {
      pump.resumes_ = false;
      if (!pump.closed()) {
        pump.user_.on_ready(0);
      }
    }));
  }
}

Io StreamPump::handshake(http::Peer& peer) {
  const Io result = stream_->handshake(peer);
  if (result == Io::want_read || result == Io::want_write) {
    wait_for(result);
  }
  return result;
}

void StreamPump::wait_for(Io what) {
  always_ = events_of(what);
  if (watch_ == posix::WatchId::none) {
    start(always_);
  } else if (always_ != watched_) {
    change_to(always_);
  }
}

void StreamPump::wrap(
    const std::function<std::unique_ptr<ByteStream>(std::unique_ptr<ByteStream>)>& wrap) {
  stream_ = wrap(std::move(stream_));
  if (closed()) {
    close();
  }
}

std::unique_ptr<ByteStream> StreamPump::release() {
  auto stream = std::move(stream_);
  close();
  return stream;
}

void StreamPump::close() {
  loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
  stream_ = nullptr;
  input_.clear();
}

uint32_t StreamPump::wanted_events() const {
  if (lingers_ || user_.reads()) {
    return always_ | EPOLLIN | events_of(write_result_) | events_of(read_result_);
  }
  return always_ | events_of(write_result_);
}

void StreamPump::change_to(uint32_t events) {
  watched_ = events;
  loop_.change(watch_, events);
}

}  // namespace windlass::net
