#include "client/leader_election.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "api/kind.h"
#include "client/fenced_client.h"
#include "client/object_identity.h"
#include "schema/coordination/v1/lease.pb.h"
#include "virtual_world/world.h"

namespace windlass::client {
namespace {

using api::coordination::v1::Lease;

// One Lease on a server, with optimistic concurrency; counts other writes.
struct LeaseServer {
  std::shared_ptr<const Lease> lease;
  int version = 0;
  bool refuse_new = false;
  std::vector<std::string> writes;  // who created a pod

  Result<ObjectPtr> store(const Lease& wanted, bool create) {
    if (create && refuse_new) {
      return fail(plain_error("no more leases"));
    }
    if (create == (lease != nullptr)) {
      return fail(create ? already_exists({"", "leases", "l"}) : not_found({"", "leases", "l"}));
    }
    if (!create && wanted.metadata().resource_version() != lease->metadata().resource_version()) {
      return fail(conflict({"", "leases", "l"}, "changed"));
    }
    auto stored = std::make_shared<Lease>(wanted);
    stored->mutable_metadata()->set_resource_version(std::to_string(++version));
    lease = stored;
    return ObjectPtr(stored);
  }
  std::string holder() const { return lease ? lease->spec().holder_identity() : "none"; }
};

class SkewedClock final : public env::Clock {
 public:
  explicit SkewedClock(env::Clock& real) : real_(real) {}
  Time now() override { return real_.now() + skew; }
  MonotonicTime monotonic() override { return real_.monotonic(); }
  Duration skew{};

 private:
  env::Clock& real_;
};

// The way of one process to the server: takes time, may be cut, may lose answers.
class Link final : public ApiClient {
 public:
  Link(LeaseServer& server, virtual_world::VirtualExecutor& executor,
       virtual_world::VirtualExecutor& network, std::string who)
      : server_(server), executor_(executor), network_(network), who_(std::move(who)) {}

  bool cut = false;
  bool lose_answers = false;
  Duration delay = milliseconds(5);

  void get(const ObjectRef&, Done<ObjectPtr> done) override {
    call(std::move(done), [this]() -> Result<ObjectPtr> {
      return server_.lease ? Result<ObjectPtr>(server_.lease)
                           : fail(not_found({"", "leases", "l"}));
    });
  }
  void create(const ObjectRef& ref, ObjectPtr object, Done<ObjectPtr> done) override {
    call(std::move(done), [this, pod = ref.kind == &api::kinds::pod(), object] {
      if (pod) {
        server_.writes.push_back(who_);
        return Result<ObjectPtr>(object);
      }
      return server_.store(static_cast<const Lease&>(*object), true);
    });
  }
  void update(const ObjectRef&, std::string_view, ObjectPtr object, Done<ObjectPtr> done) override {
    call(std::move(done),
         [this, object] { return server_.store(static_cast<const Lease&>(*object), false); });
  }
  void list(const Collection&, const ListOptions&, Done<ObjectList>) override {}
  std::unique_ptr<Watch> watch(const Collection&, const std::string&, WatchHandler) override {
    return nullptr;
  }
  void patch(const ObjectRef&, std::string_view, PatchType, std::string, Done<ObjectPtr>) override {
  }
  void remove(const ObjectRef&, const DeleteOptions&, Done<ObjectPtr>) override {}
  void bind(const ObjectRef&, const std::string&, const std::string&, Done<void>) override {}

 private:
  // The server's side runs on the network's executor: it goes on when the process does not.
  void call(Done<ObjectPtr> done, std::function<Result<ObjectPtr>()> act) {
    network_.schedule(delay, [this, done = std::move(done), act = std::move(act)] {
      Result<ObjectPtr> answer = cut ? fail(plain_error("no route to host")) : act();
      if (lose_answers) {
        answer = fail(plain_error("timed out"));
      }
      executor_.post([done, answer] { done(answer); });
    });
  }

  LeaseServer& server_;
  virtual_world::VirtualExecutor& executor_;
  virtual_world::VirtualExecutor& network_;
  std::string who_;
};

struct Contender {
  Contender(virtual_world::VirtualWorld& world, LeaseServer& server, const std::string& name)
      : executor(world.executor(name)),
        clock(world.clock()),
        link(server, executor, world.executor("network"), name),
        election({link, executor, clock, world.random(), world.log()},
                 {.name = "l", .identity = name}, {[this] { ++started; }, [this] { ++stopped; }}),
        fenced(link, executor, [this] { return election.is_leader(); }) {}

  void write() {
    fenced.create(
        {&api::kinds::pod(), "default", "p"}, nullptr,
        [this](const Result<ObjectPtr>& answer) { answered.push_back(answer.has_value()); });
  }

  virtual_world::VirtualExecutor& executor;
  SkewedClock clock;
  Link link;
  LeaderElection election;
  FencedClient fenced;
  int started = 0;
  int stopped = 0;
  std::vector<bool> answered;
};

struct Election : ::testing::Test {
  void start(Contender& process) {
    process.executor.post([&process] { process.election.start(); });
  }
  void start_both() {
    start(a);
    world.run_for(seconds(1));
    start(b);
    world.run_for(seconds(3));
    ASSERT_TRUE(a.election.is_leader());
    ASSERT_FALSE(b.election.is_leader());
  }

  virtual_world::VirtualWorld world{7};
  LeaseServer server;
  Contender a{world, server, "a"};
  Contender b{world, server, "b"};
};

TEST_F(Election, TheFirstOneLeadsAndRenewsEveryTwoSeconds) {
  start_both();
  const int before = server.version;
  world.run_for(seconds(60));
  EXPECT_EQ(server.holder(), "a");
  EXPECT_NEAR(server.version - before, 30, 2);
  EXPECT_EQ(a.started, 1);
  EXPECT_EQ(a.stopped, 0);
  EXPECT_EQ(b.started, 0);
  EXPECT_EQ(b.election.holder(), "a");
  EXPECT_EQ(server.lease->spec().lease_duration_seconds(), 15);
}

TEST_F(Election, ACutOffLeaderStopsAfterTenSecondsAndAnotherFollowsAfterFifteen) {
  start_both();
  a.link.cut = true;
  ASSERT_TRUE(world.run_until([this] { return a.stopped == 1; }, seconds(11)));
  EXPECT_FALSE(a.election.is_leader());
  EXPECT_EQ(b.started, 0);
  ASSERT_TRUE(world.run_until([this] { return b.started == 1; }, seconds(10)));
  EXPECT_EQ(server.lease->spec().lease_transitions(), 1);
  world.run_for(minutes(1));
  EXPECT_EQ(a.started, 1);  // it is stopped for good
}

TEST_F(Election, LostAnswersAreNoRenewals) {
  start_both();
  a.link.lose_answers = true;
  world.run_for(seconds(11));
  EXPECT_EQ(a.stopped, 1);
  EXPECT_FALSE(a.election.is_leader());
}

TEST_F(Election, AShortOutageIsSurvived) {
  start_both();
  for (int i = 0; i < 10; ++i) {
    a.link.cut = true;
    world.run_for(seconds(6));
    a.link.cut = false;
    world.run_for(seconds(5));
  }
  EXPECT_EQ(a.stopped, 0);
  EXPECT_TRUE(a.election.is_leader());
  EXPECT_EQ(b.started, 0);
}

TEST_F(Election, APausedLeaderDoesNotWriteWhenItWakesUp) {
  start_both();
  a.executor.pause();
  world.run_for(minutes(1));
  EXPECT_EQ(b.started, 1);
  EXPECT_FALSE(a.election.is_leader());  // the clock says so, before any timer has run
  a.write();
  a.executor.resume();
  world.run_for(seconds(1));
  EXPECT_EQ(a.answered, std::vector<bool>{false});
  EXPECT_TRUE(server.writes.empty());
  EXPECT_EQ(a.stopped, 1);
  EXPECT_EQ(server.holder(), "b");
}

TEST_F(Election, AFencedClientWritesWhileItLeads) {
  start_both();
  a.write();
  b.write();
  world.run_for(seconds(1));
  EXPECT_EQ(server.writes, std::vector<std::string>{"a"});
  EXPECT_EQ(a.answered, std::vector<bool>{true});
  EXPECT_EQ(b.answered, std::vector<bool>{false});
}

TEST_F(Election, WallClocksDoNotMatter) {
  a.clock.skew = hours(-100);
  b.clock.skew = hours(100);
  start_both();
  for (int i = 0; i < 20; ++i) {
    a.clock.skew += hours(i % 2 == 0 ? 7 : -9);
    world.run_for(seconds(7));
  }
  EXPECT_EQ(a.stopped, 0);
  EXPECT_EQ(b.started, 0);
  a.link.cut = true;
  world.run_for(seconds(40));
  EXPECT_EQ(b.started, 1);
}

TEST_F(Election, AReleasedLeaseIsTakenAtOnce) {
  start_both();
  bool released = false;
  a.executor.post([&] { a.election.release([&](bool freed) { released = freed; }); });
  world.run_for(milliseconds(100));
  EXPECT_TRUE(released);
  EXPECT_EQ(a.stopped, 1);
  EXPECT_EQ(server.holder(), "");
  world.run_for(seconds(3));
  EXPECT_EQ(b.started, 1);
}

TEST_F(Election, ARenewalOnItsWayDoesNotKeepTheLease) {
  for (Duration moment = milliseconds(0); moment < seconds(2); moment += milliseconds(100)) {
    virtual_world::VirtualWorld alone(7);
    LeaseServer common;
    Contender only{alone, common, "a"};
    only.link.delay = milliseconds(300);
    start(only);
    alone.run_for(seconds(5) + moment);
    ASSERT_TRUE(only.election.is_leader());
    std::optional<bool> released;
    only.executor.post([&] { only.election.release([&](bool freed) { released = freed; }); });
    alone.run_for(seconds(5));
    EXPECT_EQ(released, true) << moment.count();
    EXPECT_EQ(common.holder(), "") << moment.count();
  }
}

TEST_F(Election, ReleasingWhatIsNotHeldDoesNothing) {
  start_both();
  std::optional<bool> released;
  b.executor.post([&] { b.election.release([&](bool freed) { released = freed; }); });
  world.run_for(seconds(1));
  EXPECT_EQ(released, false);
  EXPECT_EQ(server.holder(), "a");
  EXPECT_EQ(b.stopped, 0);
}

TEST_F(Election, AnswersThatTakeTooLongCountFromWhenTheyWereAskedFor) {
  a.link.delay = seconds(11);
  start(a);
  world.run_for(minutes(2));
  EXPECT_EQ(a.started, 0);
}

TEST_F(Election, ALeaseTakenByForceEndsTheLead) {
  start_both();
  Lease stolen(*server.lease);
  stolen.mutable_spec()->set_holder_identity("c");
  ASSERT_TRUE(server.store(stolen, false));
  world.run_for(seconds(3));
  EXPECT_EQ(a.stopped, 1);
}

TEST_F(Election, ADeletedLeaseIsMadeAgainByItsHolder) {
  start(a);
  world.run_for(seconds(3));
  ASSERT_TRUE(a.election.is_leader());
  server.lease = nullptr;
  world.run_for(seconds(20));
  EXPECT_TRUE(a.election.is_leader());
  EXPECT_EQ(a.stopped, 0);
  EXPECT_EQ(server.holder(), "a");
}

// Whichever candidate comes first, and however long the answers take.
TEST_F(Election, ADeletedLeaseMakesNoSecondLeader) {
  for (Duration moment = milliseconds(0); moment < seconds(3); moment += milliseconds(100)) {
    virtual_world::VirtualWorld pair(7);
    LeaseServer common;
    Contender one{pair, common, "a"};
    Contender two{pair, common, "b"};
    start(one);
    pair.run_for(seconds(1));
    start(two);
    one.link.delay = two.link.delay = milliseconds(200);
    pair.run_for(seconds(5) + moment);
    ASSERT_TRUE(one.election.is_leader());
    common.lease = nullptr;
    for (int tick = 0; tick < 400; ++tick) {
      pair.run_for(milliseconds(50));
      ASSERT_FALSE(one.election.is_leader() && two.election.is_leader()) << moment.count();
    }
    EXPECT_TRUE(one.election.is_leader()) << moment.count();
    EXPECT_EQ(two.started, 0) << moment.count();
  }
}

TEST_F(Election, ADeletedLeaseOfADeadHolderIsTakenAfterItsTime) {
  start_both();
  a.executor.pause();
  server.lease = nullptr;
  world.run_for(seconds(14));
  EXPECT_EQ(b.started, 0);
  world.run_for(seconds(6));
  EXPECT_EQ(b.started, 1);
  EXPECT_EQ(server.holder(), "b");
}

// It cannot tell what others do in its absence.
TEST_F(Election, AHolderDoesNotLeadWhileItsLeaseIsGone) {
  start(a);
  world.run_for(seconds(3));
  ASSERT_TRUE(a.election.is_leader());
  server.lease = nullptr;
  server.refuse_new = true;
  world.run_for(seconds(3));
  EXPECT_FALSE(a.election.is_leader());
  EXPECT_EQ(a.stopped, 0);
  server.refuse_new = false;
  world.run_for(seconds(3));
  EXPECT_TRUE(a.election.is_leader());
  server.lease = nullptr;
  server.refuse_new = true;
  world.run_for(seconds(11));
  EXPECT_EQ(a.stopped, 1);
}

TEST_F(Election, NeverTwoLeadersUnderRandomFaults) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    virtual_world::VirtualWorld chaos(seed);
    LeaseServer common;
    Contender one{chaos, common, "a"};
    Contender two{chaos, common, "b"};
    start(one);
    start(two);
    std::set<const Contender*> informed;  // of the Lease: only they can know when it is gone
    bool deleted = false;
    for (int step = 0; step < 60; ++step) {
      for (Contender* process : {&one, &two}) {
        Generator& choose = chaos.choices();
        process->link.cut = choose.chance(0.3);
        process->link.lose_answers = choose.chance(0.2);
        process->link.delay = milliseconds(choose.between(1, 6000));
        process->clock.skew = seconds(choose.between(-1000, 1000));
        if (choose.chance(0.2)) {
          process->executor.pause();
        } else {
          process->executor.resume();
        }
        if (!process->election.holder().empty()) {
          informed.insert(process);
        }
      }
      if (!deleted && informed.size() == 2 && chaos.choices().chance(0.2)) {
        deleted = true;
        common.lease = nullptr;
      }
      for (int tick = 0; tick < 50; ++tick) {
        chaos.run_for(milliseconds(100));
        ASSERT_FALSE(one.election.is_leader() && two.election.is_leader()) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace windlass::client
