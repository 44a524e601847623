#include "net/exchange_link.h"

#include <utility>

#include "base/check.h"

namespace windlass::net {

void Mailbox::put(std::shared_ptr<ExchangeLink> link, AnswerStep step) {
  const std::lock_guard lock(mutex_);
  if (wake_ == nullptr) {
    return;
  }
  items_.push_back({std::move(link), std::move(step)});
  if (items_.size() == 1) {
    wake_();
  }
}

std::vector<Mailbox::Item> Mailbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(items_, {});
}

void Mailbox::close() {
  std::vector<Item> dropped;
  const std::lock_guard lock(mutex_);
  wake_ = nullptr;
  dropped = std::exchange(items_, {});
}

void ExchangeLink::on_sent(size_t chunk_bytes) {
  if (chunk_bytes > 0) {
    unsent_.fetch_sub(chunk_bytes);
    post_if_drained();
  }
}

// Both sides call this after they have changed what they own, so one of them sees both changes.
void ExchangeLink::post_if_drained() {
  const size_t limit = waits_for_.load();
  if (limit == kNobodyWaits || unsent_.load() > limit) {
    return;
  }
  if (waits_for_.exchange(kNobodyWaits) == kNobodyWaits) {
    return;  // the other side was quicker
  }
  core_.post([self = shared_from_this()] {
    if (const auto then = std::exchange(self->when_drained_, nullptr); then && !self->over_) {
      then();
    }
  });
}

void ExchangeLink::on_received(std::string bytes) {
  core_.post([self = shared_from_this(), bytes = std::move(bytes)]() mutable {
    if (const auto then = std::exchange(self->when_received_, nullptr); then && !self->over_) {
      then(std::move(bytes));
    }
  });
}

void ExchangeLink::on_closed() {
  connection = nullptr;
  client_gone_.store(true);
  core_.post([self = shared_from_this()] {
    if (std::exchange(self->over_, true)) {
      return;
    }
    // Destroyed here, on the core, whatever they hold.
    const auto drained = std::exchange(self->when_drained_, nullptr);
    const auto received = std::exchange(self->when_received_, nullptr);
    if (const auto closed = std::exchange(self->when_closed_, nullptr)) {
      closed();
    }
  });
}

CoreExchange::~CoreExchange() {
  if (!ended_) {
    end(AbortAnswer{});
  }
}

void CoreExchange::put(AnswerStep step) {
  if (!link_->over_) {
    link_->mailbox_->put(link_, std::move(step));
  }
}

void CoreExchange::end(AnswerStep step) {
  put(std::move(step));
  ended_ = true;
  link_->over_ = true;
  // They may hold what holds this exchange: gone once the answer is said.
  const auto drained = std::exchange(link_->when_drained_, nullptr);
  const auto closed = std::exchange(link_->when_closed_, nullptr);
  const auto received = std::exchange(link_->when_received_, nullptr);
}

void CoreExchange::respond(http::Response response) {
  CHECK(!started_ && !ended_, "respond() once, and not after start()");
  end(std::move(response));
}

void CoreExchange::start(int status, http::Headers headers) {
  CHECK(!started_ && !ended_, "start() once, and not after respond()");
  started_ = true;
  put(StartAnswer{status, std::move(headers)});
}

void CoreExchange::write(http::Chunk chunk) {
  CHECK(started_ && !ended_, "write() between start() and finish()");
  if (!link_->over_) {
    link_->unsent_.fetch_add(chunk->size());
    put(std::move(chunk));
  }
}

void CoreExchange::finish() {
  CHECK(started_ && !ended_, "finish() once, and after start()");
  end(FinishAnswer{});
}

void CoreExchange::abort() {
  if (!ended_) {
    end(AbortAnswer{});
  }
}

size_t CoreExchange::unsent() const {
  return link_->unsent();
}

void CoreExchange::when_unsent_at_most(size_t bytes, std::function<void()> then) {
  if (link_->over_) {
    return;
  }
  CHECK(link_->when_drained_ == nullptr, "one at a time waits for the client");
  link_->when_drained_ = std::move(then);
  link_->waits_for_.store(bytes);
  link_->post_if_drained();
}

void CoreExchange::when_closed(std::function<void()> then) {
  if (ended_) {
    return;
  }
  if (link_->over_) {
    link_->core_.post(std::move(then));
    return;
  }
  link_->when_closed_ = std::move(then);
}

void CoreExchange::upgrade(const std::string& protocol, http::Headers headers) {
  CHECK(!started_ && !ended_, "upgrade() once, and not after an answer");
  started_ = true;
  put(UpgradeAnswer{protocol, std::move(headers)});
}

void CoreExchange::receive(std::function<void(std::string)> then) {
  if (link_->over_) {
    return;
  }
  CHECK(link_->when_received_ == nullptr, "one at a time waits for bytes");
  link_->when_received_ = std::move(then);
  put(ReceiveMore{});
}

}  // namespace windlass::net
