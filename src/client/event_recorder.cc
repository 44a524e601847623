#include "client/event_recorder.h"

#include <fmt/format.h>

#include "api/codec/json_text.h"
#include "api/codec/wire_time.h"
#include "api/kind.h"
#include "schema/core/v1/event.pb.h"

namespace windlass::client {
namespace {

std::string event_namespace(const EventTarget& target) {
  return target.ns.empty() ? "default" : target.ns;
}

}  // namespace

EventRecorder::EventRecorder(ClientEnv env, std::string component, std::string host)
    : env_(env),
      component_(std::move(component)),
      host_(std::move(host)),
      self_(std::make_shared<EventRecorder*>(this)) {}

void EventRecorder::record(const EventTarget& target, std::string_view type,
                           std::string_view reason, std::string_view message, bool essential) {
  const std::string object = target.kind + '/' + target.ns + '/' + target.name + '/' + target.uid +
                             '/' + target.field_path;
  const EventCorrelator::Verdict verdict = correlator_.judge(
      {object, std::string(type), std::string(reason), std::string(message), essential},
      env_.clock.monotonic());
  if (verdict.drop) {
    return;
  }
  Entry& entry = entries_[verdict.key];
  const Time now = env_.clock.now();
  if (entry.count == 0) {
    entry.target = target;
    entry.type = type;
    entry.reason = reason;
    entry.first = now;
  }
  entry.message = verdict.message;
  entry.last = now;
  ++entry.count;
  if (!entry.busy && waiting_.size() < EventCorrelator::kMaxRemembered) {
    entry.busy = true;
    waiting_.push_back(verdict.key);
    write_next();
  }
}

void EventRecorder::write_next() {
  while (in_flight_ < kMaxWritesInFlight && !waiting_.empty()) {
    const std::string key = std::move(waiting_.front());
    waiting_.pop_front();
    Entry* entry = entries_.find(key);
    if (entry == nullptr) {
      continue;  // made room for others
    }
    ++in_flight_;
    if (entry->name.empty()) {
      create(key, *entry);
    } else {
      bump(key, *entry);
    }
  }
}

void EventRecorder::create(const std::string& key, Entry& entry) {
  const EventTarget& target = entry.target;
  auto event = std::make_shared<api::core::v1::Event>();
  const std::string ns = event_namespace(target);
  const std::string name = fmt::format("{}.{:016x}", target.name, env_.random.next());
  event->mutable_metadata()->set_name(name);
  event->mutable_metadata()->set_namespace_(ns);
  auto& about = *event->mutable_involved_object();
  about.set_api_version(target.api_version);
  about.set_kind(target.kind);
  about.set_namespace_(target.ns);
  about.set_name(target.name);
  about.set_uid(target.uid);
  about.set_field_path(target.field_path);
  event->set_reason(entry.reason);
  event->set_message(entry.message);
  event->set_type(entry.type);
  event->set_count(entry.count);
  api::set_time(*event->mutable_first_timestamp(), entry.first);
  api::set_time(*event->mutable_last_timestamp(), entry.last);
  event->mutable_source()->set_component(component_);
  event->mutable_source()->set_host(host_);
  event->set_reporting_component(component_);
  event->set_reporting_instance(host_);
  env_.client.create(
      {&api::kinds::event(), ns, name}, event,
      [weak = std::weak_ptr(self_), key, count = entry.count](const Result<ObjectPtr>& answer) {
        if (const auto self = weak.lock()) {
          (*self)->on_written(key, true, count, answer);
        }
      });
}

void EventRecorder::bump(const std::string& key, Entry& entry) {
  std::string body = fmt::format(R"({{"count":{},"lastTimestamp":"{}","message":)", entry.count,
                                 format_rfc3339(entry.last));
  api::append_json_string(entry.message, body);
  body += '}';
  env_.client.patch(
      {&api::kinds::event(), event_namespace(entry.target), entry.name}, "", PatchType::merge,
      std::move(body),
      [weak = std::weak_ptr(self_), key, count = entry.count](const Result<ObjectPtr>& answer) {
        if (const auto self = weak.lock()) {
          (*self)->on_written(key, false, count, answer);
        }
      });
}

void EventRecorder::on_written(const std::string& key, bool created, int count,
                               const Result<ObjectPtr>& answer) {
  --in_flight_;
  Entry* entry = entries_.find(key);
  if (entry == nullptr) {
    write_next();
    return;
  }
  entry->busy = false;
  if (answer) {
    entry->written = count;
    if (created) {
      entry->name = api::metadata_of(**answer).name();
    }
  } else if (!created && is_not_found(answer.error())) {
    entry->name.clear();  // expired: the next one begins a new Event, with the count so far
  } else {
    entry->written = count;  // lost; what comes later is written again
    env_.log.warning("an event could not be written", {{"reason", entry->reason},
                                                       {"object", entry->target.name},
                                                       {"error", answer.error().message}});
  }
  if (entry->written < entry->count) {
    entry->busy = true;
    waiting_.push_back(key);
  }
  write_next();
}

}  // namespace windlass::client
