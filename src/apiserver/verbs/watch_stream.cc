#include "apiserver/verbs/watch_stream.h"

#include <google/protobuf/message.h>

#include "apiserver/verbs/request_errors.h"
#include "client/object_identity.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

using client::EventType;
using client::WatchEvent;

Status too_old(store::Revision wanted, store::Revision compacted) {
  return gone("too old resource version: " + std::to_string(wanted) + " (" +
              std::to_string(compacted) + ")");
}

}  // namespace

Result<std::unique_ptr<WatchStream>> WatchStream::open(Server& server, const Collection& collection,
                                                       std::string_view resource_version,
                                                       std::function<void()> wake,
                                                       InitialEvents initial) {
  const api::Kind& kind = *collection.kind;
  if (find_strategy(kind) == nullptr) {
    return fail(no_such_resource());
  }
  TRY(Selection selection, Selection::parse(collection));
  std::unique_ptr<WatchStream> stream(new WatchStream(server, kind, std::move(selection)));
  store::Store& store = server.store();
  const bool from_now = resource_version.empty() || resource_version == "0";
  stream->seen_ = client::version_number(resource_version);
  if (!from_now && stream->seen_ == 0) {
    return fail(bad_version_number(resource_version));
  }
  if (initial == InitialEvents::send || (from_now && initial != InitialEvents::skip)) {
    auto page = store.list({.resource = kind.plural, .ns = collection.ns});
    stream->initial_.assign(page->items.begin(), page->items.end());
    stream->seen_ = page->revision;
  } else if (from_now) {
    stream->seen_ = store.revision();
  }
  stream->watcher_ = store.watch(kind.plural, collection.ns, stream->seen_, std::move(wake));
  if (!stream->watcher_) {
    return fail(too_old(stream->seen_, store.compacted(kind.plural)));
  }
  return stream;
}

Result<std::optional<WatchEvent>> WatchStream::next(int& looks) {
  TRY(const std::optional<VersionEvent> event, next_version(looks));
  if (!event) {
    return std::nullopt;
  }
  return WatchEvent{event->type, object_of(*event)};
}

Result<std::optional<VersionEvent>> WatchStream::next_version(int& looks) {
  for (; !initial_.empty() && looks > 0; --looks) {
    const store::VersionPtr version = std::move(initial_.front());
    initial_.pop_front();
    if (selection_.everything() || selection_.matches(*server_.decode(kind_, *version))) {
      return VersionEvent{EventType::added, version};
    }
  }
  for (; looks > 0; --looks) {
    const store::Watcher::Next next = watcher_->next();
    if (next.gone) {
      return fail(too_old(seen_, watcher_->compacted()));
    }
    if (!next.version) {
      return std::nullopt;
    }
    seen_ = next.version->revision();
    if (std::optional<VersionEvent> event = translate(next.version)) {
      return event;
    }
  }
  return std::nullopt;
}

std::optional<VersionEvent> WatchStream::translate(const store::VersionPtr& version) {
  if (selection_.everything()) {
    const EventType type = version->change() == store::Change::created   ? EventType::added
                           : version->change() == store::Change::updated ? EventType::modified
                                                                         : EventType::deleted;
    return VersionEvent{type, version};
  }
  // M77: what counts is whether the watcher knew the object, and whether it still should.
  const store::VersionPtr& previous = version->previous();
  const bool knew = version->change() != store::Change::created && previous &&
                    selection_.matches(*server_.decode(kind_, *previous));
  const bool knows =
      !version->is_deletion() && selection_.matches(*server_.decode(kind_, *version));
  if (knew && knows) {
    return VersionEvent{EventType::modified, version};
  }
  if (knows) {
    return VersionEvent{EventType::added, version};
  }
  if (!knew) {
    return std::nullopt;
  }
  VersionEvent event{EventType::deleted, version};
  if (!version->is_deletion()) {
    event.left = as_of(*previous, version->revision());
  }
  return event;
}

// The old content, with the revision at which it stopped to match.
ObjectPtr WatchStream::as_of(const store::Version& content, store::Revision revision) {
  const ObjectPtr old = server_.decode(kind_, content);
  std::unique_ptr<Message> copy(old->New());
  copy->CopyFrom(*old);
  api::mutable_metadata_of(*copy).set_resource_version(std::to_string(revision));
  return copy;
}

}  // namespace windlass::apiserver
