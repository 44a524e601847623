#include "apiserver/rest/stream_hub.h"

#include <utility>

namespace windlass::apiserver {

void Stream::wake() {
  if (hub_ != nullptr) {
    hub_->make_ready(*this);
  }
}

void StreamHub::add(std::shared_ptr<Stream> stream, std::shared_ptr<http::Exchange> exchange) {
  const uint64_t id = next_id_++;
  stream->hub_ = this;
  stream->id_ = id;
  stream->exchange_ = std::move(exchange);
  stream->exchange_->when_closed([weak = std::weak_ptr(self_), id] {
    if (const auto self = weak.lock()) {
      (*self)->remove(id);
    }
  });
  make_ready(*stream);
  streams_[id] = std::move(stream);
}

void StreamHub::remove(uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) {
    return;
  }
  const std::shared_ptr<Stream> stream = std::move(found->second);
  streams_.erase(found);
  stream->hub_ = nullptr;
}

void StreamHub::make_ready(Stream& stream) {
  if (std::exchange(stream.ready_, true)) {
    return;
  }
  ready_.push_back(stream.id_);
  post();
}

void StreamHub::post() {
  if (std::exchange(posted_, true)) {
    return;
  }
  executor_.post([weak = std::weak_ptr(self_)] {
    if (const auto self = weak.lock()) {
      (*self)->run_ready();
    }
  });
}

void StreamHub::run_ready() {
  posted_ = false;
  std::vector<uint64_t> batch;
  batch.swap(ready_);
  if (batch.size() > kRunsPerTask) {
    ready_.assign(batch.begin() + kRunsPerTask, batch.end());
    batch.resize(kRunsPerTask);
  }
  for (const uint64_t id : batch) {
    if (const std::shared_ptr<Stream> stream = find(id)) {  // it may end, and be removed
      stream->ready_ = false;
      run(*stream);
    }
  }
  if (!ready_.empty()) {
    post();
  }
}

std::shared_ptr<Stream> StreamHub::find(uint64_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

void StreamHub::run(Stream& stream) {
  if (stream.exchange_->unsent() > kMaxUnsent) {
    wait_for_client(stream);
    return;
  }
  switch (stream.run()) {
    case Stream::Next::again:
      make_ready(stream);
      return;
    case Stream::Next::wait:
      return;
    case Stream::Next::finished:
      remove(stream.id_);
  }
}

// Until the client has taken enough, nothing else makes the stream ready.
void StreamHub::wait_for_client(Stream& stream) {
  stream.ready_ = true;
  stream.exchange_->when_unsent_at_most(kMaxUnsent / 2,
                                        [weak = std::weak_ptr(self_), id = stream.id_] {
                                          const auto self = weak.lock();
                                          const auto waiting = self ? (*self)->find(id) : nullptr;
                                          if (waiting) {
                                            waiting->ready_ = false;
                                            (*self)->make_ready(*waiting);
                                          }
                                        });
}

}  // namespace windlass::apiserver
