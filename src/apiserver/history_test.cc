// Many writers, readers and caches at once against the server, in virtual time and with a journal
// that commits in groups: whatever the order, the history must be consistent (safety.md S1-S8)
// and every cache must end as the store is (S5, L6).
#include <set>

#include "apiserver/client/in_process_client.h"
#include "apiserver/server_testing.h"
#include "base/generator.h"
#include "client/informer.h"
#include "verify/journals/delayed_journal.h"

namespace windlass::apiserver {
namespace {

constexpr int kWriters = 4;
constexpr int kWritesEach = 40;
constexpr int kNames = 6;

struct View {
  std::string uid;
  uint64_t version = 0;
  std::string label;

  bool operator==(const View&) const = default;
};

View project(const Message& object) {
  const auto& metadata = api::metadata_of(object);
  const auto label = metadata.labels().find("x");
  return {metadata.uid(), client::version_number(metadata.resource_version()),
          label == metadata.labels().end() ? "" : label->second};
}

class World {
 public:
  explicit World(uint64_t seed) : sim(seed), random(seed ^ 0x5eed) {
    server.create_system_namespaces();
    sim.run_for(seconds(1));
  }

  client::ClientEnv env() { return {client, sim.executor(), sim.clock(), sim.random(), sim.log()}; }

  virtual_world::VirtualWorld sim;
  Generator random;
  store::DelayedJournal journal{sim.executor(), sim.random(), milliseconds(20)};
  store::Store store{&journal, {.history_events = 16}};
  Server server{store, sim.clock(), sim.random(), api::FeatureGates()};
  InProcessClient client{server, sim.executor()};
};

// Does one random thing after the other, each based on what it last saw, which may be stale.
class Writer {
 public:
  explicit Writer(World& world) : world_(world) {}

  void start(int writes) {
    left_ = writes;
    step();
  }
  bool done() const { return left_ == 0; }

 private:
  void step() {
    if (left_ == 0) {
      return;
    }
    --left_;
    const ObjectRef ref{&api::kinds::config_map(), "default",
                        "c" + std::to_string(world_.random.uniform(kNames))};
    const auto next = [this](const Result<ObjectPtr>& answer) { finished(answer); };
    switch (world_.random.uniform(5)) {
      case 0:
      case 1: {
        auto made = from_json(*ref.kind, R"({"metadata":{"labels":{"x":"0"}}})");
        if (world_.random.chance(0.5)) {
          api::mutable_metadata_of(*made).add_finalizers("a.io/hold");
        }
        world_.client.create(ref, std::move(made), next);
        break;
      }
      case 2:
        if (last_) {
          auto changed = copy_of(*last_);
          (*api::mutable_metadata_of(*changed).mutable_labels())["x"] =
              std::to_string(world_.random.uniform(3));
          const ObjectRef known{ref.kind, "default", api::metadata_of(*last_).name()};
          world_.client.update(known, "", std::move(changed), next);
          break;
        }
        [[fallthrough]];
      case 3:
        world_.client.patch(ref, "", PatchType::merge,
                            world_.random.chance(0.5) ? R"({"metadata":{"finalizers":null}})"
                                                      : R"({"metadata":{"labels":{"x":"1"}}})",
                            next);
        break;
      default:
        world_.client.remove(ref, {}, next);
        break;
    }
  }

  void finished(const Result<ObjectPtr>& answer) {
    if (answer) {
      last_ = *answer;
      // S1: what is acknowledged is committed.
      EXPECT_LE(client::version_number(client::resource_version_of(*last_)),
                world_.store.revision());
    }
    const auto pause = milliseconds(static_cast<int64_t>(world_.random.uniform(30)));
    world_.sim.executor().schedule(pause, [this] { step(); });
  }

  World& world_;
  ObjectPtr last_;
  int left_ = 0;
};

// A cache, and what it was told: versions of one object only grow, nothing comes twice.
class Cache {
 public:
  Cache(World& world, std::string labels)
      : labels_(labels),
        informer_(world.env(), {&api::kinds::config_map(), "default", labels, ""}, project) {
    informer_.add_handler(
        {[this](const View& added) { EXPECT_TRUE(known_.insert(added.uid).second); },
         [](const View& before, const View& now) {
           EXPECT_EQ(before.uid, now.uid);
           EXPECT_LT(before.version, now.version);
         },
         [this](const View& last) { EXPECT_EQ(known_.erase(last.uid), 1U); }});
    informer_.start();
  }

  void expect_equal_to(Server& server) {
    const auto list = server.list({&api::kinds::config_map(), "default", labels_, ""}, {});
    std::map<std::string, View> stored;
    for (const ObjectPtr& object : list->items) {
      stored[client::key_of(*object)] = project(*object);
    }
    std::map<std::string, View> cached;
    informer_.for_each([&](const std::string& key, const View& view) { cached[key] = view; });
    EXPECT_EQ(cached, stored) << labels_;
  }

 private:
  std::string labels_;
  std::set<std::string> known_;
  client::Informer<View> informer_;
};

// Sees every change and checks what must hold between two of them.
class Monitor {
 public:
  explicit Monitor(World& world) : server_(world.server) {
    auto opened = WatchStream::open(server_, {&api::kinds::config_map()}, "", [] {});
    stream_ = *std::move(opened);
  }

  // Called often enough that the small history never runs away.
  void look() {
    while (true) {
      int looks = WatchStream::kLooksPerTask;
      auto next = stream_->next(looks);
      ASSERT_TRUE(next.has_value()) << next.error().message;
      if (!*next) {
        return;
      }
      check(**next);
    }
  }

 private:
  void check(const client::WatchEvent& event) {
    const auto& metadata = api::metadata_of(*event.object);
    const uint64_t version = client::version_number(metadata.resource_version());
    ASSERT_GT(version, seen_) << "S2, S4";
    seen_ = version;
    const auto before = alive_.find(metadata.name());
    if (event.type == client::EventType::added) {
      ASSERT_EQ(before, alive_.end());
      ASSERT_TRUE(uids_.insert(metadata.uid()).second) << "S7: a UID is never used again";
    } else {
      ASSERT_NE(before, alive_.end());
      ASSERT_EQ(api::metadata_of(*before->second).uid(), metadata.uid());
    }
    if (event.type == client::EventType::deleted) {
      // S8: what a finalizer holds goes only after it was marked.
      const auto& last = api::metadata_of(*before->second);
      ASSERT_TRUE(last.finalizers().empty() || last.has_deletion_timestamp());
      alive_.erase(before);
    } else {
      alive_[metadata.name()] = event.object;
    }
  }

  Server& server_;
  std::unique_ptr<WatchStream> stream_;
  std::map<std::string, ObjectPtr> alive_;
  std::set<std::string> uids_;
  uint64_t seen_ = 0;
};

uint64_t run_history(uint64_t seed) {
  World world(seed);
  std::vector<std::unique_ptr<Cache>> caches;
  for (const char* labels : {"", "x=1", "x!=1"}) {
    caches.push_back(std::make_unique<Cache>(world, labels));
  }
  Monitor monitor(world);
  std::vector<std::unique_ptr<Writer>> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.push_back(std::make_unique<Writer>(world));
    writers.back()->start(kWritesEach);
  }
  EXPECT_TRUE(world.sim.run_until(
      [&] {
        monitor.look();
        return testing::Test::HasFailure() ||
               std::ranges::all_of(writers, [](const auto& writer) { return writer->done(); });
      },
      minutes(10)));
  world.sim.run_for(minutes(5));
  monitor.look();
  EXPECT_EQ(world.store.revision(), world.store.head_revision());
  for (const auto& cache : caches) {
    cache->expect_equal_to(world.server);
  }
  return world.sim.trace_hash() ^ world.store.revision();
}

TEST(ApiHistory, S1_S2_S4_S5_S7_S8_AnyOrderOfWritersIsConsistent) {
  for (uint64_t seed = 1; seed <= 100 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    run_history(seed);
  }
}

TEST(ApiHistory, TheSameSeedGivesTheSameHistory) {
  EXPECT_EQ(run_history(7), run_history(7));
}

}  // namespace
}  // namespace windlass::apiserver
