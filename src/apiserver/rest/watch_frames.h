// The frames of a watch (api.md M75, M76, M85, M20d, M20e): one event as bytes, in the encoding and
// form that were negotiated. A plain event is encoded once and shared by all who watch it. Core
// executor only.
#pragma once

#include "apiserver/rest/encoded_cache.h"
#include "apiserver/rest/views.h"
#include "apiserver/watch_stream.h"
#include "base/status.h"
#include "env/clock.h"
#include "http/message.h"

namespace windlass::apiserver {

class WatchFrames {
 public:
  WatchFrames(EncodedCache& cache, env::Clock& clock, ViewOptions view, const api::Kind& kind)
      : cache_(cache), clock_(clock), view_(std::move(view)), kind_(kind) {}

  http::Chunk event(WatchStream& stream, const VersionEvent& event);
  http::Chunk bookmark(store::Revision revision, bool ends_initial_events);
  http::Chunk error(const Status& failure);

 private:
  http::Chunk frame(std::string_view type, const Message& object);

  EncodedCache& cache_;
  env::Clock& clock_;
  ViewOptions view_;
  const api::Kind& kind_;
  bool columns_sent_ = false;
};

}  // namespace windlass::apiserver
