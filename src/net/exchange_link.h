// The two ends of one request being answered: CoreExchange for the handler on the core executor,
// the connection on its I/O thread, and the ExchangeLink they share. What the handler says travels
// through the I/O thread's Mailbox; what happens to the client travels back as a task on the core
// executor. Either end may go first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "env/executor.h"
#include "http/handler.h"

namespace windlass::net {

class ServerConnection;
class ExchangeLink;

struct StartAnswer {
  int status;
  http::Headers headers;
};
struct UpgradeAnswer {
  std::string protocol;
  http::Headers headers;
};
struct ReceiveMore {};
struct FinishAnswer {};
struct AbortAnswer {};
using AnswerStep = std::variant<http::Chunk, http::Response, StartAnswer, UpgradeAnswer,
                                ReceiveMore, FinishAnswer, AbortAnswer>;

// Steps of answers on their way to one I/O thread, in order. Many of them wake the thread once.
class Mailbox {
 public:
  struct Item {
    std::shared_ptr<ExchangeLink> link;
    AnswerStep step;
  };

  // `wake` makes the I/O thread call take(); it runs under the mailbox's lock.
  explicit Mailbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void put(std::shared_ptr<ExchangeLink> link, AnswerStep step);
  std::vector<Item> take();
  // Nothing wakes the thread any more, and nothing is kept.
  void close();

 private:
  std::mutex mutex_;
  std::function<void()> wake_;  // under mutex_; empty once closed
  std::vector<Item> items_;     // under mutex_
};

class ExchangeLink : public std::enable_shared_from_this<ExchangeLink> {
 public:
  ExchangeLink(env::Executor& core, std::shared_ptr<Mailbox> mailbox, ServerConnection* answers_to,
               int32_t of_stream = 0)
      : connection(answers_to), stream(of_stream), core_(core), mailbox_(std::move(mailbox)) {}

  // The I/O thread's side. `connection` is null once the answer is complete or the client gone.
  ServerConnection* connection;
  const int32_t stream;  // of the connection, where that has several
  size_t unsent() const { return unsent_.load(); }
  void on_sent(size_t chunk_bytes);
  void on_received(std::string bytes);
  void on_closed();

  // For both sides.
  bool is_client_gone() const { return client_gone_.load(); }

 private:
  friend class CoreExchange;
  static constexpr size_t kNobodyWaits = ~size_t{0};

  void post_if_drained();

  env::Executor& core_;
  std::shared_ptr<Mailbox> mailbox_;
  std::atomic<size_t> unsent_{0};
  // The side that takes the value out of it posts the task.
  std::atomic<size_t> waits_for_{kNobodyWaits};
  std::atomic<bool> client_gone_{false};

  // The core's side.
  bool over_ = false;  // complete, or the client is gone
  std::function<void()> when_drained_;
  std::function<void()> when_closed_;
  std::function<void(std::string)> when_received_;
};

// What a handler holds. Let go without an answer, it answers 500 or cuts the stream.
class CoreExchange final : public http::Exchange {
 public:
  explicit CoreExchange(std::shared_ptr<ExchangeLink> link) : link_(std::move(link)) {}
  ~CoreExchange() override;
  CoreExchange(const CoreExchange&) = delete;
  CoreExchange& operator=(const CoreExchange&) = delete;

  void respond(http::Response response) override;
  void start(int status, http::Headers headers) override;
  void write(http::Chunk chunk) override;
  void finish() override;
  void abort() override;
  size_t unsent() const override;
  void when_unsent_at_most(size_t bytes, std::function<void()> then) override;
  void when_closed(std::function<void()> then) override;
  void upgrade(const std::string& protocol, http::Headers headers) override;
  void receive(std::function<void(std::string)> then) override;

  // Sooner than when_closed() tells: also while what tells it waits behind others.
  bool is_client_gone() const { return link_->is_client_gone(); }

 private:
  void put(AnswerStep step);
  void end(AnswerStep step);

  std::shared_ptr<ExchangeLink> link_;
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace windlass::net
