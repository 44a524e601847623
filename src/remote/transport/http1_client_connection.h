// A connection over which requests go one after the other: HTTP/1.1, kept alive. A request that had
// not left whole cannot have been applied. Owns its stream.
#pragma once

#include <memory>
#include <string>

#include "http/response_parser.h"
#include "net/stream/output_queue.h"
#include "net/stream/stream_pump.h"
#include "remote/transport/client_connection.h"

namespace windlass::remote {

class Http1ClientConnection final : public ClientConnection,
                                    private net::StreamUser,
                                    public std::enable_shared_from_this<Http1ClientConnection> {
 public:
  Http1ClientConnection(posix::EventLoop& loop, std::unique_ptr<net::ByteStream> stream);
  Http1ClientConnection(const Http1ClientConnection&) = delete;
  Http1ClientConnection& operator=(const Http1ClientConnection&) = delete;

  void start() override { pump_.start(0); }
  void send(const RequestHead& head, std::string body, AnswerSink& sink) override;
  // Closes it: the answer would come for no request.
  bool cancel(AnswerSink& sink) override;
  size_t room() const override { return usable() && sink_ == nullptr ? 1 : 0; }
  bool usable() const override { return !closed(); }
  bool closed() const override { return pump_.closed(); }
  size_t requests() const override { return requests_; }
  bool shares() const override { return false; }
  void close() override;

 private:
  void on_ready(uint32_t events) override;
  size_t output(std::span<std::string_view> parts) override { return output_.front(parts); }
  void on_sent(size_t bytes) override { output_.consume(bytes); }
  // Also without a request: then it hears when the server ends the connection.
  bool reads() const override { return !closed(); }
  size_t on_received(std::string_view bytes) override;
  void on_ended(net::Io how, const std::string& why) override;

  void take(std::string_view bytes);
  bool tell_more();
  void complete();
  void lose(const std::string& why);
  // It cannot be used any more, and carried no request.
  void end_idle();

  net::StreamPump pump_;
  net::OutputQueue output_;
  http::ResponseParser parser_;
  HttpAnswer answer_;
  AnswerSink* sink_ = nullptr;
  size_t requests_ = 0;
};

}  // namespace windlass::remote
