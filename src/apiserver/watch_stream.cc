#include "apiserver/watch_stream.h"

#include <google/protobuf/message.h>

#include "apiserver/request_errors.h"
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
                                                       std::function<void()> wake) {
  const api::Kind& kind = *collection.kind;
  if (find_strategy(kind) == nullptr) {
    return fail(no_such_resource());
  }
  TRY(Selection selection, Selection::parse(collection));
  std::unique_ptr<WatchStream> stream(new WatchStream(server, kind, std::move(selection)));
  store::Store& store = server.store();
  stream->seen_ = client::version_number(resource_version);
  if (resource_version.empty() || resource_version == "0") {
    auto page = store.list({.resource = kind.plural, .ns = collection.ns});
    stream->initial_.assign(page->items.begin(), page->items.end());
    stream->seen_ = page->revision;
  } else if (stream->seen_ == 0) {
    return fail(bad_version_number(resource_version));
  }
  stream->watcher_ = store.watch(kind.plural, collection.ns, stream->seen_, std::move(wake));
  if (!stream->watcher_) {
    return fail(too_old(stream->seen_, store.compacted(kind.plural)));
  }
  return stream;
}

Result<std::optional<WatchEvent>> WatchStream::next() {
  while (!initial_.empty()) {
    const ObjectPtr object = server_.decode(kind_, *initial_.front());
    initial_.pop_front();
    if (selection_.matches(*object)) {
      return WatchEvent{EventType::added, object};
    }
  }
  while (true) {
    const store::Watcher::Next next = watcher_->next();
    if (next.gone) {
      return fail(too_old(seen_, watcher_->compacted()));
    }
    if (!next.version) {
      return std::nullopt;
    }
    seen_ = next.version->revision();
    if (std::optional<WatchEvent> event = translate(*next.version)) {
      return event;
    }
  }
}

std::optional<WatchEvent> WatchStream::translate(const store::Version& version) {
  const ObjectPtr object = server_.decode(kind_, version);
  if (selection_.everything()) {
    const EventType type = version.change() == store::Change::created   ? EventType::added
                           : version.change() == store::Change::updated ? EventType::modified
                                                                        : EventType::deleted;
    return WatchEvent{type, object};
  }
  // M77: what counts is whether the watcher knew the object, and whether it still should.
  const store::VersionPtr& previous = version.previous();
  const bool knew = version.change() != store::Change::created && previous &&
                    selection_.matches(*server_.decode(kind_, *previous));
  const bool knows = !version.is_deletion() && selection_.matches(*object);
  if (knew && knows) {
    return WatchEvent{EventType::modified, object};
  }
  if (knows) {
    return WatchEvent{EventType::added, object};
  }
  if (knew) {
    return WatchEvent{EventType::deleted,
                      version.is_deletion() ? object : as_of(*previous, version.revision())};
  }
  return std::nullopt;
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
