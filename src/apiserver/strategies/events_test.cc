// Events in both groups: api.md N20-N25.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/server_testing.h"
#include "apiserver/stored_form.h"
#include "apiserver/strategies/strategies.h"
#include "schema/core/v1/event.pb.h"
#include "schema/events/v1/event.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Event;
using NewEvent = api::events::v1::Event;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kNew =
    R"({"eventTime":"2026-11-15T10:00:00.000001Z","reportingController":"windlass.dev/x",)"
    R"("reportingInstance":"x-1","action":"Binding","reason":"Scheduled","type":"Normal",)"
    R"("note":"it fits","regarding":{"kind":"Pod","namespace":"default","name":"p"}})";
constexpr const char* kOld =
    R"({"involvedObject":{"kind":"Pod","namespace":"default","name":"p","uid":"u"},)"
    R"("reason":"Started","message":"it runs","type":"Normal","count":3,)"
    R"("source":{"component":"agent","host":"n1"},"firstTimestamp":"2026-11-15T10:00:00Z",)"
    R"("lastTimestamp":"2026-11-15T10:00:05Z"})";

struct EventTest : ServerTest {
  static ObjectRef core(std::string name) {
    return {&api::kinds::event(), "default", std::move(name)};
  }
  static ObjectRef renamed(std::string name) {
    return {&new_event_kind(), "default", std::move(name)};
  }
  std::string refused(const ObjectRef& ref, std::string_view json) {
    return error(create(ref, json));
  }
  std::vector<std::string> listed(const api::Kind& kind, std::string_view fields) {
    const auto list = server.list({&kind, "default", "", std::string(fields)}, {});
    if (!list) {
      return {list.error().message};
    }
    std::vector<std::string> names;
    for (const ObjectPtr& object : list->items) {
      names.push_back(api::metadata_of(*object).name());
    }
    return names;
  }
};

TEST_F(EventTest, N20_OneObjectInTwoForms) {
  must_create(core("old"), kOld);
  const auto as_new = api::object_as<NewEvent>(stored(renamed("old")));
  EXPECT_EQ(as_new->note(), "it runs");
  EXPECT_EQ(as_new->regarding().uid(), "u");
  EXPECT_EQ(as_new->deprecated_source().host(), "n1");
  EXPECT_EQ(as_new->deprecated_count(), 3);
  EXPECT_EQ(as_new->deprecated_last_timestamp().seconds() -
                as_new->deprecated_first_timestamp().seconds(),
            5);

  must_create(renamed("new"), kNew);
  const auto as_core = api::object_as<Event>(stored(core("new")));
  EXPECT_EQ(as_core->message(), "it fits");
  EXPECT_EQ(as_core->reporting_component(), "windlass.dev/x");
  EXPECT_EQ(as_core->reporting_instance(), "x-1");
  EXPECT_EQ(as_core->action(), "Binding");
  EXPECT_EQ(as_core->involved_object().name(), "p");
  EXPECT_EQ(as_core->event_time().nanos(), 1000);
}

// Every field has a partner of the same name or of the one that N20 says, and of the same type.
TEST_F(EventTest, N20_EveryFieldThereAndBack) {
  const std::map<std::string, std::string> renames = {
      {"involvedObject", "regarding"},
      {"message", "note"},
      {"source", "deprecatedSource"},
      {"firstTimestamp", "deprecatedFirstTimestamp"},
      {"lastTimestamp", "deprecatedLastTimestamp"},
      {"count", "deprecatedCount"},
      {"reportingComponent", "reportingController"}};
  Event whole;
  whole.mutable_metadata()->set_name("e");
  whole.mutable_involved_object()->set_name("1");
  whole.set_reason("2");
  whole.set_message("3");
  whole.mutable_source()->set_component("4");
  whole.mutable_first_timestamp()->set_seconds(5);
  whole.mutable_last_timestamp()->set_seconds(6);
  whole.set_count(7);
  whole.set_type("8");
  whole.mutable_event_time()->set_seconds(9);
  whole.mutable_series()->set_count(10);
  whole.set_action("11");
  whole.mutable_related()->set_name("12");
  whole.set_reporting_component("13");
  whole.set_reporting_instance("14");
  const store::Version version(std::make_shared<const std::string>("default/e"), 1,
                               store::Change::created, encode_stored(api::kinds::event(), whole),
                               nullptr);
  NewEvent other;
  parse_version(new_event_kind(), version, other);
  const auto* from = Event::descriptor();
  for (int i = 0; i < from->field_count(); ++i) {
    const std::string& name = from->field(i)->json_name();
    const auto renamed_to = renames.find(name);
    const std::string& partner = renamed_to == renames.end() ? name : renamed_to->second;
    const google::protobuf::FieldDescriptor* to = nullptr;
    for (int j = 0; j < NewEvent::descriptor()->field_count(); ++j) {
      if (NewEvent::descriptor()->field(j)->json_name() == partner) {
        to = NewEvent::descriptor()->field(j);
      }
    }
    ASSERT_NE(to, nullptr) << name;
    EXPECT_TRUE(whole.GetReflection()->HasField(whole, from->field(i))) << name;
    EXPECT_TRUE(other.GetReflection()->HasField(other, to)) << name;
  }
  EXPECT_EQ(other.note(), "3");
  EXPECT_EQ(other.series().count(), 10);
  EXPECT_EQ(encode_stored(new_event_kind(), other), version.bytes());
}

TEST_F(EventTest, N20_OneWatchSeesWhatBothGroupsWrite) {
  const store::Revision start = store.revision();
  must_create(core("a"), kOld);
  must_create(renamed("b"), kNew);
  EXPECT_TRUE(server.remove(core("b"), {}).answer.has_value());
  const auto seen = events({&new_event_kind(), "default", "", ""}, start);
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen, events({&api::kinds::event(), "default", "", ""}, start));
}

TEST_F(EventTest, N20_PatchesSpeakTheNamesOfTheirGroup) {
  must_create(core("a"), kOld);
  const auto patched = server.patch(core("a"), "", PatchType::merge, R"({"count":4})");
  ASSERT_TRUE(patched.answer.has_value());
  must_create(renamed("b"), kNew);
  const auto series =
      server.patch(renamed("b"), "", PatchType::strategic,
                   R"({"series":{"count":2,"lastObservedTime":"2026-11-15T10:00:09.000000Z"}})");
  ASSERT_TRUE(series.answer.has_value()) << error(series);
  EXPECT_EQ(api::object_as<NewEvent>(*series.answer)->series().count(), 2);
  EXPECT_EQ(api::object_as<Event>(stored(core("b")))->series().count(), 2);
  // M41: the same again is no write.
  const store::Revision before = store.revision();
  EXPECT_TRUE(
      server.patch(renamed("b"), "", PatchType::merge, R"({"note":"it fits"})").answer.has_value());
  EXPECT_EQ(store.revision(), before);
}

TEST_F(EventTest, N21_NamespaceOfAnOldEvent) {
  EXPECT_EQ(refused(core("a"), R"({"involvedObject":{"namespace":"other"}})"),
            "422 Invalid: Event \"a\" is invalid: involvedObject.namespace: Invalid value: "
            "\"other\": does not "
            "match event.namespace");
  EXPECT_EQ(refused(core("b"), R"({"involvedObject":{}})"), "");
  EXPECT_THAT(refused({&api::kinds::event(), "kube-system", "c"}, R"({"involvedObject":{}})"),
              HasSubstr("does not match event.namespace"));
}

TEST_F(EventTest, N21_WhatAnEventTimeAsksFor) {
  const std::string text =
      refused(core("a"), R"({"eventTime":"2026-11-15T10:00:00.000000Z","involvedObject":{}})");
  EXPECT_THAT(text, HasSubstr("reportingComponent: Required value"));
  EXPECT_THAT(text, HasSubstr("reportingComponent: Invalid value: \"\": name part must be "
                              "non-empty"));
  EXPECT_THAT(text, HasSubstr("reportingInstance: Required value"));
  EXPECT_THAT(text, HasSubstr("action: Required value"));
  EXPECT_THAT(text, HasSubstr("reason: Required value"));
  const std::string long_text =
      R"({"eventTime":"2026-11-15T10:00:00.000000Z","involvedObject":{},"reportingComponent":"a",)"
      R"("reportingInstance":")" +
      std::string(129, 'i') + R"(","action":")" + std::string(129, 'a') + R"(","reason":")" +
      std::string(129, 'r') + R"(","message":")" + std::string(1025, 'm') + R"("})";
  const std::string too_long = refused(core("b"), long_text);
  for (const char* field : {"reportingInstance", "action", "reason"}) {
    EXPECT_THAT(too_long, HasSubstr(std::string(field) +
                                    ": Invalid value: \"\": can have at most 128 characters"));
  }
  EXPECT_THAT(too_long,
              HasSubstr("message: Invalid value: \"\": can have at most 1024 characters"));
}

TEST_F(EventTest, N22_WhatTheNewGroupAsksFor) {
  const std::string text =
      refused(renamed("a"), R"({"type":"Foo","deprecatedCount":1,)"
                            R"("deprecatedSource":{"component":"c"},)"
                            R"("deprecatedFirstTimestamp":"2026-11-15T10:00:00Z",)"
                            R"("deprecatedLastTimestamp":"2026-11-15T10:00:00Z"})");
  EXPECT_THAT(text, HasSubstr("Event \"a\" is invalid"));
  EXPECT_THAT(text, HasSubstr("eventTime: Required value"));
  EXPECT_THAT(text, HasSubstr("type: Invalid value: \"\": has invalid value: Foo"));
  for (const char* field : {"count", "source", "firstTimestamp", "lastTimestamp"}) {
    EXPECT_THAT(text, HasSubstr(std::string(field) + ": Invalid value: \"\": needs to be unset"));
  }
  const std::string series =
      refused(renamed("b"), std::string(kNew).insert(1, R"("series":{"count":1},)"));
  EXPECT_THAT(series, HasSubstr("series.count: Invalid value: \"\": should be at least 2"));
  EXPECT_THAT(series, HasSubstr("series.lastObservedTime: Required value"));
}

TEST_F(EventTest, N22_OnlyTheSeriesGoesOn) {
  must_create(renamed("a"), kNew);
  const auto changed =
      server.patch(renamed("a"), "", PatchType::merge, R"({"note":"other","reason":"Other"})");
  EXPECT_THAT(error(changed), HasSubstr("message: Invalid value: \"other\": field is immutable"));
  EXPECT_THAT(error(changed), HasSubstr("reason: Invalid value: \"Other\": field is immutable"));
  // core/v1 asks for no such thing.
  EXPECT_EQ(error(server.patch(core("a"), "", PatchType::merge, R"({"message":"other"})")), "");
}

TEST_F(EventTest, N23_UpdateMayCreate) {
  const auto named = [](const api::Kind& kind, const char* json, const char* name) {
    auto event = from_json(kind, json);
    api::mutable_metadata_of(*event).set_name(name);
    return event;
  };
  const WriteResult core_put = server.update(core("a"), "", named(api::kinds::event(), kOld, "a"));
  EXPECT_EQ(error(core_put), "");
  EXPECT_TRUE(core_put.created);
  const WriteResult new_put = server.update(renamed("b"), "", named(new_event_kind(), kNew, "b"));
  EXPECT_EQ(error(new_put), "");
  EXPECT_TRUE(new_put.created);
}

TEST_F(EventTest, N24_FieldSelectors) {
  must_create(core("a"), kOld);
  must_create(renamed("b"), kNew);
  const api::Kind& old_kind = api::kinds::event();
  EXPECT_THAT(listed(old_kind, "involvedObject.name=p"), ElementsAre("a", "b"));
  EXPECT_THAT(listed(old_kind, "involvedObject.uid=u"), ElementsAre("a"));
  EXPECT_THAT(listed(old_kind, "source=windlass.dev/x"), ElementsAre("b"));
  EXPECT_THAT(listed(old_kind, "reason=Started,type=Normal"), ElementsAre("a"));
  EXPECT_THAT(listed(new_event_kind(), "regarding.kind=Pod,regarding.uid="), ElementsAre("b"));
  EXPECT_THAT(listed(new_event_kind(), "reportingController=windlass.dev/x"), ElementsAre("b"));
  EXPECT_THAT(listed(new_event_kind(), "involvedObject.name=p"),
              ElementsAre("field label not supported: involvedObject.name"));
  EXPECT_THAT(listed(old_kind, "regarding.name=p"),
              ElementsAre("field label not supported: regarding.name"));
}

TEST_F(EventTest, N25_ListsAreInOrderOfNames) {
  must_create(renamed("b"), kNew);
  must_create(core("a"), kOld);
  EXPECT_THAT(listed(new_event_kind(), ""), ElementsAre("a", "b"));
}

TEST_F(EventTest, ErrorsNameTheStoredResource) {
  const auto missing = server.get(renamed("zork"));
  EXPECT_EQ(missing.error().message, "events \"zork\" not found");
}

// What the schema does not have, a group included, goes through both forms unharmed.
TEST_F(EventTest, UnknownFieldsOfAnyWireTypeSurvive) {
  auto event = from_json(new_event_kind(), kNew);
  auto& unknown = *event->GetReflection()->MutableUnknownFields(event.get());
  unknown.AddGroup(20)->AddVarint(3, 7);
  unknown.AddFixed64(21, 1);
  unknown.AddFixed32(22, 1);
  EXPECT_EQ(error(server.create(renamed("a"), std::move(event))), "");
  const ObjectPtr back = stored(renamed("a"));
  const auto& kept = back->GetReflection()->GetUnknownFields(*back);
  ASSERT_EQ(kept.field_count(), 3);
  EXPECT_EQ(kept.field(0).group().field(0).varint(), 7u);
}

TEST_F(EventTest, EachIsStoredOnce) {
  int events = 0;
  for (const api::Kind* kind : all_stored_kinds()) {
    events += kind->plural == "events" ? 1 : 0;
  }
  EXPECT_EQ(events, 1);
}

TEST_F(EventTest, N21_TheNameOfAnOldEventNeedOnlyFitIntoAPath) {
  must_create(core("My_Event"), kOld);
  EXPECT_EQ(error(server.patch(core("My_Event"), "", PatchType::merge,
                               R"({"metadata":{"finalizers":["foo"]}})")),
            "");
  EXPECT_EQ(refused(core(".."), kOld),
            "422 Invalid: Event \"..\" is invalid: metadata.name: Invalid value: \"..\": may not "
            "be '..'");
  EXPECT_EQ(refused(core("a/b"), R"({"involvedObject":{"namespace":"x"}})"),
            "422 Invalid: Event \"a/b\" is invalid: involvedObject.namespace: Invalid value: "
            "\"x\": does not match event.namespace");
  EXPECT_THAT(refused(renamed("My_Event2"), kNew), HasSubstr("a lowercase RFC 1123 subdomain"));
}

}  // namespace
}  // namespace windlass::apiserver
