// One watch on a collection: what a client is told, event by event, from the changes in the store
// and its selectors (api.md M76-M79). Pulled, never pushed: whoever transports it asks for the next
// event when it can take one, and is woken when there is something to ask for.
//
// Must not outlive the server. Core thread only.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/selection.h"
#include "apiserver/server.h"
#include "client/api_client.h"
#include "store/store.h"

namespace windlass::apiserver {

class WatchStream {
 public:
  // From behind `resource_version`; "" and "0" begin with the objects there are. `wake` runs once
  // after next() had nothing, and may only schedule a call. 410 when the version is too old.
  static Result<std::unique_ptr<WatchStream>> open(Server& server, const Collection& collection,
                                                   std::string_view resource_version,
                                                   std::function<void()> wake);

  // The next event; nothing when there is none now; an error, the last answer, when the stream
  // lost its place.
  Result<std::optional<client::WatchEvent>> next();

 private:
  WatchStream(Server& server, const api::Kind& kind, Selection selection)
      : server_(server), kind_(kind), selection_(std::move(selection)) {}

  // What a change is to this watch: nothing at all, if the selectors say so.
  std::optional<client::WatchEvent> translate(const store::Version& version);
  ObjectPtr as_of(const store::Version& content, store::Revision revision);

  Server& server_;
  const api::Kind& kind_;
  Selection selection_;
  std::deque<store::VersionPtr> initial_;
  std::unique_ptr<store::Watcher> watcher_;
  store::Revision seen_ = 0;
};

}  // namespace windlass::apiserver
