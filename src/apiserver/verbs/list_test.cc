#include "apiserver/server_testing.h"
#include "apiserver/strategies/strategies.h"
#include "apiserver/verbs/continue_token.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::apiserver {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

class ListTest : public ServerTest {
 protected:
  static std::vector<std::string> keys(const Result<ObjectList>& list) {
    std::vector<std::string> found;
    for (const ObjectPtr& object : list.value().items) {
      found.push_back(client::key_of(*object));
    }
    return found;
  }
  static std::string refusal(const Result<ObjectList>& list) {
    return list ? "" : error_text(list.error());
  }
  Result<ObjectList> select(const api::Kind& kind, std::string labels, std::string fields) {
    return server.list({&kind, "default", std::move(labels), std::move(fields)}, {});
  }
  void create_five() {
    for (const char* name : {"c", "a", "e", "b", "d"}) {
      must_create(config_map(name), "{}");
    }
  }
  const Collection config_maps{&api::kinds::config_map(), "default", "", ""};
};

TEST_F(ListTest, M60_M61_ListsInKeyOrderWithTheRevision) {
  create_five();
  const auto list = server.list(config_maps, {});
  EXPECT_THAT(keys(list),
              ElementsAre("default/a", "default/b", "default/c", "default/d", "default/e"));
  EXPECT_EQ(list->resource_version, std::to_string(store.revision()));
  EXPECT_EQ(list->continue_token, "");
  EXPECT_THAT(keys(server.list({&api::kinds::config_map(), "kube-system"}, {})), IsEmpty());
  EXPECT_EQ(keys(server.list({&api::kinds::config_map()}, {})).size(), 5U);
}

TEST_F(ListTest, M65_PagesShareRevisionAndSnapshot) {
  for (const char* ns : {"default", ""}) {
    SCOPED_TRACE(ns);
    create_five();
    const Collection collection{&api::kinds::config_map(), ns};
    const auto first = server.list(collection, {.limit = 2});
    server.remove(config_map("c"), {});
    must_create(config_map("bb"), "{}");
    const auto second =
        server.list(collection, {.limit = 2, .continue_token = first->continue_token});
    EXPECT_THAT(keys(second), ElementsAre("default/c", "default/d"));
    EXPECT_EQ(second->resource_version, first->resource_version);
    const auto third =
        server.list(collection, {.limit = 2, .continue_token = second->continue_token});
    EXPECT_THAT(keys(third), ElementsAre("default/e"));
    EXPECT_EQ(third->continue_token, "");
    for (const char* name : {"a", "b", "bb", "d", "e"}) {
      server.remove(config_map(name), {});
    }
  }
}

TEST_F(ListTest, ASelectorCountsTowardsTheLimit) {
  for (const char* name : {"a", "b", "c", "d"}) {
    must_create(config_map(name),
                name[0] % 2 == 0 ? R"({"metadata":{"labels":{"even":""}}})" : "{}");
  }
  const auto page = server.list({&api::kinds::config_map(), "default", "even"}, {.limit = 2});
  EXPECT_THAT(keys(page), ElementsAre("default/b", "default/d"));
  EXPECT_EQ(page->continue_token, "");
}

TEST_F(ListTest, M66_TheTokenIsThatOfKubernetes) {
  EXPECT_EQ(encode_continue({345, "c1"}),
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MzQ1LCJzdGFydCI6Ii9jMVx1MDAwMCJ9");
  const auto token = decode_continue(encode_continue({7, "ns/na~me?"}));
  EXPECT_EQ(token->revision, 7U);
  EXPECT_EQ(token->after, "ns/na~me?");
  EXPECT_EQ(decode_continue(encode_continue({0, "x"}))->revision, 0U);
  EXPECT_EQ(decode_continue(encode_continue({7, "x"}))->left, std::nullopt);
  EXPECT_EQ(decode_continue(encode_continue({7, "x", 4}))->left, 4);
}

TEST_F(ListTest, M66_WhatFollowsIsCountedOnceForAllPages) {
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    must_create(config_map(name), "{}");
  }
  const Collection collection{&api::kinds::config_map(), "default"};
  const auto first = server.read(collection, {.limit = 2});
  EXPECT_EQ(first->remaining, 3);
  EXPECT_EQ(decode_continue(first->continue_token)->left, 3);
  must_create(config_map("f"), "{}");  // not of the snapshot
  const auto second =
      server.read(collection, {.limit = 2, .continue_token = first->continue_token});
  EXPECT_EQ(second->remaining, 1);
  const auto third =
      server.read(collection, {.limit = 2, .continue_token = second->continue_token});
  EXPECT_EQ(third->remaining, std::nullopt);
  // Without the count, as from another server, and with one that cannot be.
  for (const std::optional<int64_t> left : {std::optional<int64_t>(), std::optional<int64_t>(0)}) {
    auto token = *decode_continue(first->continue_token);
    token.left = left;
    EXPECT_EQ(
        server.read(collection, {.limit = 2, .continue_token = encode_continue(token)})->remaining,
        1);
  }
}

TEST_F(ListTest, M67_BadTokensAreRefused) {
  for (const char* token :
       {"%", "abc", "e30", "bnVsbA", "eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6Ii9hIn0"}) {
    EXPECT_THAT(refusal(server.list(config_maps, {.limit = 1, .continue_token = token})),
                StartsWith("400 BadRequest: invalid continue token: continue key is not valid: "))
        << token;
  }
}

TEST_F(ListTest, M67_AnExpiredTokenIs410) {
  store::Store small(nullptr, {.history_events = 1});
  Server other(small, world.clock(), world.random(), api::FeatureGates());
  other.create_system_namespaces();
  const Collection namespaces{&api::kinds::namespace_()};
  const auto first = other.list(namespaces, {.limit = 1});
  for (const char* name : {"x", "y"}) {
    other.create({&api::kinds::namespace_(), "", name}, from_json(api::kinds::namespace_(), "{}"));
  }
  EXPECT_THAT(
      refusal(other.list(namespaces, {.limit = 1, .continue_token = first->continue_token})),
      StartsWith("410 Expired: The provided continue parameter is too old to display a "
                 "consistent list result."));
}

TEST_F(ListTest, M68_LabelSelectors) {
  must_create_pod("a", R"({"labels":{"app":"x"}})");
  must_create_pod("b", R"({"labels":{"app":"y"}})");
  must_create_pod("c");
  EXPECT_THAT(keys(select(api::kinds::pod(), "app=x", "")), ElementsAre("default/a"));
  EXPECT_THAT(keys(select(api::kinds::pod(), "app!=x", "")), ElementsAre("default/b", "default/c"));
  EXPECT_THAT(keys(select(api::kinds::pod(), "app in (x,y)", "")),
              ElementsAre("default/a", "default/b"));
  EXPECT_THAT(keys(select(api::kinds::pod(), "!app", "")), ElementsAre("default/c"));
  EXPECT_THAT(refusal(select(api::kinds::pod(), "a b c", "")), StartsWith("400 BadRequest: "));
}

TEST_F(ListTest, P105_FieldSelectorsOfPods) {
  must_create_pod("a");
  must_create_pod("b");
  server.bind(pod("b"), {.node = "n"});
  const auto by = [&](std::string fields) {
    return keys(select(api::kinds::pod(), "", std::move(fields)));
  };
  EXPECT_THAT(by("metadata.name=a"), ElementsAre("default/a"));
  EXPECT_THAT(by("metadata.namespace=default"), ElementsAre("default/a", "default/b"));
  EXPECT_THAT(by("spec.nodeName=n"), ElementsAre("default/b"));
  EXPECT_THAT(by("spec.host=n"), ElementsAre("default/b"));
  EXPECT_THAT(by("spec.nodeName!=n"), ElementsAre("default/a"));
  EXPECT_THAT(by("status.phase=Pending,spec.restartPolicy=Always,spec.schedulerName="
                 "default-scheduler,spec.hostNetwork=false,spec.serviceAccountName=,status.podIP=,"
                 "status.nominatedNodeName="),
              ElementsAre("default/a", "default/b"));
  EXPECT_THAT(by("status.podIPs=10.0.0.1"), IsEmpty());
  EXPECT_EQ(refusal(select(api::kinds::pod(), "", "spec.image=x")),
            "400 BadRequest: field label not supported: spec.image");
}

TEST_F(ListTest, J152_FieldSelectorsOfJobs) {
  must_create_job("j");
  EXPECT_THAT(keys(select(api::kinds::job(), "", "status.successful=0")), ElementsAre("default/j"));
  EXPECT_THAT(keys(select(api::kinds::job(), "", "status.successful=1")), IsEmpty());
  EXPECT_EQ(refusal(select(api::kinds::job(), "", "spec.parallelism=1")),
            "400 BadRequest: field label \"spec.parallelism\" not supported for Job");
}

TEST_F(ListTest, FieldSelectorsOfOtherKinds) {
  must_create({&api::kinds::node(), "", "n"}, R"({"spec":{"unschedulable":true}})");
  EXPECT_THAT(keys(server.list({&api::kinds::node(), "", "", "spec.unschedulable=true"}, {})),
              ElementsAre("n"));
  EXPECT_THAT(
      keys(server.list({&api::kinds::namespace_(), "", "", "status.phase=Terminating"}, {})),
      IsEmpty());
  must_create({&api::kinds::event(), "default", "e"},
              R"({"involvedObject":{"namespace":"default","name":"p"},"type":"Normal"})");
  EXPECT_THAT(keys(select(api::kinds::event(), "", "involvedObject.name=p,type=Normal")),
              ElementsAre("default/e"));
  EXPECT_EQ(refusal(select(api::kinds::config_map(), "", "data.x=1")),
            "400 BadRequest: \"data.x\" is not a known field selector: only \"metadata.name\", "
            "\"metadata.namespace\"");
}

TEST_F(ListTest, FieldSelectorsOfServicesAndPriorityClasses) {
  must_create({&service_kind(), "default", "s"}, "{}");
  EXPECT_THAT(keys(select(service_kind(), "", "spec.type=ClusterIP,spec.clusterIP=None")),
              ElementsAre("default/s"));
  EXPECT_EQ(refusal(select(service_kind(), "", "spec.x=1")),
            "400 BadRequest: field label not supported: spec.x");
  must_create({&priority_class_kind(), "", "c"}, R"({"value":1})");
  EXPECT_THAT(keys(server.list({&priority_class_kind(), "", "", "metadata.namespace="}, {})),
              ElementsAre("c"));
}

TEST_F(ListTest, GetFindsOneObject) {
  must_create(config_map("a"), "{}");
  EXPECT_TRUE(server.get(config_map("a")).has_value());
  EXPECT_EQ(error_text(server.get(config_map("b")).error()),
            "404 NotFound: configmaps \"b\" not found");
}

TEST_F(ListTest, ALabelledWatchFollowsTransitions) {
  const Collection labelled{&api::kinds::pod(), "default", "app=x"};
  const store::Revision from = store.revision();
  must_create_pod("p");                                                                    // unseen
  server.patch(pod("p"), "", PatchType::merge, R"({"metadata":{"labels":{"app":"x"}}})");  // +
  server.patch(pod("p"), "", PatchType::merge, R"({"metadata":{"labels":{"b":"1"}}})");    // ~
  server.patch(pod("p"), "", PatchType::merge, R"({"metadata":{"labels":{"app":"y"}}})");  // -
  server.patch(pod("p"), "", PatchType::merge, R"({"metadata":{"labels":{"c":"1"}}})");    // unseen
  server.patch(pod("p"), "", PatchType::merge, R"({"metadata":{"labels":{"app":"x"}}})");  // +
  server.remove(pod("p"), {});                                                             // ~ -
  const auto at = [&](int i) { return std::to_string(from + static_cast<uint64_t>(i)); };
  EXPECT_THAT(events(labelled, from),
              ElementsAre("+default/p@" + at(2), "~default/p@" + at(3), "-default/p@" + at(4),
                          "+default/p@" + at(6), "~default/p@" + at(7), "-default/p@" + at(8)));
}

TEST_F(ListTest, M77_StoppingToMatchShowsTheOldContentWithTheNewVersion) {
  must_create_pod("p", R"({"labels":{"app":"x"}})");
  const auto stream = WatchStream::open(server, {&api::kinds::pod(), "default", "app=x"},
                                        std::to_string(store.revision()), [] {});
  server.patch(pod("p"), "", PatchType::merge, R"({"metadata":{"labels":{"app":"y"}}})");
  int looks = WatchStream::kLooksPerTask;
  const auto event = (*stream)->next(looks);
  EXPECT_EQ((*event)->type, client::EventType::deleted);
  const auto& seen = api::metadata_of(*(*event)->object);
  EXPECT_EQ(seen.labels().at("app"), "x");
  EXPECT_EQ(seen.resource_version(), std::to_string(store.revision()));
}

// What is there, and what has changed: neither is gone through in one go.
TEST_F(ListTest, M76_AStreamLooksAtSoMuchAndGoesOnLater) {
  const Collection labelled{&api::kinds::config_map(), "default", "app=x"};
  const store::Revision from = store.revision();
  for (int i = 0; i < 25; ++i) {
    must_create(config_map("a" + std::to_string(i)), "{}");
  }
  must_create(config_map("b"), R"({"metadata":{"labels":{"app":"x"}}})");
  for (const std::string& version : {std::string("0"), std::to_string(from)}) {
    const auto stream = WatchStream::open(server, labelled, version, [] {});
    for (int i = 0; i < 2; ++i) {
      int looks = 10;
      EXPECT_EQ(*(*stream)->next(looks), std::nullopt) << version;
      EXPECT_EQ(looks, 0);
    }
    int looks = 10;
    const auto event = (*stream)->next(looks);
    ASSERT_TRUE(*event);
    EXPECT_EQ(event_text(**event), "+default/b@" + std::to_string(store.revision()));
    EXPECT_EQ(*(*stream)->next(looks), std::nullopt);
    EXPECT_GT(looks, 0) << "this is the end for now";
  }
}

TEST_F(ListTest, M77_ReCreationWhileUnwatchedIsAnAddition) {
  must_create_pod("p", R"({"labels":{"app":"x"}})");
  server.remove(pod("p"), {});
  const store::Revision from = store.revision();
  must_create_pod("p", R"({"labels":{"app":"x"}})");
  EXPECT_THAT(events({&api::kinds::pod(), "default", "app=x"}, from),
              ElementsAre("+default/p@" + std::to_string(from + 1)));
}

TEST_F(ListTest, M63_AWatchFromWhatIsNoVersionIsRefused) {
  const auto stream = WatchStream::open(server, config_maps, "abc", [] {});
  EXPECT_EQ(error_text(stream.error()), "500 : strconv.ParseUint: parsing \"abc\": invalid syntax");
  EXPECT_EQ(
      WatchStream::open(server, {&api::kinds::pod(), "", "", "zork=1"}, "", [] {}).error().code,
      400);
}

}  // namespace
}  // namespace windlass::apiserver
