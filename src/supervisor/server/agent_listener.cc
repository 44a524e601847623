#include "supervisor/server/agent_listener.h"

#include <sys/socket.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "supervisor/protocol/local_socket.h"

namespace windlass::supervisor {
namespace {

constexpr size_t kMaxNewcomers = 16;

}  // namespace

Result<void> AgentListener::listen(const std::string& directory) {
  TRY(socket_, listen_in(directory, kSocketName));
  watch_ = loop_.watch(socket_.get(), EPOLLIN, [this](uint32_t) { accept(); });
  return {};
}

void AgentListener::accept() {
  posix::FileDescriptor socket(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid() || !same_user(socket.get()) || newcomers_.size() >= kMaxNewcomers) {
    return;
  }
  auto connection = std::make_unique<Connection>();
  Connection& known = *connection;
  known.channel = std::make_unique<Channel>(
      loop_, std::move(socket),
      Channel::Handlers{
          [this, &known](std::string_view frame) { on_frame(known, frame); },
          [this, &known](std::string_view why) {
            if (!why.empty()) {
              log_.warning("an agent's connection ended", {{"why", std::string(why)}});
            }
            drop(known);
          }});
  newcomers_.push_back(std::move(connection));
}

void AgentListener::on_frame(Connection& connection, std::string_view frame) {
  const Result<Message> message = decode(frame);
  const Hello* hello = message ? std::get_if<Hello>(&*message) : nullptr;
  const OpenSession* order = message ? std::get_if<OpenSession>(&*message) : nullptr;
  if (order != nullptr && &connection != agent_.get() && connection.session == 0) {
    return open_session(connection, *order);
  }
  if (!message || connection.session != 0 || (hello != nullptr) == (&connection == agent_.get())) {
    log_.warning("an agent does not speak the protocol",
                 {{"error", message ? "Hello comes first, and once" : message.error().message}});
    connection.channel->close();
    return drop(connection);
  }
  hello != nullptr ? welcome(connection, *hello) : handler_.on_message(*message);
}

void AgentListener::welcome(Connection& connection, const Hello& hello) {
  std::unique_ptr<Connection> newest = take_newcomer(connection);
  CHECK(newest != nullptr, "a connection that says Hello is new");
  if (agent_ != nullptr) {
    close_agent();
    drop(*agent_);
  }
  agent_ = std::move(newest);
  agent_->end_with_me = hello.end_with_me;
  agent_->version = hello.version;
  handler_.on_agent();
}

void AgentListener::open_session(Connection& connection, const OpenSession& order) {
  connection.session = ++last_session_;
  sessions_.emplace(connection.session, take_newcomer(connection));
  handler_.on_session(connection.session, order);
}

void AgentListener::send_to_session(uint64_t number, const Message& message,
                                    std::vector<posix::FileDescriptor> descriptors) {
  const auto found = sessions_.find(number);
  if (found == sessions_.end()) {
    return;
  }
  Channel& channel = *found->second->channel;
  if (descriptors.empty()) {
    channel.send(encode(message));
  } else {
    channel.send_first(encode(message), std::move(descriptors));
  }
}

void AgentListener::close_session(uint64_t number) {
  const auto found = sessions_.find(number);
  if (found == sessions_.end()) {
    return;
  }
  const std::shared_ptr<Connection> closed = std::move(found->second);
  sessions_.erase(found);
  closed->session = 0;
  closed->channel->close();
  // It is destroyed in a turn of its own, never inside one of its callbacks.
  loop_.post([closed] {});
}

std::unique_ptr<AgentListener::Connection> AgentListener::take_newcomer(
    const Connection& connection) {
  const auto found = std::find_if(newcomers_.begin(), newcomers_.end(),
                                  [&](const auto& each) { return each.get() == &connection; });
  if (found == newcomers_.end()) {
    return nullptr;
  }
  std::unique_ptr<Connection> taken = std::move(*found);
  newcomers_.erase(found);
  return taken;
}

void AgentListener::drop(Connection& connection) {
  if (const uint64_t number = connection.session; number != 0) {
    close_session(number);
    handler_.on_session_closed(number);
    return;
  }
  std::shared_ptr<Connection> dropped =
      agent_.get() == &connection ? std::move(agent_) : take_newcomer(connection);
  if (dropped == nullptr) {
    return;
  }
  const bool end = dropped->end_with_me;
  // It is destroyed in a turn of its own, never inside one of its callbacks.
  loop_.post([dropped = std::move(dropped)] {});
  if (end) {
    handler_.on_end_with_agent();
  }
}

void AgentListener::send(const Message& message) {
  if (agent_ != nullptr) {
    agent_->channel->send(encode(message));
  }
}

void AgentListener::close_agent() {
  if (agent_ != nullptr) {
    agent_->channel->close();
    agent_->end_with_me = false;
  }
}

}  // namespace windlass::supervisor
