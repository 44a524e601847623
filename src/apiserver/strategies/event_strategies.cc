// Events, as core/v1 and as events.k8s.io/v1 have them (api.md N20-N24). They are stored once
// (stored_form.h) and told apart by the group that a request names: what core/v1 lets pass for the
// sake of old recorders, events.k8s.io does not.
#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "api/equality.h"
#include "api/names.h"
#include "api/validate_metadata.h"
#include "apiserver/stored_form.h"
#include "apiserver/strategies/strategies.h"
#include "base/check.h"
#include "schema/core/v1/event.pb.h"
#include "schema/events/v1/event.pb.h"

namespace windlass::apiserver {
namespace {

using api::FieldErrors;
using api::FieldPath;
using CoreEvent = api::core::v1::Event;
using NewEvent = api::events::v1::Event;

constexpr size_t kMaxInstance = 128;
constexpr size_t kMaxAction = 128;
constexpr size_t kMaxReason = 128;
constexpr size_t kMaxMessage = 1024;
constexpr int kMinSeriesCount = 2;

template <class Timestamp>
bool is_set(const Timestamp& time) {
  return time.seconds() != 0 || time.nanos() != 0;
}

void required_text(FieldErrors& errors, std::string_view field, const std::string& text,
                   size_t max) {
  const FieldPath path(field);
  if (text.empty()) {
    errors.required(path);
  }
  if (text.size() > max) {
    errors.invalid(path, "", fmt::format("can have at most {} characters", max));
  }
}

// N21: what holds in both groups. Only the reporter goes by the name that the group has for it.
void validate_event(FieldErrors& errors, const CoreEvent& event, std::string_view reporter_field) {
  const std::string& about = event.involved_object().namespace_();
  const std::string& ns = event.metadata().namespace_();
  const bool is_new = is_set(event.event_time());
  const bool same =
      about.empty() ? ns == "default" || (is_new && ns == "kube-system") : is_new || about == ns;
  if (!same) {
    errors.invalid(FieldPath("involvedObject").child("namespace"), about,
                   "does not match event.namespace");
  }
  if (!is_new) {
    return;
  }
  const FieldPath reporter(reporter_field);
  if (event.reporting_component().empty()) {
    errors.required(reporter);
  }
  api::add_problems(errors, reporter, event.reporting_component(),
                    api::check_qualified_name(event.reporting_component()));
  required_text(errors, "reportingInstance", event.reporting_instance(), kMaxInstance);
  required_text(errors, "action", event.action(), kMaxAction);
  required_text(errors, "reason", event.reason(), kMaxReason);
  if (event.message().size() > kMaxMessage) {
    errors.invalid(FieldPath("message"), "",
                   fmt::format("can have at most {} characters", kMaxMessage));
  }
}

void validate_series(FieldErrors& errors, const CoreEvent& event) {
  if (!event.has_series()) {
    return;
  }
  if (event.series().count() < kMinSeriesCount) {
    errors.invalid(FieldPath("series.count"), "", "should be at least 2");
  }
  if (!is_set(event.series().last_observed_time())) {
    errors.required(FieldPath("series.lastObservedTime"));
  }
}

// N22: also of events.k8s.io, but in the names of core/v1.
void validate_new_event(FieldErrors& errors, const CoreEvent& event) {
  validate_series(errors, event);
  if (!is_set(event.event_time())) {
    errors.required(FieldPath("eventTime"));
  }
  if (event.type() != "Normal" && event.type() != "Warning") {
    errors.invalid(FieldPath("type"), "", "has invalid value: " + event.type());
  }
  const auto unset = [&](bool is_there, std::string_view field) {
    if (is_there) {
      errors.invalid(FieldPath(field), "", "needs to be unset");
    }
  };
  unset(is_set(event.first_timestamp()), "firstTimestamp");
  unset(is_set(event.last_timestamp()), "lastTimestamp");
  unset(event.count() != 0, "count");
  unset(!event.source().component().empty() || !event.source().host().empty(), "source");
}

// Finer than this some clients cut off, which is no change.
std::pair<int64_t, int32_t> micros(const CoreEvent& event) {
  return {event.event_time().seconds(), event.event_time().nanos() / 1000};
}

// An event of events.k8s.io has happened: only its series goes on.
void validate_unchanged(FieldErrors& errors, const CoreEvent& old, const CoreEvent& event) {
  const auto same = [&](bool equal, std::string_view field, const api::BadValue& value) {
    if (!equal) {
      errors.invalid(FieldPath(field), value, "field is immutable");
    }
  };
  const auto same_text = [&](const std::string& was, const std::string& is,
                             std::string_view field) { same(was == is, field, is); };
  const auto same_message = [&](const Message& was, const Message& is, std::string_view field) {
    same(api::semantically_equal(was, is), field, api::BadValue::message(is));
  };
  same_message(old.involved_object(), event.involved_object(), "involvedObject");
  same_text(old.reason(), event.reason(), "reason");
  same_text(old.message(), event.message(), "message");
  same_message(old.source(), event.source(), "source");
  same_message(old.first_timestamp(), event.first_timestamp(), "firstTimestamp");
  same_message(old.last_timestamp(), event.last_timestamp(), "lastTimestamp");
  same(old.count() == event.count(), "count", api::BadValue::number(event.count()));
  same_text(old.type(), event.type(), "type");
  same(micros(old) == micros(event), "eventTime", api::BadValue::message(event.event_time()));
  same_text(old.action(), event.action(), "action");
  same_message(old.related(), event.related(), "related");
  same_text(old.reporting_component(), event.reporting_component(), "reportingController");
  same_text(old.reporting_instance(), event.reporting_instance(), "reportingInstance");
}

// N24: involvedObject.kind or regarding.kind, and the like.
std::optional<std::string> reference_field(const api::core::v1::ObjectReference& about,
                                           std::string_view field) {
  if (field == "kind") {
    return about.kind();
  }
  if (field == "namespace") {
    return about.namespace_();
  }
  if (field == "name") {
    return about.name();
  }
  if (field == "uid") {
    return about.uid();
  }
  if (field == "apiVersion") {
    return about.api_version();
  }
  if (field == "resourceVersion") {
    return about.resource_version();
  }
  if (field == "fieldPath") {
    return about.field_path();
  }
  return std::nullopt;
}

// What selectors may name in both groups.
template <class Event>
std::optional<std::string> common_field(const Event& event, std::string_view field) {
  if (field == "reason") {
    return event.reason();
  }
  if (field == "type") {
    return event.type();
  }
  return std::nullopt;
}

constexpr Traits kEventTraits = {.create_on_update = true, .collected = false};  // N23

class EventStrategy final : public Strategy {
 public:
  EventStrategy() : Strategy(api::kinds::event(), kEventTraits) {}

  // Old recorders give any name that fits into a path.
  FieldErrors validate_create(const Message& object) const override {
    FieldErrors errors;
    validate_event(errors, as<CoreEvent>(object), "reportingComponent");
    if (errors.empty()) {
      api::validate_generic_meta(errors, FieldPath("metadata"), api::metadata_of(object), true);
    }
    return errors;
  }
  FieldErrors validate_update(const Message& old, const Message& object) const override {
    FieldErrors errors;
    api::validate_generic_update(errors, FieldPath("metadata"), api::metadata_of(object),
                                 api::metadata_of(old), true);
    validate_event(errors, as<CoreEvent>(object), "reportingComponent");
    return errors;
  }

  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    constexpr std::string_view kAbout = "involvedObject.";
    const auto& event = as<CoreEvent>(object);
    if (field.starts_with(kAbout)) {
      return reference_field(event.involved_object(), field.substr(kAbout.size()));
    }
    if (field == "reportingComponent") {
      return event.reporting_component();
    }
    if (field == "source") {
      return event.source().component().empty() ? event.reporting_component()
                                                : event.source().component();
    }
    const auto value = common_field(event, field);
    return value ? value : Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }
};

class NewEventStrategy final : public Strategy {
 public:
  NewEventStrategy() : Strategy(new_event_kind(), kEventTraits) {}

  FieldErrors validate_create(const Message& object) const override {
    FieldErrors errors;
    const CoreEvent event = core_form(object);
    validate_event(errors, event, "reportingController");
    errors.append(Strategy::validate_create(object));
    validate_new_event(errors, event);
    return errors;
  }
  FieldErrors validate_update(const Message& old, const Message& object) const override {
    FieldErrors errors;
    const FieldPath path("metadata");
    const CoreEvent before = core_form(old);
    const CoreEvent event = core_form(object);
    api::validate_generic_update(errors, path, event.metadata(), before.metadata(), true);
    validate_event(errors, event, "reportingController");
    api::validate_object_meta_update(errors, path, event.metadata(), before.metadata());
    if (!api::semantically_equal(before.series(), event.series())) {
      validate_series(errors, event);
    }
    validate_unchanged(errors, before, event);
    return errors;
  }

  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    constexpr std::string_view kAbout = "regarding.";
    const auto& event = as<NewEvent>(object);
    if (field.starts_with(kAbout)) {
      return reference_field(event.regarding(), field.substr(kAbout.size()));
    }
    if (field == "reportingController") {
      return event.reporting_controller();
    }
    const auto value = common_field(event, field);
    return value ? value : Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }

 private:
  CoreEvent core_form(const Message& object) const {
    CoreEvent event;
    CHECK(event.ParseFromString(encode_stored(kind(), object)), "an event in its other form");
    return event;
  }
};

}  // namespace

const Strategy& event_strategy() {
  static const EventStrategy strategy;
  return strategy;
}

const Strategy& new_event_strategy() {
  static const NewEventStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
