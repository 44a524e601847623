// One connection to the server that carries requests, over whichever version of HTTP it was made
// for. Says of a request that got no answer whether it can have been applied.
//
// Lives on the event loop, which outlives it. Held by a shared pointer, because its owner may drop
// it from within a callback.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/message.h"

namespace windlass::remote {

// What a request says before its body; what it names lives as long as the call it is given to.
struct RequestHead {
  std::string_view method;
  bool tls = true;
  std::string authority = {};
  std::string path = {};
  std::string_view user_agent = {};
  std::string_view accept = {};
  std::string authorization = {};  // "" for none
  bool has_body = false;
  std::string_view content_type = {};  // of the body
};

struct HttpAnswer {
  int status = 0;
  http::Headers headers;
  std::string body;
};

// A request that will have no answer.
struct Loss {
  std::string why;
  // It may have been applied; otherwise it certainly was not.
  bool left = true;
  // Something of the answer had come.
  bool heard = false;
  // The server itself says that it did not begin with it, or was never asked: it may go again.
  bool refused = false;
};

// The receiver of the answer to one request. Exactly one of on_complete and on_lost ends it, unless
// it is cancelled, or the connection closed, before. None is called from inside of a call to the
// channel.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  // More has come, also when only the head: takes what it likes from the body, and answers whether
  // it wants more. What it does not want is cancelled.
  virtual bool on_more(HttpAnswer& answer) = 0;
  virtual void on_complete(HttpAnswer answer) = 0;
  virtual void on_lost(const Loss& loss) = 0;
};

class ClientConnection {
 public:
  virtual ~ClientConnection() = default;

  // The server has ended it, or wants no more requests on it, or takes more of them than before.
  void when_changed(std::function<void()> then) { on_changed_ = std::move(then); }

  // Which of the credentials' certificates it was made with.
  void made_with(uint64_t tls_generation) { tls_generation_ = tls_generation; }
  uint64_t tls_generation() const { return tls_generation_; }

  // Once made. Watches the socket.
  virtual void start() = 0;
  // Only with room(). The sink stays until it has heard the end, or cancel(), or close().
  virtual void send(const RequestHead& head, std::string body, AnswerSink& sink) = 0;
  // The sink hears nothing any more. Answers whether its request may have been applied.
  virtual bool cancel(AnswerSink& sink) = 0;
  // How many more requests it takes now.
  virtual size_t room() const = 0;
  // It takes more requests, now or when others have ended.
  virtual bool usable() const = 0;
  virtual bool closed() const = 0;
  // That it has carried so far.
  virtual size_t requests() const = 0;
  // It carries many requests at a time.
  virtual bool shares() const = 0;
  // Ends it; no sink hears anything any more.
  virtual void close() = 0;

 protected:
  void tell_changed() const {
    if (const auto on_changed = on_changed_) {
      on_changed();
    }
  }

 private:
  std::function<void()> on_changed_;
  uint64_t tls_generation_ = 0;
};

}  // namespace windlass::remote
