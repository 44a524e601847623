// The seam between the transport (src/net: sockets, TLS, framing, limits) and what answers requests
// (src/apiserver/rest). A request is answered in three steps. `read_head` identifies the caller and
// `prepare` routes the request and decodes its body, both on a transport thread; the Call that
// `prepare` makes runs on the core executor, where the store is.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "http/message.h"

namespace windlass::http {

// One request being answered. Lives on the core executor; the transport carries everything over to
// its own threads. Either respond() once, or start(), any number of write() and finish().
class Exchange {
 public:
  virtual ~Exchange() = default;

  virtual void respond(Response response) = 0;

  // A streamed answer (chunked): the head goes out at once, and so does every chunk.
  virtual void start(int status, Headers headers) = 0;
  virtual void write(Chunk chunk) = 0;
  virtual void finish() = 0;
  // Ends a streamed answer in its middle, so that the client sees that it is cut.
  virtual void abort() = 0;

  // Bytes written that the client has not taken yet. A writer holds back above a limit of its own.
  virtual size_t unsent() const = 0;
  // Runs once unsent() has fallen to at most `bytes`; one at a time.
  virtual void when_unsent_at_most(size_t bytes, std::function<void()> then) = 0;
  // Runs once if the client goes away, or the server stops, before the answer is complete.
  virtual void when_closed(std::function<void()> then) = 0;

  // Instead of an answer, when the request asked for it (Upgrade, HTTP/1.1): 101, and from then on
  // the connection carries what both sides make of it. write(), finish() and abort() go on as with
  // start(), without framing. Where connections do not upgrade the answer is 501.
  virtual void upgrade(const std::string& /*protocol*/, Headers /*headers*/) {
    Response refusal;
    refusal.status = 501;
    respond(std::move(refusal));
  }
  // What the client sends then: runs once, with the next bytes. Until it is asked for again, the
  // client waits. One at a time.
  virtual void receive(std::function<void(std::string)> /*then*/) {}
};

class Call {
 public:
  virtual ~Call() = default;
  // On the core executor. A call that outlives this keeps the exchange.
  virtual void run(std::shared_ptr<Exchange> exchange) = 0;
  // Takes microseconds: the transport thread may run it itself, in the core's turn.
  virtual bool is_quick() const { return false; }
};

// All methods run on any thread, any number at once, and must not touch anything that changes.
class Handler {
 public:
  virtual ~Handler() = default;
  // Called once per request, before the body arrives; the head has no body and no peer. The result
  // goes into Request::context. By default every caller is an admin.
  virtual std::shared_ptr<RequestContext> read_head(const Request& /*head*/,
                                                    const Peer& /*peer*/) const {
    return std::make_shared<RequestContext>();
  }
  // Called only when a body is still to come. A response refuses the request without reading the
  // body, so that a caller without permission cannot make the transport hold anything.
  virtual std::optional<Response> screen(const Request& /*head*/,
                                         RequestContext& /*context*/) const {
    return std::nullopt;
  }
  // A Response is an answer that needs no look at the store (401, 404 for an unknown path, 415).
  virtual std::variant<Response, std::unique_ptr<Call>> prepare(Request request) const = 0;
};

}  // namespace windlass::http
