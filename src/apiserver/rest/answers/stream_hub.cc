#include "apiserver/rest/answers/stream_hub.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace windlass::apiserver {

void Stream::wake() {
  if (hub_ != nullptr) {
    hub_->make_ready(hub_->find(id_));
  }
}

void StreamHub::add(const StreamPtr& stream, std::shared_ptr<http::Exchange> exchange,
                    std::string_view resource) {
  const uint64_t id = next_id_++;
  stream->hub_ = this;
  stream->id_ = id;
  stream->resource_ = resource;
  stream->exchange_ = std::move(exchange);
  stream->exchange_->when_closed(self_.bind([id](StreamHub& hub) { hub.remove(id); }));
  streams_[id] = stream;
  join(stream);
  make_ready(stream);
}

void StreamHub::join(const StreamPtr& stream) {
  if (stream->resource_.empty()) {
    return;
  }
  Group& group = groups_[stream->resource_];
  group.members.push_back(stream);
  if (group.probe == nullptr) {
    group.probe = store_.watch(stream->resource_, "", store_.revision(), [this, &group] {
      group.woken = true;
      post();
    });
    group.probe->skip();
  }
}

void StreamHub::leave(const StreamPtr& stream) {
  const auto found = groups_.find(stream->resource_);
  if (found == groups_.end()) {
    return;
  }
  std::erase(found->second.members, stream);
  if (found->second.members.empty()) {
    groups_.erase(found);
  }
}

void StreamHub::remove(uint64_t id) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) {
    return;
  }
  const StreamPtr stream = std::move(found->second);
  streams_.erase(found);
  leave(stream);
  stream->hub_ = nullptr;
}

void StreamHub::make_ready(StreamPtr stream) {
  if (std::exchange(stream->ready_, true)) {
    return;
  }
  ready_.push_back(std::move(stream));
  post();
}

void StreamHub::post() {
  if (std::exchange(posted_, true)) {
    return;
  }
  executor_.post(self_.bind(&StreamHub::run_ready));
}

void StreamHub::wake_groups() {
  for (auto& [resource, group] : groups_) {
    if (std::exchange(group.woken, false)) {
      group.probe->skip();
      for (const StreamPtr& stream : group.members) {
        make_ready(stream);
      }
    }
  }
}

void StreamHub::run_ready() {
  posted_ = false;
  wake_groups();
  std::vector<StreamPtr> batch;
  batch.swap(ready_);
  const size_t most = std::min(batch.size(), kRunsPerTask);
  size_t ran = 0;
  for (size_t busy = 0; ran < most && busy < kBusyRunsPerTask; ++ran) {
    Stream& stream = *batch[ran];
    stream.ready_ = false;
    if (stream.hub_ != nullptr && run(batch[ran])) {
      ++busy;
    }
  }
  // The others are first next time.
  ready_.insert(ready_.begin(),
                std::make_move_iterator(batch.begin() + static_cast<ptrdiff_t>(ran)),
                std::make_move_iterator(batch.end()));
  if (!ready_.empty()) {
    post();
  }
}

StreamHub::StreamPtr StreamHub::find(uint64_t id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

bool StreamHub::run(const StreamPtr& stream) {
  if (stream->exchange_->unsent() > kMaxUnsent) {
    wait_for_client(stream);
    return false;
  }
  switch (stream->run()) {
    case Stream::Next::again:
      make_ready(stream);
      return true;
    case Stream::Next::wait:
      return false;
    case Stream::Next::finished:
      remove(stream->id_);
  }
  return false;
}

// Until the client has taken enough, nothing else makes the stream ready.
void StreamHub::wait_for_client(const StreamPtr& stream) {
  stream->ready_ = true;
  stream->exchange_->when_unsent_at_most(kMaxUnsent / 2,
                                         self_.bind([id = stream->id_](StreamHub& hub) {
                                           if (const StreamPtr waiting = hub.find(id)) {
                                             waiting->ready_ = false;
                                             hub.make_ready(waiting);
                                           }
                                         }));
}

}  // namespace windlass::apiserver
