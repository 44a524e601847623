// One watch on a collection: what a client is told, event by event, from the changes in the store
// and its selectors (api.md M76-M79). Pulled, never pushed: the transport asks for the next
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

#include "apiserver/server.h"
#include "apiserver/verbs/selection.h"
#include "client/api_client.h"
#include "store/store.h"

namespace windlass::apiserver {

// Whether a watch begins with the objects that there are. By itself the version says so: "" and "0"
// do, any other one does not (api.md M78, M81).
enum class InitialEvents { as_version_says, send, skip };

// A change as the store has it: a reader that has encoded this version before can reuse that.
struct VersionEvent {
  client::EventType type = client::EventType::added;
  store::VersionPtr version;
  // Instead of the version's own content: an object as it was before it left the selection.
  ObjectPtr left = {};
};

class WatchStream {
 public:
  // From behind `resource_version`. `wake` runs once after next() had nothing, and may only
  // schedule a call; without it nothing tells that there is more. 410 when the version is too old.
  static Result<std::unique_ptr<WatchStream>> open(
      Server& server, const Collection& collection, std::string_view resource_version,
      std::function<void()> wake, InitialEvents initial = InitialEvents::as_version_says);

  // What a task may look at, so that it does not keep the others waiting: with selectors each
  // version has to be decoded, and few of them may match.
  static constexpr int kLooksPerTask = 200;

  // The next event; nothing when there is none now; an error, the last answer, when the stream
  // lost its place. Takes from `looks` for every version that does not match: at 0 the answer is
  // nothing, but there may be more, and the caller is not woken for it.
  Result<std::optional<client::WatchEvent>> next(int& looks);
  Result<std::optional<VersionEvent>> next_version(int& looks);

  // Without selectors: then the changes of the store say it all.
  bool everything() const { return selection_.everything(); }
  // The objects that were there at the beginning have all been given out.
  bool initial_done() const { return initial_.empty(); }
  ObjectPtr object_of(const VersionEvent& event) {
    return event.left ? event.left : server_.decode(kind_, *event.version);
  }

 private:
  WatchStream(Server& server, const api::Kind& kind, Selection selection)
      : server_(server), kind_(kind), selection_(std::move(selection)) {}

  // What a change is to this watch: nothing at all, if the selectors say so.
  std::optional<VersionEvent> translate(const store::VersionPtr& version);
  ObjectPtr as_of(const store::Version& content, store::Revision revision);

  Server& server_;
  const api::Kind& kind_;
  Selection selection_;
  std::deque<store::VersionPtr> initial_;
  std::unique_ptr<store::Watcher> watcher_;
  store::Revision seen_ = 0;
};

}  // namespace windlass::apiserver
