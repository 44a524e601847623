#include "client/reflector.h"

#include <algorithm>
#include <utility>

#include "api/kind.h"
#include "base/generator.h"
#include "client/object_identity.h"

namespace windlass::client {
Reflector::Reflector(ClientEnv env, Collection collection, ReflectorSink& sink)
    : Reflector(env, std::move(collection), sink, Options()) {}

Reflector::Reflector(ClientEnv env, Collection collection, ReflectorSink& sink, Options options)
    : env_(env), collection_(std::move(collection)), sink_(sink), options_(options) {}

Reflector::~Reflector() {
  env_.executor.cancel(timer_);
}

void Reflector::start() {
  list();
}

void Reflector::list() {
  sink_.on_list_begin();
  if (!stream_list()) {
    list_page("");
  }
}

bool Reflector::stream_list() {
  // After one that was lost in pages: whatever cuts streams short, a list must come through.
  if (!streams_ || stream_lost_) {
    return false;
  }
  watch_ = env_.client.watch_list(collection_,
                                  {[this](const WatchEvent& event) { on_watch_event(event); },
                                   [this](const Status& status) { on_watch_end(status); }});
  if (watch_ == nullptr) {
    return false;
  }
  listing_ = true;
  heard_ = false;
  watch_started_ = env_.clock.monotonic();
  watch_stream();
  return true;
}

void Reflector::watch_stream() {
  timer_ = env_.executor.schedule(options_.stream_quiet, [this] {
    const Duration age = env_.clock.monotonic() - watch_started_;
    if (std::exchange(heard_, false) && age < options_.stream_limit) {
      return watch_stream();
    }
    listing_ = false;
    watch_.reset();
    list_in_pages("no bookmark has ended its list");
  });
}

void Reflector::on_stream_event(const WatchEvent& event) {
  if (event.type == EventType::deleted) {
    sink_.on_event(event);
  } else if (event.type != EventType::bookmark) {
    sink_.on_listed(event.object);
  } else if (is_end_of_list(*event.object)) {
    env_.executor.cancel(timer_);
    listing_ = false;
    failures_ = 0;
    resource_version_ = resource_version_of(*event.object);
    sink_.on_list_end();
  }
}

void Reflector::list_page(std::string continue_token) {
  const ListOptions options{in_pages_ ? options_.page_size : 0, std::move(continue_token)};
  env_.client.list(collection_, options, self_.bind(&Reflector::on_page));
}

void Reflector::on_page(const Result<ObjectList>& page) {
  if (!page) {
    // Whole once, where the pages have run out of time; what fails whole comes in pages again.
    in_pages_ = !is_gone(page.error());
    retry(&Reflector::list, page.error());
    return;
  }
  for (const ObjectPtr& object : page->items) {
    sink_.on_listed(object);
  }
  if (!page->continue_token.empty()) {
    list_page(page->continue_token);
    return;
  }
  in_pages_ = true;
  stream_lost_ = false;
  resource_version_ = page->resource_version;
  sink_.on_list_end();
  watch();
}

void Reflector::watch() {
  heard_ = false;
  watch_started_ = env_.clock.monotonic();
  // Destroying the watch ends its callbacks, so they need no weak pointer.
  watch_ = env_.client.watch(collection_, resource_version_,
                             {[this](const WatchEvent& event) { on_watch_event(event); },
                              [this](const Status& status) { on_watch_end(status); }});
}

void Reflector::on_watch_event(const WatchEvent& event) {
  heard_ = true;
  if (listing_) {
    return on_stream_event(event);
  }
  failures_ = 0;
  resource_version_ = resource_version_of(*event.object);
  if (event.type != EventType::bookmark) {
    sink_.on_event(event);
  }
}

void Reflector::on_watch_end(const Status& status) {
  watch_.reset();
  if (listing_) {
    return on_stream_lost(status);
  }
  const bool healthy = heard_ || env_.clock.monotonic() - watch_started_ >= options_.healthy_watch;
  if (is_gone(status)) {
    retry(&Reflector::list, status);
  } else if (healthy) {
    failures_ = 0;
    watch();
  } else {
    retry(&Reflector::watch, status);
  }
}

void Reflector::list_in_pages(const std::string& why) {
  env_.log.info("the server does not stream lists, will list in pages",
                {{"resource", std::string(collection_.kind->plural)}, {"reason", why}});
  streams_ = false;
  list();
}

// Before its end. What is wrong with the request itself stays wrong (400, 422: no such lists here).
void Reflector::on_stream_lost(const Status& status) {
  env_.executor.cancel(timer_);
  listing_ = false;
  if (status.code == 400 || status.code == 422) {
    return list_in_pages(status.message);
  }
  stream_lost_ = true;
  retry(&Reflector::list, status);
}

void Reflector::retry(void (Reflector::*step)(), const Status& why) {
  Duration delay = options_.first_retry;
  for (int i = 0; i < failures_ && delay < options_.max_retry; ++i) {
    delay *= 2;
  }
  delay = std::min(delay, options_.max_retry);
  ++failures_;
  env_.log.warning("watching failed, will try again",
                   {{"resource", std::string(collection_.kind->plural)},
                    {"namespace", collection_.ns},
                    {"error", why.message}});
  // Up to twice as long, so that clients that failed together do not come back together.
  const auto spread = uniform(env_.random, static_cast<uint64_t>(delay.count()));
  const Duration jittered = delay + nanoseconds(static_cast<int64_t>(spread));
  timer_ =
      env_.executor.schedule(std::max<Duration>(jittered, seconds(why.details.retry_after_seconds)),
                             [this, step] { (this->*step)(); });
}

}  // namespace windlass::client
