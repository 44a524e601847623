#include "apiserver/client/in_process_client.h"

#include "apiserver/server_testing.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "verify/journals/manual_journal.h"

namespace windlass::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class InProcessClientTest : public ServerTest {
 protected:
  template <class T>
  client::Done<T> record(std::optional<Result<T>>& answer) {
    return [&answer](Result<T> given) {
      EXPECT_FALSE(answer.has_value()) << "a callback runs once";
      answer = std::move(given);
    };
  }
  void settle() { ASSERT_TRUE(world.run_until_idle()); }

  client::WatchHandler log_events(std::vector<std::string>& seen) {
    return {[&seen](const client::WatchEvent& event) { seen.push_back(event_text(event)); },
            [&seen](const Status& status) { seen.push_back(error_text(status)); }};
  }
  ObjectPtr shared(const api::Kind& kind, std::string_view json) { return from_json(kind, json); }

  InProcessClient client{server, world.executor()};
  const Collection config_maps{&api::kinds::config_map(), "default", "", ""};
};

TEST_F(InProcessClientTest, AnswersLaterAndOnce) {
  std::optional<Result<ObjectPtr>> answer;
  client.create(config_map("c"), shared(api::kinds::config_map(), "{}"), record(answer));
  EXPECT_FALSE(answer.has_value());
  settle();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(client::key_of(***answer), "default/c");
}

TEST_F(InProcessClientTest, AllVerbsWork) {
  std::optional<Result<ObjectPtr>> created;
  client.create(pod("p"), shared(api::kinds::pod(), with_spec("{}", kPodSpec)), record(created));
  settle();

  std::optional<Result<void>> bound;
  client.bind(pod("p"), "", "n1", record(bound));
  settle();
  ASSERT_TRUE(bound->has_value());

  std::optional<Result<ObjectPtr>> got;
  client.get(pod("p"), record(got));
  settle();
  EXPECT_EQ(api::object_as<api::core::v1::Pod>(**got)->spec().node_name(), "n1");

  auto running = std::make_shared<api::core::v1::Pod>(*api::object_as<api::core::v1::Pod>(**got));
  running->mutable_status()->set_phase("Running");
  std::optional<Result<ObjectPtr>> updated;
  client.update(pod("p"), "status", running, record(updated));
  settle();
  EXPECT_EQ(api::object_as<api::core::v1::Pod>(**updated)->status().phase(), "Running");

  std::optional<Result<ObjectPtr>> patched;
  client.patch(pod("p"), "", PatchType::merge, R"({"metadata":{"labels":{"a":"b"}}})",
               record(patched));
  settle();
  EXPECT_EQ(api::metadata_of(***patched).labels().at("a"), "b");

  std::optional<Result<ObjectPtr>> removed;
  client.remove(pod("p"), {.grace_period_seconds = 0}, record(removed));
  std::optional<Result<ObjectList>> listed;
  client.list({&api::kinds::pod(), "default", "", ""}, {}, record(listed));
  settle();
  EXPECT_TRUE(removed->has_value());
  EXPECT_THAT((**listed).items, IsEmpty());
}

TEST_F(InProcessClientTest, TheCallersObjectStaysAsItWas) {
  const ObjectPtr mine = shared(api::kinds::config_map(), "{}");
  std::optional<Result<ObjectPtr>> answer;
  client.create(config_map("c"), mine, record(answer));
  settle();
  EXPECT_EQ(client::uid_of(*mine), "");
  EXPECT_NE(client::uid_of(***answer), "");
}

TEST_F(InProcessClientTest, ErrorsArriveAsStatus) {
  std::optional<Result<ObjectPtr>> answer;
  client.get(config_map("absent"), record(answer));
  settle();
  EXPECT_EQ(error_text(answer->error()), "404 NotFound: configmaps \"absent\" not found");
}

TEST_F(InProcessClientTest, M78_AWatchTellsWhatHappensAfterIt) {
  must_create(config_map("before"), "{}");
  std::vector<std::string> seen;
  const std::string from = std::to_string(store.revision());
  const auto watch = client.watch(config_maps, from, log_events(seen));
  settle();
  must_create(config_map("a"), "{}");
  server.remove(config_map("a"), {});
  EXPECT_THAT(seen, IsEmpty()) << "never inside a call";
  settle();
  EXPECT_THAT(seen, ElementsAre("+default/a@7", "-default/a@8"));
}

TEST_F(InProcessClientTest, M78_WithoutAVersionAWatchBeginsWithWhatIsThere) {
  must_create(config_map("b"), "{}");
  must_create(config_map("a"), "{}");
  std::vector<std::string> seen;
  const auto watch = client.watch(config_maps, "", log_events(seen));
  settle();
  must_create(config_map("c"), "{}");
  settle();
  EXPECT_THAT(seen, ElementsAre("+default/a@7", "+default/b@6", "+default/c@8"));
}

TEST_F(InProcessClientTest, NothingRunsAfterAWatchIsDestroyed) {
  std::vector<std::string> seen;
  auto watch = client.watch(config_maps, "", log_events(seen));
  settle();
  must_create(config_map("a"), "{}");
  watch.reset();
  settle();
  EXPECT_THAT(seen, IsEmpty());
}

TEST_F(InProcessClientTest, AHandlerMayDestroyItsWatch) {
  std::unique_ptr<client::Watch> watch;
  int calls = 0;
  watch = client.watch(config_maps, "1",
                       {[&](const client::WatchEvent&) {
                          ++calls;
                          watch.reset();
                        },
                        [](const Status&) {}});
  must_create(config_map("a"), "{}");
  must_create(config_map("b"), "{}");
  settle();
  EXPECT_EQ(calls, 1);
}

TEST_F(InProcessClientTest, EventsComeInOrderWhateverTheBatch) {
  std::vector<std::string> seen;
  const auto watch = client.watch(config_maps, "1", log_events(seen));
  constexpr int kCount = InProcessWatch::kEventsPerTask * 2 + 1;
  std::vector<std::string> expected;
  for (int i = 0; i < kCount; ++i) {
    const std::string name = "c" + std::to_string(i);
    must_create(config_map(name), "{}");
    expected.push_back("+default/" + name + "@" + std::to_string(store.revision()));
  }
  settle();
  EXPECT_EQ(seen, expected);
}

TEST_F(InProcessClientTest, M79_AWatchThatIsTooOldEndsWith410) {
  store::Store small(nullptr, {.history_events = 1});
  Server other(small, world.clock(), world.random(), api::FeatureGates());
  other.create_system_namespaces();
  InProcessClient to_other(other, world.executor());
  const Collection namespaces{&api::kinds::namespace_(), "", "", ""};
  std::vector<std::string> seen;
  const auto watch = to_other.watch(namespaces, "2", log_events(seen));
  settle();
  EXPECT_THAT(seen, ElementsAre("410 Expired: too old resource version: 2 (4)"));
}

TEST_F(InProcessClientTest, S1_AnAnswerWaitsForTheCommit) {
  store::ManualJournal journal;
  store::Store durable(&journal);
  Server other(durable, world.clock(), world.random(), api::FeatureGates());
  other.create_system_namespaces();
  journal.commit_up_to(durable.head_revision());
  InProcessClient to_other(other, world.executor());
  std::optional<Result<ObjectPtr>> created;
  std::optional<Result<ObjectPtr>> again;
  std::optional<Result<ObjectPtr>> got;
  to_other.create(config_map("c"), shared(api::kinds::config_map(), "{}"), record(created));
  to_other.create(config_map("c"), shared(api::kinds::config_map(), "{}"), record(again));
  to_other.get(config_map("c"), record(got));
  settle();
  EXPECT_FALSE(created.has_value());
  EXPECT_FALSE(again.has_value()) << "S3: also a refusal may not tell of what could still be lost";
  EXPECT_TRUE(is_not_found(got->error()));
  journal.commit_up_to(durable.head_revision());
  settle();
  EXPECT_TRUE(created->has_value());
  EXPECT_TRUE(is_already_exists(again->error()));
}

TEST_F(InProcessClientTest, S1_AFailedCommitIsAnError) {
  store::ManualJournal journal;
  store::Store durable(&journal);
  Server other(durable, world.clock(), world.random(), api::FeatureGates());
  InProcessClient to_other(other, world.executor());
  std::optional<Result<ObjectPtr>> created;
  to_other.create({&api::kinds::namespace_(), "", "n"}, shared(api::kinds::namespace_(), "{}"),
                  record(created));
  settle();
  journal.fail(plain_error("no space left on device"));
  EXPECT_EQ(created->error().message, "no space left on device");
  std::optional<Result<ObjectPtr>> later;
  to_other.create({&api::kinds::namespace_(), "", "m"}, shared(api::kinds::namespace_(), "{}"),
                  record(later));
  settle();
  EXPECT_EQ(later->error().message, "no space left on device");
}

}  // namespace
}  // namespace windlass::apiserver
