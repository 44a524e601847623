// A connection over which requests go one after the other: HTTP/1.1, kept alive. A request that had
// not left whole cannot have been applied. Owns its stream.
#pragma once

#include <memory>
#include <string>

#include "http/response_parser.h"
#include "net/output_queue.h"
#include "net/stream.h"
#include "posix/event_loop.h"
#include "remote/channel.h"

namespace windlass::remote {

class Connection final : public Channel, public std::enable_shared_from_this<Connection> {
 public:
  Connection(posix::EventLoop& loop, std::unique_ptr<net::Stream> stream);
  ~Connection() override { close(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() override;
  void send(const RequestHead& head, std::string body, AnswerSink& sink) override;
  // Closes it: what comes would be for nobody.
  bool cancel(AnswerSink& sink) override;
  size_t room() const override { return usable() && sink_ == nullptr ? 1 : 0; }
  bool usable() const override { return stream_ != nullptr; }
  bool closed() const override { return stream_ == nullptr; }
  size_t requests() const override { return requests_; }
  bool shares() const override { return false; }
  void close() override;

 private:
  static constexpr size_t kReadBytes = size_t{64} * 1024;
  static constexpr int kReadsPerTurn = 16;  // so that others get their turn

  void on_ready();
  void on_idle_ready();
  void go_on_later();
  bool write_some();
  bool read_some();
  bool take(std::string_view bytes);
  bool tell_more();
  void complete();
  void lose(const std::string& why);
  void watch_for(uint32_t events);

  posix::EventLoop& loop_;
  std::unique_ptr<net::Stream> stream_;
  posix::WatchId watch_ = posix::WatchId::none;
  uint32_t watched_ = 0;
  net::OutputQueue output_;
  http::ResponseParser parser_;
  HttpAnswer answer_;
  AnswerSink* sink_ = nullptr;
  size_t requests_ = 0;
};

}  // namespace windlass::remote
