#include "apiserver/event_expiry.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "api/codec/wire_time.h"
#include "base/time.h"
#include "client/object_identity.h"
#include "schema/core/v1/event.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using api::time_of;
using api::core::v1::Event;

// Old recorders raise lastTimestamp, new ones the series; each such write keeps the event.
Time last_happened(const Event& event) {
  return std::max({time_of(event.metadata().creation_timestamp()), time_of(event.last_timestamp()),
                   time_of(event.event_time()), time_of(event.series().last_observed_time())});
}

}  // namespace

EventExpiry::EventExpiry(Server& server, env::Executor& executor, env::Clock& clock,
                         EventExpiryOptions options)
    : server_(server),
      executor_(executor),
      clock_(clock),
      options_(options),
      old_(server.store().revision()) {  // when those were written is unknown
  look_later(options_.period);
}

EventExpiry::~EventExpiry() {
  executor_.cancel(timer_);
}

void EventExpiry::look_later(Duration delay) {
  timer_ = executor_.schedule(delay, [this] { look(); });
}

void EventExpiry::begin_pass() {
  const MonotonicTime now = clock_.monotonic();
  marks_.push_back({now, server_.store().revision()});
  while (!marks_.empty() && now - marks_.front().at >= options_.keep) {
    old_ = marks_.front().revision;
    marks_.pop_front();
  }
}

void EventExpiry::look() {
  if (continue_token_.empty()) {
    begin_pass();
  }
  const api::Kind& kind = api::kinds::event();
  const auto page = server_.read({&kind, "", "", ""}, {options_.page, continue_token_});
  if (!page) {  // the history has moved past the token
    continue_token_.clear();
    seen_.clear();
    look_later(options_.period);
    return;
  }
  const Time now = clock_.now();
  for (const store::VersionPtr& version : page->items) {
    seen_.push_back(version->revision());
    const bool is_surplus = version->revision() <= surplus_;
    if (version->revision() > old_ && !is_surplus) {
      continue;
    }
    const ObjectPtr object = server_.decode(kind, *version);
    const auto& event = static_cast<const Event&>(*object);
    if (now - latest_instant(last_happened(event)) < options_.keep && !is_surplus) {
      continue;
    }
    // Only as it was seen: one that has just happened again stays. What fails now is tried again.
    DeleteOptions options;
    options.preconditions.resource_version = event.metadata().resource_version();
    const client::KeyParts key = client::split_key(version->key());
    server_.remove({&kind, key.ns, key.name}, options);
  }
  continue_token_ = page->continue_token;
  const bool ended = continue_token_.empty();
  if (ended) {
    end_pass();
  }
  look_later(ended && surplus_ == 0 ? options_.period : Duration::zero());
}

// A pass goes by names, so only at its end is it known which events are the oldest: the next pass,
// which follows at once, removes those.
void EventExpiry::end_pass() {
  const size_t most = options_.most;
  const bool was_surplus = std::exchange(surplus_, 0) != 0;
  if (!was_surplus && seen_.size() > most) {
    const auto newest_surplus = seen_.begin() + static_cast<ptrdiff_t>(seen_.size() - most - 1);
    std::nth_element(seen_.begin(), newest_surplus, seen_.end());
    surplus_ = *newest_surplus;
  }
  seen_.clear();
}

}  // namespace windlass::apiserver
