#include "store/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "verify/journals/manual_journal.h"

namespace windlass::store {
namespace {

using testing::ElementsAre;

constexpr ObjectKey kFirst{"pods", "default", "a"};
constexpr ObjectKey kSecond{"pods", "default", "b"};

Revision put(Store& store, const ObjectKey& key, std::string bytes) {
  const VersionPtr head = store.head(key);
  const auto taken = store.put(key, head ? head->revision() : 0, std::move(bytes), nullptr);
  CHECK(taken.has_value(), "the test's write is good");
  return (*taken)->revision();
}

void remove(Store& store, const ObjectKey& key) {
  const VersionPtr head = store.head(key);
  CHECK(store.remove(key, head->revision(), head->bytes(), nullptr).has_value(), "removed");
}

std::vector<std::string> keys(const std::optional<VersionPage>& page) {
  std::vector<std::string> found;
  for (const VersionPtr& version : page.value().items) {
    found.push_back(version->key());
  }
  return found;
}

std::string text(const Version& version) {
  const char* sign = version.change() == Change::created   ? "+"
                     : version.change() == Change::updated ? "~"
                                                           : "-";
  return sign + version.key() + "=" + version.bytes() + "@" + std::to_string(version.revision());
}

std::vector<std::string> drain(Watcher& watcher) {
  std::vector<std::string> seen;
  while (true) {
    const Watcher::Next next = watcher.next();
    if (next.gone) {
      seen.push_back("gone");
      return seen;
    }
    if (!next.version) {
      return seen;
    }
    seen.push_back(text(*next.version));
  }
}

std::unique_ptr<Watcher> watch(Store& store, Revision after, std::string_view ns = "") {
  return store.watch("pods", ns, after, [] {});
}

TEST(Store, M87_OneCounterForAllResourcesGivesEachWriteANewRevision) {
  Store store;
  EXPECT_EQ(store.revision(), 1U);
  EXPECT_EQ(store.next_revision(), 2U);
  EXPECT_EQ(put(store, kFirst, "1"), 2U);
  EXPECT_EQ(put(store, {"jobs", "default", "a"}, "1"), 3U);
  EXPECT_EQ(put(store, kFirst, "2"), 4U);
  EXPECT_EQ(store.revision(), 4U);
  EXPECT_EQ(store.get(kFirst)->revision(), 4U);
}

TEST(Store, S2_OneWriterWinsPerRevision) {
  Store store;
  EXPECT_EQ(store.put(kFirst, 7, "x", nullptr).error(), WriteRefusal::missing);
  EXPECT_EQ(store.remove(kFirst, 7, "x", nullptr).error(), WriteRefusal::missing);
  const Revision first = put(store, kFirst, "1");
  EXPECT_EQ(store.put(kFirst, 0, "x", nullptr).error(), WriteRefusal::exists);
  EXPECT_TRUE(store.put(kFirst, first, "2", nullptr).has_value());
  EXPECT_EQ(store.put(kFirst, first, "3", nullptr).error(), WriteRefusal::changed);
  EXPECT_EQ(store.remove(kFirst, first, "x", nullptr).error(), WriteRefusal::changed);
  EXPECT_EQ(store.get(kFirst)->bytes(), "2");
  EXPECT_EQ(store.revision(), first + 1) << "a refused write takes no revision";
}

TEST(Store, RefusesWhatIsTooLarge) {
  Store store(nullptr, {.object_bytes = 3});
  EXPECT_EQ(store.put(kFirst, 0, "four", nullptr).error(), WriteRefusal::too_large);
  EXPECT_TRUE(store.put(kFirst, 0, "fou", nullptr).has_value());
}

TEST(Store, WhatFillsItsRoomCanBeMarkedAndRemoved) {
  Store store(nullptr, {.object_bytes = 3});
  ASSERT_TRUE(store.put(kFirst, 0, "fou", nullptr).has_value());
  EXPECT_EQ(store.put(kFirst, 2, "four", nullptr).error(), WriteRefusal::too_large);
  EXPECT_TRUE(store.put(kFirst, 2, "four", nullptr, Room::reserved).has_value());
  EXPECT_TRUE(store.remove(kFirst, 3, "fours", nullptr).has_value());
}

TEST(Store, M61_ListsInKeyOrderAndByNamespace) {
  Store store;
  put(store, {"pods", "b", "x"}, "1");
  put(store, {"pods", "a-b", "x"}, "1");
  put(store, {"pods", "a", "y"}, "1");
  put(store, {"pods", "a", "x"}, "1");
  put(store, {"nodes", "", "n"}, "1");
  EXPECT_THAT(keys(store.list({.resource = "pods"})), ElementsAre("a-b/x", "a/x", "a/y", "b/x"));
  EXPECT_THAT(keys(store.list({.resource = "pods", .ns = "a"})), ElementsAre("a/x", "a/y"));
  EXPECT_THAT(keys(store.list({.resource = "nodes"})), ElementsAre("n"));
  EXPECT_THAT(keys(store.list({.resource = "jobs"})), ElementsAre());
}

TEST(Store, M65_PagesOfOneListShareASnapshot) {
  Store store;
  for (const char* name : {"a", "b", "c", "d"}) {
    put(store, {"pods", "default", name}, "old");
  }
  const VersionPage first = store.list({.resource = "pods", .limit = 2}).value();
  EXPECT_TRUE(first.more);
  remove(store, {"pods", "default", "c"});
  put(store, {"pods", "default", "d"}, "new");
  put(store, {"pods", "default", "e"}, "new");

  const VersionPage rest = store
                               .list({.resource = "pods",
                                      .after = first.items.back()->key(),
                                      .revision = first.revision,
                                      .limit = 2})
                               .value();
  EXPECT_FALSE(rest.more);
  EXPECT_THAT(keys(rest), ElementsAre("default/c", "default/d"));
  EXPECT_EQ(rest.items.back()->bytes(), "old");
  EXPECT_THAT(keys(store.list({.resource = "pods"})),
              ElementsAre("default/a", "default/b", "default/d", "default/e"));
}

TEST(Store, ALimitCountsOnlyWhatTheFilterAccepts) {
  Store store;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    put(store, {"pods", "", name}, name);
  }
  const auto odd = [](const Version& version) { return (version.bytes()[0] - 'a') % 2 == 0; };
  const VersionPage page = store.list({.resource = "pods", .limit = 2, .filter = odd}).value();
  EXPECT_THAT(keys(page), ElementsAre("a", "c"));
  EXPECT_TRUE(page.more);
  const auto rest = store.list({.resource = "pods", .after = "c", .limit = 2, .filter = odd});
  EXPECT_THAT(keys(rest), ElementsAre("e"));
  EXPECT_FALSE(rest->more);
}

TEST(Store, AListOlderThanTheHistoryOrFromTheFutureIsRefused) {
  Store store(nullptr, {.history_events = 2});
  put(store, kFirst, "1");   // 2
  put(store, kFirst, "2");   // 3
  put(store, kSecond, "1");  // 4
  EXPECT_EQ(store.compacted("pods"), 2U);
  EXPECT_EQ(store.list({.resource = "pods", .revision = 2})->items.front()->bytes(), "1");
  EXPECT_FALSE(store.list({.resource = "pods", .revision = 5}));
  put(store, kSecond, "2");  // 5
  EXPECT_FALSE(store.list({.resource = "pods", .revision = 2}));
  EXPECT_EQ(store.list({.resource = "pods", .revision = 3})->items.front()->bytes(), "2");
}

TEST(Store, S4_AWatchIsOrderedUniqueAndGapFree) {
  Store store;
  put(store, kFirst, "1");
  const auto watcher = watch(store, 2);
  EXPECT_THAT(drain(*watcher), ElementsAre());
  put(store, kFirst, "2");
  put(store, {"jobs", "default", "j"}, "1");
  put(store, kSecond, "1");
  remove(store, kFirst);
  put(store, kFirst, "3");
  const auto seen =
      ElementsAre("~default/a=2@3", "+default/b=1@5", "-default/a=2@6", "+default/a=3@7");
  EXPECT_THAT(drain(*watcher), seen);
  EXPECT_THAT(drain(*watcher), ElementsAre());
  EXPECT_THAT(drain(*watch(store, 2)), seen) << "a resumed watch sees the same";
}

TEST(Store, M64_AWatchFromTheFutureStaysSilentUntilThen) {
  Store store;
  const auto watcher = watch(store, 3);
  EXPECT_THAT(drain(*watcher), ElementsAre());
  put(store, kFirst, "1");
  put(store, kFirst, "2");
  put(store, kFirst, "3");
  EXPECT_THAT(drain(*watcher), ElementsAre("~default/a=3@4"));
}

TEST(Store, M79_AWatchOlderThanTheHistoryIsRefused) {
  Store store(nullptr, {.history_events = 2});
  put(store, kFirst, "1");
  put(store, kFirst, "2");
  put(store, kFirst, "3");
  EXPECT_EQ(watch(store, 1), nullptr);
  EXPECT_THAT(drain(*watch(store, 2)), ElementsAre("~default/a=2@3", "~default/a=3@4"));
}

TEST(Store, L7_ASlowWatcherLosesItsPlaceAndDelaysNoOther) {
  Store store(nullptr, {.history_events = 2});
  const auto slow = watch(store, 1);
  EXPECT_THAT(drain(*slow), ElementsAre());
  for (const char* bytes : {"1", "2", "3"}) {
    put(store, kFirst, bytes);
  }
  EXPECT_THAT(drain(*slow), ElementsAre("gone"));
  EXPECT_EQ(slow->compacted(), 2U);
}

TEST(Store, ChangesItDoesNotWantDoNotMakeAWatcherTooOld) {
  Store store(nullptr, {.history_events = 2});
  int woken = 0;
  const auto watcher = store.watch("pods", "quiet", 1, [&] { ++woken; });
  EXPECT_THAT(drain(*watcher), ElementsAre());
  for (const char* bytes : {"1", "2", "3", "4"}) {
    put(store, kFirst, bytes);
  }
  EXPECT_EQ(woken, 0);
  put(store, {"pods", "quiet", "q"}, "1");
  put(store, {"pods", "quiet", "q"}, "2");
  EXPECT_EQ(woken, 1) << "once until it has been drained";
  EXPECT_THAT(drain(*watcher), ElementsAre("+quiet/q=1@6", "~quiet/q=2@7"));
}

TEST(Store, HistoryIsBoundedByBytesToo) {
  const std::string bytes(1'000, 'x');
  Store store(nullptr, {.history_bytes = 3'000});
  put(store, kFirst, bytes);
  put(store, kFirst, bytes);
  EXPECT_EQ(store.compacted("pods"), 1U);
  put(store, kFirst, bytes);
  EXPECT_EQ(store.compacted("pods"), 2U) << "what a version takes besides its bytes counts, too";
  put(store, kFirst, std::string(5'000, 'x'));
  EXPECT_EQ(store.compacted("pods"), 4U) << "the newest one always stays";
}

// api.md M79: a watcher that is further behind than the bytes reach is told so.
TEST(Store, M79_AWatcherBehindTheBytesOfTheHistoryIsGone) {
  Store store(nullptr, {.history_bytes = 100'000});
  const auto slow = watch(store, 1);
  EXPECT_THAT(drain(*slow), ElementsAre());
  const Revision start = store.revision();
  for (int i = 0; i < 200; ++i) {
    put(store, kFirst, std::string(1'000, 'x'));
  }
  EXPECT_THAT(drain(*slow), ElementsAre("gone"));
  EXPECT_EQ(watch(store, start), nullptr);
  EXPECT_NE(watch(store, store.revision() - 50), nullptr);
}

TEST(Store, ManyResourcesShareTheBytesAndABusyOneCostsAQuietOneNothing) {
  Store store(nullptr, {.history_bytes = 200'000});
  const Revision start = store.revision();
  put(store, {"jobs", "default", "quiet"}, "1");
  for (int i = 0; i < 500; ++i) {
    put(store, kFirst, std::string(1'000, 'x'));
    put(store, {"events", "default", "e"}, std::string(500, 'x'));
  }
  EXPECT_NE(store.watch("jobs", "", start, nullptr), nullptr);
  const Revision newest = store.revision();
  EXPECT_GT(store.compacted("pods"), newest - 200) << "half of the bytes at most";
  EXPECT_GT(store.compacted("events"), newest - 300);
  EXPECT_LT(store.compacted("pods"), newest - 100);
  EXPECT_LT(store.compacted("events"), newest - 100);
}

TEST(Store, AllWatchersShareOneEncodedObjectAndOneMessage) {
  Store store;
  const auto one = watch(store, 1);
  const auto two = watch(store, 1);
  put(store, kFirst, "1");
  const VersionPtr seen = one->next().version;
  EXPECT_EQ(seen, two->next().version);
  EXPECT_EQ(seen, store.get(kFirst));
  EXPECT_EQ(seen->decoded(), nullptr);
}

TEST(Store, M77_AWatcherFindsTheContentBeforeAChange) {
  Store store;
  put(store, kFirst, "old");
  put(store, kFirst, "new");
  const auto watcher = watch(store, 2);
  EXPECT_EQ(watcher->next().version->previous()->bytes(), "old");
}

TEST(Store, S1_AWriteIsInvisibleBeforeItIsDurable) {
  ManualJournal journal;
  Store store(&journal);
  const auto watcher = watch(store, 1);
  std::vector<std::string> acknowledged;
  const Revision first = put(store, kFirst, "1");
  store.when_committed(
      first, [&](const Result<void>& done) { acknowledged.push_back(done ? "a1" : "failed"); });
  const Revision second = put(store, kFirst, "2");
  store.when_committed(
      second, [&](const Result<void>& done) { acknowledged.push_back(done ? "a2" : "failed"); });
  EXPECT_EQ(store.get(kFirst), nullptr);
  EXPECT_EQ(store.head(kFirst)->bytes(), "2");
  EXPECT_THAT(keys(store.list({.resource = "pods"})), ElementsAre());
  EXPECT_THAT(drain(*watcher), ElementsAre());
  EXPECT_EQ(store.revision(), 1U);

  journal.commit_up_to(first);
  EXPECT_EQ(store.get(kFirst)->bytes(), "1");
  EXPECT_THAT(drain(*watcher), ElementsAre("+default/a=1@2"));
  EXPECT_THAT(acknowledged, ElementsAre("a1"));

  journal.commit_up_to(second);
  EXPECT_THAT(drain(*watcher), ElementsAre("~default/a=2@3"));
  EXPECT_THAT(acknowledged, ElementsAre("a1", "a2"));
}

TEST(Store, WritesAreBasedOnTheNewestStateEvenIfItIsNotDurableYet) {
  ManualJournal journal;
  Store store(&journal);
  const Revision first = put(store, kFirst, "1");
  EXPECT_EQ(store.put(kFirst, 0, "x", nullptr).error(), WriteRefusal::exists);
  EXPECT_TRUE(store.remove(kFirst, first, "1", nullptr).has_value());
  EXPECT_TRUE(store.put(kFirst, 0, "2", nullptr).has_value());
  journal.commit_up_to(store.head_revision());
  EXPECT_THAT(drain(*watch(store, 1)),
              ElementsAre("+default/a=1@2", "-default/a=1@3", "+default/a=2@4"));
}

TEST(Store, BoundsTheWritesThatWaitForTheJournal) {
  ManualJournal journal;
  Store store(&journal, {.pending_writes = 2});
  put(store, kFirst, "1");
  put(store, kSecond, "1");
  EXPECT_EQ(store.put({"pods", "", "c"}, 0, "1", nullptr).error(), WriteRefusal::busy);
  journal.commit_up_to(2);
  EXPECT_TRUE(store.put({"pods", "", "c"}, 0, "1", nullptr).has_value());
}

TEST(Store, S1_AFailedJournalPoisonsTheStore) {
  ManualJournal journal;
  Store store(&journal);
  put(store, kFirst, "1");
  journal.commit_up_to(2);
  put(store, kFirst, "2");
  put(store, kSecond, "1");
  std::string answer;
  store.when_committed(4, [&](const Result<void>& done) { answer = done.error().message; });
  journal.fail(plain_error("disk on fire"));
  EXPECT_EQ(answer, "disk on fire");
  EXPECT_EQ(store.poisoned()->message, "disk on fire");
  EXPECT_EQ(store.get(kFirst)->bytes(), "1") << "reads go on";
  EXPECT_EQ(store.head(kFirst)->bytes(), "1");
  EXPECT_EQ(store.head(kSecond), nullptr);
  EXPECT_EQ(store.put(kFirst, 2, "3", nullptr).error(), WriteRefusal::poisoned);
  journal.commit_up_to(4);
  EXPECT_EQ(store.get(kFirst)->bytes(), "1") << "a late success changes nothing";
  answer.clear();
  store.when_committed(4, [&](const Result<void>& done) { answer = done.error().message; });
  EXPECT_EQ(answer, "disk on fire");
}

TEST(Store, S1_WhatTheJournalRefusesHasNeverBeen) {
  ManualJournal journal;
  Store store(&journal);
  put(store, kFirst, "1");
  journal.commit_up_to(2);
  const auto watcher = watch(store, 1);
  put(store, kFirst, "2");
  put(store, kFirst, "3");
  put(store, kSecond, "1");
  std::string answer;
  const auto note = [&](const Result<void>& done) { answer = done ? "ok" : done.error().message; };
  store.when_committed(4, note);
  journal.refuse(plain_error("no room"));
  EXPECT_EQ(answer, "no room");
  EXPECT_FALSE(store.poisoned());
  EXPECT_EQ(store.head(kFirst)->bytes(), "1");
  EXPECT_EQ(store.head(kSecond), nullptr);
  EXPECT_EQ(store.head_revision(), 2U) << "an answer about the committed state waits for nothing";
  EXPECT_EQ(store.next_revision(), 6U) << "a revision is never given twice";

  EXPECT_EQ(store.put(kFirst, 4, "x", nullptr).error(), WriteRefusal::changed);
  EXPECT_EQ(put(store, kFirst, "4"), 6U);
  journal.commit_up_to(6);
  EXPECT_THAT(drain(*watcher), ElementsAre("+default/a=1@2", "~default/a=4@6"));
  store.when_committed(4, note);
  EXPECT_EQ(answer, "no room") << "also for those who ask late";
  store.when_committed(6, note);
  EXPECT_EQ(answer, "ok");
}

TEST(Store, ARefusedWriteOverADeletionThatTheHistoryForgotLeavesNothing) {
  ManualJournal journal;
  Store store(&journal, {.history_events = 1});
  put(store, kFirst, "1");
  remove(store, kFirst);
  journal.commit_up_to(3);
  put(store, kSecond, "1");
  put(store, kFirst, "2");
  journal.commit_up_to(4);  // the deletion leaves the history
  journal.refuse(plain_error("no room"));
  EXPECT_EQ(store.head(kFirst), nullptr);
  EXPECT_EQ(store.put(kFirst, 3, "x", nullptr).error(), WriteRefusal::missing);
  EXPECT_THAT(keys(store.list({.resource = "pods"})), ElementsAre("default/b"));
}

TEST(Store, WithoutRoomOnlyWhatMakesRoomIsTaken) {
  ManualJournal journal;
  Store store(&journal);
  put(store, kFirst, "1");
  journal.commit_up_to(2);
  journal.be_full(plain_error("no room"));
  EXPECT_EQ(store.full()->message, "no room");
  EXPECT_EQ(store.put(kSecond, 0, "x", nullptr).error(), WriteRefusal::full);
  EXPECT_EQ(store.put(kFirst, 2, "x", nullptr).error(), WriteRefusal::full);
  EXPECT_TRUE(store.put(kFirst, 2, "going", nullptr, Room::reserved).has_value());
  EXPECT_TRUE(store.remove(kFirst, 3, "gone", nullptr).has_value());
  journal.commit_up_to(4);
  EXPECT_EQ(store.get(kFirst), nullptr);
  journal.have_room();
  EXPECT_TRUE(store.put(kSecond, 0, "1", nullptr).has_value());
}

TEST(Store, BoundsTheBytesThatWaitForTheJournal) {
  ManualJournal journal;
  Store store(&journal, {.pending_bytes = 10});
  EXPECT_TRUE(store.put(kFirst, 0, "more than ten bytes", nullptr).has_value())
      << "one is always taken";
  EXPECT_EQ(store.put(kSecond, 0, "1", nullptr).error(), WriteRefusal::busy);
  journal.commit_up_to(2);
  EXPECT_TRUE(store.put(kSecond, 0, "1", nullptr).has_value());
}

TEST(Store, FreesALongHistoryOfOneObject) {
  Store store(nullptr, {.history_events = 1'000'000});
  for (int i = 0; i < 300'000; ++i) {
    put(store, kFirst, "1");
  }
  EXPECT_EQ(store.revision(), 300'001U);
}

TEST(Store, ADeletedNameCanComeBackAfterTheHistoryForgotIt) {
  Store store(nullptr, {.history_events = 1});
  put(store, kFirst, "1");
  remove(store, kFirst);
  put(store, kSecond, "1");
  EXPECT_EQ(store.get(kFirst), nullptr);
  put(store, kFirst, "2");
  EXPECT_EQ(store.get(kFirst)->bytes(), "2");
  EXPECT_THAT(keys(store.list({.resource = "pods"})), ElementsAre("default/a", "default/b"));
}

}  // namespace
}  // namespace windlass::store
