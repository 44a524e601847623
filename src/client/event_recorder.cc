#include "client/event_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/codec/wire_time.h"
#include "api/kind.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::client {
namespace {

// As long as the API lets a note be; a message may repeat what an object says, at any length.
constexpr size_t kMaxMessageBytes = 1024;

std::string event_namespace(const EventTarget& target) {
  return target.ns.empty() ? "default" : target.ns;
}

// API servers refuse longer texts in the form of events.k8s.io.
constexpr size_t kMaxActionText = 1024;

// The same request may fare better a little later.
bool is_passing(const Status& status) {
  constexpr int kTimeout = 408;
  constexpr int kTooManyRequests = 429;
  return status.code >= 500 || status.code == kTimeout || status.code == kTooManyRequests;
}

}  // namespace

EventRecorder::EventRecorder(ClientEnv env, std::string component, std::string host)
    : env_(env), component_(std::move(component)), host_(std::move(host)) {}

void EventRecorder::record(const EventTarget& target, const News& news, bool essential) {
  const std::string object = target.kind + '/' + target.ns + '/' + target.name + '/' + target.uid +
                             '/' + target.field_path;
  const EventCorrelator::Correlation verdict =
      correlator_.judge({object, std::string(news.type), std::string(news.reason),
                         readable(news.message, kMaxMessageBytes), essential},
                        env_.clock.monotonic());
  if (verdict.drop) {
    return;
  }
  EntryPtr& entry = entries_[verdict.key];
  const Time now = env_.clock.now();
  if (!entry) {
    entry = std::make_shared<Entry>();
    entry->target = target;
    entry->type = news.type;
    entry->reason = news.reason;
    entry->action = news.action;
    entry->first = now;
  }
  entry->message =
      news.action.empty() ? verdict.message : readable(verdict.message, kMaxActionText);
  entry->last = now;
  entry->essential = entry->essential || essential;
  ++entry->count;
  if (!entry->busy) {
    enqueue(entry);
  }
}

void EventRecorder::enqueue(const EntryPtr& entry) {
  if (waiting_.size() >= (entry->essential ? kMaxEssentialWaiting : kMaxWaiting)) {
    if (entry->essential) {
      env_.log.warning("an event is lost, too many wait to be written",
                       {{"reason", entry->reason}, {"object", entry->target.name}});
    }
    return;
  }
  entry->busy = true;
  waiting_.push_back(entry);
  write_next();
}

void EventRecorder::write_next() {
  while (in_flight_ < kMaxWritesInFlight && !waiting_.empty()) {
    const EntryPtr entry = std::move(waiting_.front());
    waiting_.pop_front();
    ++in_flight_;
    if (entry->stored) {
      bump(entry);
    } else {
      create(entry);
    }
  }
}

void EventRecorder::create(const EntryPtr& entry) {
  const EventTarget& target = entry->target;
  auto event = std::make_shared<api::core::v1::Event>();
  const std::string ns = event_namespace(target);
  if (entry->name.empty()) {
    entry->name = fmt::format("{}.{:016x}", target.name, env_.random.next());
  }
  event->mutable_metadata()->set_name(entry->name);
  event->mutable_metadata()->set_namespace_(ns);
  auto& about = *event->mutable_involved_object();
  about.set_api_version(target.api_version);
  about.set_kind(target.kind);
  about.set_namespace_(target.ns);
  about.set_name(target.name);
  about.set_uid(target.uid);
  about.set_field_path(target.field_path);
  event->set_reason(entry->reason);
  event->set_message(entry->message);
  event->set_type(entry->type);
  fill_reporter_and_times(*entry, *event);
  env_.client.create({&api::kinds::event(), ns, entry->name}, event,
                     self_.bind([entry, count = entry->count](EventRecorder& self,
                                                              const Result<ObjectPtr>& answer) {
                       self.on_written(entry, count, answer);
                     }));
}

void EventRecorder::fill_reporter_and_times(const Entry& entry, api::core::v1::Event& event) const {
  event.set_reporting_component(component_);
  if (entry.action.empty()) {
    event.set_count(entry.count);
    api::set_time(*event.mutable_first_timestamp(), entry.first);
    api::set_time(*event.mutable_last_timestamp(), entry.last);
    event.mutable_source()->set_component(component_);
    event.mutable_source()->set_host(host_);
    event.set_reporting_instance(host_);
    return;
  }
  event.set_action(entry.action);
  event.set_reporting_instance(host_.empty() ? component_ : component_ + "-" + host_);
  api::set_time(*event.mutable_event_time(), entry.first);
  if (entry.count > 1) {
    event.mutable_series()->set_count(entry.count);
    api::set_time(*event.mutable_series()->mutable_last_observed_time(), entry.last);
  }
}

void EventRecorder::bump(const EntryPtr& entry) {
  std::string body =
      entry->action.empty()
          ? fmt::format(R"({{"count":{},"lastTimestamp":"{}","message":)", entry->count,
                        format_rfc3339(entry->last))
          : fmt::format(R"({{"series":{{"count":{},"lastObservedTime":"{}"}},"message":)",
                        entry->count, format_rfc3339_micro(entry->last));
  append_json_string(entry->message, body);
  body += '}';
  env_.client.patch({&api::kinds::event(), event_namespace(entry->target), entry->name}, "",
                    PatchType::merge, std::move(body),
                    self_.bind([entry, count = entry->count](EventRecorder& self,
                                                             const Result<ObjectPtr>& answer) {
                      self.on_written(entry, count, answer);
                    }));
}

void EventRecorder::on_written(const EntryPtr& entry, int count, const Result<ObjectPtr>& answer) {
  --in_flight_;
  entry->busy = false;
  if (answer) {
    entry->written = count;
    entry->stored = true;
    entry->tries = 0;
  } else if (entry->tries > 0 && is_already_exists(answer.error())) {
    entry->stored = true;  // by an earlier try, with the count of then, whose answer was lost
    entry->tries = 0;
  } else if (entry->stored && is_not_found(answer.error())) {
    entry->stored = false;  // expired: the next one begins a new Event, with the count so far
    entry->name.clear();
  } else if (entry->essential && is_passing(answer.error()) && ++entry->tries < kMaxTries) {
    try_again(entry);
    write_next();
    return;
  } else {
    entry->written = count;  // lost; what comes later is written again
    entry->tries = 0;
    if (!entry->stored) {
      entry->name.clear();
    }
    env_.log.warning("an event could not be written", {{"reason", entry->reason},
                                                       {"object", entry->target.name},
                                                       {"error", answer.error().message}});
  }
  if (entry->written < entry->count) {
    entry->busy = true;
    waiting_.push_back(entry);
  }
  write_next();
}

void EventRecorder::try_again(const EntryPtr& entry) {
  Duration delay = kFirstRetry;
  for (int i = 1; i < entry->tries && delay < kMaxRetry; ++i) {
    delay *= 2;
  }
  entry->busy = true;
  env_.executor.schedule(std::min(delay, kMaxRetry), self_.bind([entry](EventRecorder& self) {
    self.waiting_.push_back(entry);
    self.write_next();
  }));
}

}  // namespace windlass::client
