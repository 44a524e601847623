#include "supervisor/protocol/session_client.h"

#include <utility>

#include "supervisor/protocol/local_socket.h"

namespace windlass::supervisor {

Result<std::unique_ptr<SessionClient>> SessionClient::open(posix::EventLoop& loop,
                                                           const std::string& directory,
                                                           const OpenSession& order,
                                                           Handlers handlers) {
  TRY_VOID(check_session(order));
  const std::string message = encode(order);
  if (message.size() > Channel::kMaxFrameBytes) {
    return fail(plain_error("exec: argument list too long"));
  }
  TRY(posix::FileDescriptor socket, connect_in(directory, kSocketName));
  if (!socket.valid()) {
    return fail(plain_error("the container is not running"));  // nothing does
  }
  std::unique_ptr<SessionClient> client(
      new SessionClient(loop, std::move(socket), std::move(handlers)));
  client->channel_->send(message);
  return client;
}

SessionClient::SessionClient(posix::EventLoop& loop, posix::FileDescriptor socket,
                             Handlers handlers)
    : loop_(loop),
      channel_(std::make_shared<Channel>(
          loop, std::move(socket),
          Channel::Handlers{
              [this](std::string_view frame) { on_frame(frame); },
              [this](std::string_view) {
                end({.error = started_ ? "the supervisor of the container has ended"
                                       : "the supervisor of the container does not take commands; "
                                         "one of an older version ends with its last container",
                     .code = 0,
                     .refused = !started_});
              }})),
      handlers_(std::move(handlers)) {}

// The channel may be what is calling.
SessionClient::~SessionClient() {
  channel_->close();
  loop_.post([channel = std::move(channel_)] {});
}

void SessionClient::on_frame(std::string_view frame) {
  const Result<Message> message = decode(frame);
  if (message && std::holds_alternative<SessionStarted>(*message) && !started_) {
    started_ = true;
    const auto on_started = std::exchange(handlers_.on_started, nullptr);
    on_started(channel_->take_descriptors());
  } else if (const SessionEnded* ended = message ? std::get_if<SessionEnded>(&*message) : nullptr) {
    end(*ended);
  } else {
    end({.error = "the supervisor of the container is not understood"});
  }
}

void SessionClient::end(SessionEnded how) {
  if (!std::exchange(ended_, true)) {
    channel_->close();
    const auto on_ended = std::move(handlers_.on_ended);
    on_ended(how);
  }
}

}  // namespace windlass::supervisor
