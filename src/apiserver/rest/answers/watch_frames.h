// The frames of a watch (api.md M75, M76, M85, M20d, M20e): one event as bytes, in the encoding and
// form that were negotiated. A plain event is encoded once and shared by all who watch it, and so
// are several that come together. Core executor only.
#pragma once

#include <span>

#include "apiserver/rest/answers/encoded_cache.h"
#include "apiserver/rest/answers/views.h"
#include "apiserver/verbs/watch_stream.h"
#include "base/status.h"
#include "env/clock.h"
#include "http/message.h"

namespace windlass::apiserver {

class WatchFrames {
 public:
  struct Shared {
    EncodedCache& encoded;
    WatchBatches& batches;
  };
  WatchFrames(Shared shared, env::Clock& clock, ViewOptions view, const api::Kind& kind)
      : shared_(shared), clock_(clock), view_(std::move(view)), kind_(kind) {}

  // At least one. `live` are changes, all of them, not objects that were there at the beginning.
  http::Chunk events(WatchStream& stream, std::span<const VersionEvent> events, bool live);
  http::Chunk bookmark(store::Revision revision, bool ends_initial_events);
  http::Chunk error(const Status& failure);

 private:
  http::Chunk event(WatchStream& stream, const VersionEvent& event);
  http::Chunk frame(std::string_view type, const Message& object);

  Shared shared_;
  env::Clock& clock_;
  ViewOptions view_;
  const api::Kind& kind_;
  bool columns_sent_ = false;
};

}  // namespace windlass::apiserver
