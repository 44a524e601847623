#include "verify/simulation/faults/faulty_watch.h"

#include <algorithm>
#include <utility>

#include "client/object_identity.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::verify::simulation {
namespace {

Status stream_lost() {
  return plain_error("read: connection reset by peer");
}

}  // namespace

struct FaultyWatch::Stream : std::enable_shared_from_this<Stream> {
  Stream(Line& the_line, std::shared_ptr<SeenVersions> the_seen, client::Collection what,
         std::string version, client::WatchHandler the_handler)
      : line(the_line),
        seen(std::move(the_seen)),
        collection(std::move(what)),
        resource_version(std::move(version)),
        handler(std::move(the_handler)) {}

  void open();
  void on_event(const client::WatchEvent& event);
  // Later than everything before it, on the component's executor.
  void tell(std::function<void(Stream&)> task);
  void tell_event(const client::WatchEvent& event);
  void end(Status why, Duration delay = Duration::zero());

  Line& line;
  std::shared_ptr<SeenVersions> seen;
  client::Collection collection;
  std::string resource_version;
  client::WatchHandler handler;
  std::unique_ptr<client::Watch> inner;
  MonotonicTime last_told{};
  bool ended = false;
};

void FaultyWatch::Stream::open() {
  client::ApiClient* client = line.host.client(line.component);
  if (client == nullptr) {
    end(stream_lost());
    return;
  }
  inner = client->watch(collection, resource_version,
                        {[this](const client::WatchEvent& event) { on_event(event); },
                         [this](Status status) { end(std::move(status)); }});
}

void FaultyWatch::Stream::on_event(const client::WatchEvent& event) {
  if (ended) {
    return;
  }
  const std::optional<Strike> strike = line.faults.at(line.component, Site::event);
  if (!strike) {
    tell_event(event);
    return;
  }
  switch (strike->fault) {
    case ClientFault::frozen:
      last_told = std::max(last_told, line.now() + strike->amount);
      tell_event(event);
      break;
    case ClientFault::skipped:
      end(gone("too old resource version"), strike->amount);
      break;
    case ClientFault::broken:
      end(stream_lost());
      break;
    case ClientFault::gone:
      tell_event(event);
      end(gone("too old resource version"));
      break;
    case ClientFault::repeated:
      tell_event(event);
      tell_event(event);
      break;
    case ClientFault::bookmark:
      tell_event(event);
      tell_event({client::EventType::bookmark, event.object});
      break;
    default:
      tell_event(event);
      break;
  }
}

void FaultyWatch::Stream::tell(std::function<void(Stream&)> task) {
  last_told = std::max(last_told, line.now() + line.delay());
  line.own.schedule(last_told - line.now(), [weak = weak_from_this(), task = std::move(task)] {
    if (const auto stream = weak.lock()) {
      task(*stream);
    }
  });
}

void FaultyWatch::Stream::tell_event(const client::WatchEvent& event) {
  tell([event](Stream& stream) {
    if (event.type != client::EventType::bookmark) {
      stream.seen->note(event.object);
    }
    stream.handler.on_event(event);
  });
}

void FaultyWatch::Stream::end(Status why, Duration delay) {
  if (std::exchange(ended, true)) {
    return;
  }
  last_told = std::max(last_told, line.now() + delay);
  tell([why = std::move(why)](Stream& stream) { stream.handler.on_end(why); });
}

FaultyWatch::FaultyWatch(Line& line, std::shared_ptr<SeenVersions> seen,
                         const client::Collection& collection, const std::string& resource_version,
                         client::WatchHandler handler)
    : stream_(std::make_shared<Stream>(line, std::move(seen), collection, resource_version,
                                       std::move(handler))) {
  line.host.when_lost(stream_, [stream = stream_.get()] {
    stream->inner.reset();
    stream->end(stream_lost());
  });
  line.host.executor().schedule(line.delay(), [weak = std::weak_ptr(stream_)] {
    if (const auto stream = weak.lock()) {
      stream->open();
    }
  });
}

FaultyWatch::~FaultyWatch() = default;

}  // namespace windlass::verify::simulation
