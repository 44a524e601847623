// api.md M138, for both views of an event.
#include <fmt/format.h>

#include "api/codec/wire_time.h"
#include "apiserver/table/columns.h"
#include "schema/core/v1/event.pb.h"
#include "schema/events/v1/event.pb.h"

namespace windlass::apiserver {
namespace {

constexpr Column kEventColumns[] = {
    {"Last Seen", "string", "", 0, "When this last happened."},
    {"Type", "string", "", 0, "Normal or Warning."},
    {"Reason", "string", "", 0, "What happened, in one word."},
    {"Object", "string", "", 0, "The object that it happened to."},
    {"Subobject", "string", "", 1, "The part of the object."},
    {"Source", "string", "", 1, "Who reported it."},
    {"Message", "string", "", 0, "What happened."},
    {"First Seen", "string", "", 1, "When this first happened."},
    {"Count", "string", "", 1, "How often it happened."},
    {"Name", "string", "name", 1, "Name must be unique within a namespace."},
};

// What the two kinds of event have in common, whatever they call it.
struct EventFacts {
  const api::core::v1::ObjectReference& about;
  const api::core::v1::EventSource& source;
  const std::string& reporter;
  const std::string& instance;
  const std::string& message;
  Time first = {};
  Time last = {};
  bool has_first = false;
  bool has_last = false;
  int64_t count = 1;
};

std::string ago(bool known, Time time, Time now) {
  return known ? human_duration(now - time) : "<unknown>";
}

std::string object_text(const api::core::v1::ObjectReference& about) {
  std::string text;
  for (const char c : about.kind()) {
    text += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return about.name().empty() ? text : text + "/" + about.name();
}

std::string source_text(const EventFacts& facts) {
  const std::string& component =
      facts.source.component().empty() ? facts.reporter : facts.source.component();
  const std::string& host = facts.source.host().empty() ? facts.instance : facts.source.host();
  return host.empty() ? component : fmt::format("{}, {}", component, host);
}

// Old recorders fill first, last and count; new ones eventTime and series.
template <class Timestamp, class Micro, class Series>
void fill_times(EventFacts& facts, const Timestamp& first, const Timestamp& last,
                const Micro& event_time, bool has_series, const Series& series, int64_t count) {
  const auto set = [](const auto& from, bool& known, Time& to) {
    if (from.seconds() != 0 || from.nanos() != 0) {
      known = true;
      to = api::time_of(from);
    }
  };
  set(event_time, facts.has_first, facts.first);
  set(first, facts.has_first, facts.first);
  set(last, facts.has_last, facts.last);
  if (!facts.has_last) {
    facts.has_last = facts.has_first;
    facts.last = facts.first;
  }
  facts.count = count == 0 ? 1 : count;
  if (has_series) {
    facts.has_last = false;  // one that does not say when is not known
    set(series.last_observed_time(), facts.has_last, facts.last);
    facts.count = series.count();
  }
}

std::string trimmed(const std::string& message) {
  constexpr const char* kBlanks = " \n\t\v\f\r";
  const size_t begin = message.find_first_not_of(kBlanks);
  if (begin == std::string::npos) {
    return "";
  }
  return message.substr(begin, message.find_last_not_of(kBlanks) + 1 - begin);
}

void write(const EventFacts& facts, const std::string& name, const std::string& type,
           const std::string& reason, Time now, JsonWriter& json) {
  json.string(ago(facts.has_last, facts.last, now)).string(type).string(reason);
  json.string(object_text(facts.about)).string(facts.about.field_path());
  json.string(source_text(facts)).string(trimmed(facts.message));
  json.string(ago(facts.has_first, facts.first, now)).number(facts.count).string(name);
}

void core_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& event = static_cast<const api::core::v1::Event&>(object);
  EventFacts facts{event.involved_object(), event.source(), event.reporting_component(),
                   event.reporting_instance(), event.message()};
  fill_times(facts, event.first_timestamp(), event.last_timestamp(), event.event_time(),
             event.has_series(), event.series(), event.count());
  write(facts, event.metadata().name(), event.type(), event.reason(), now, json);
}

void new_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& event = static_cast<const api::events::v1::Event&>(object);
  EventFacts facts{event.regarding(), event.deprecated_source(), event.reporting_controller(),
                   event.reporting_instance(), event.note()};
  fill_times(facts, event.deprecated_first_timestamp(), event.deprecated_last_timestamp(),
             event.event_time(), event.has_series(), event.series(), event.deprecated_count());
  write(facts, event.metadata().name(), event.type(), event.reason(), now, json);
}

}  // namespace

TableColumns event_columns() {
  return {kEventColumns, &core_cells};
}

TableColumns new_event_columns() {
  return {kEventColumns, &new_cells};
}

}  // namespace windlass::apiserver
