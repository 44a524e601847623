// The supervisor's socket and who connects to it: agents, and clients of one session each. The
// agent is the newest connection that has said Hello; an earlier one is that of an agent which died
// slowly. Lives on the event loop.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "env/log.h"
#include "posix/event_loop.h"
#include "supervisor/protocol/channel.h"
#include "supervisor/protocol/messages.h"

namespace windlass::supervisor {

class AgentListener {
 public:
  class Handler {
   public:
    // There is a new agent: send() reaches it.
    virtual void on_agent() = 0;
    virtual void on_message(const Message& message) = 0;
    // Its connection is gone, and it had asked for everything to end with it.
    virtual void on_end_with_agent() = 0;
    // A connection for one session, by a number of its own.
    virtual void on_session(uint64_t number, const OpenSession& order) = 0;
    // Its client is gone. Not after close_session().
    virtual void on_session_closed(uint64_t number) = 0;

   protected:
    ~Handler() = default;
  };

  AgentListener(posix::EventLoop& loop, env::Log& log, Handler& handler)
      : loop_(loop), log_(log), handler_(handler) {}
  ~AgentListener() { loop_.unwatch(watch_); }
  AgentListener(const AgentListener&) = delete;
  AgentListener& operator=(const AgentListener&) = delete;

  Result<void> listen(const std::string& directory);
  // An agent, or a connection that may become one, or a session.
  bool any() const { return agent_ != nullptr || !newcomers_.empty() || !sessions_.empty(); }
  // Of the agent's protocol; 0 without an agent.
  uint32_t version() const { return agent_ == nullptr ? 0 : agent_->version; }
  // To the agent, if there is one.
  void send(const Message& message);
  // Ends the agent's connection once all is written; nothing ends with it.
  void close_agent();
  // To a session's client, unless it is gone. Descriptors go with the first message only.
  void send_to_session(uint64_t number, const Message& message,
                       std::vector<posix::FileDescriptor> descriptors = {});
  void close_session(uint64_t number);

 private:
  // Until it has said Hello it gets no answers.
  struct Connection {
    std::unique_ptr<Channel> channel;
    bool end_with_me = false;
    uint32_t version = 0;
    uint64_t session = 0;  // 0: of no session
  };

  void accept();
  void on_frame(Connection& connection, std::string_view frame);
  void welcome(Connection& connection, const Hello& hello);
  void open_session(Connection& connection, const OpenSession& order);
  void drop(Connection& connection);
  std::unique_ptr<Connection> take_newcomer(const Connection& connection);

  posix::EventLoop& loop_;
  env::Log& log_;
  Handler& handler_;
  posix::FileDescriptor socket_;
  posix::WatchId watch_ = posix::WatchId::none;
  std::unique_ptr<Connection> agent_;
  std::vector<std::unique_ptr<Connection>> newcomers_;
  std::map<uint64_t, std::unique_ptr<Connection>> sessions_;
  uint64_t last_session_ = 0;
};

}  // namespace windlass::supervisor
