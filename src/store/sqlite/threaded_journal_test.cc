// The journal as a server runs it: a core loop, a thread for the file, a real disk. Everything else
// about it is tested on one thread; this is what the thread sanitizer looks at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "posix/event_loop.h"
#include "posix/files/data_directory.h"
#include "posix/posix_clock.h"
#include "posix/testing.h"
#include "posix/worker_thread.h"
#include "store/sqlite/sqlite_journal.h"
#include "store/store.h"
#include "virtual_world/virtual_log.h"

namespace windlass::store {
namespace {

constexpr int kWriters = 16;
constexpr int kThreadedWrites = 600;

class ThreadedJournal : public testing::Test {
 protected:
  struct Life {
    explicit Life(const std::string& path) : core(clock), worker(clock, "journal") {
      LogOptions options;
      options.keep_revisions = 50;
      options.compact_rows = 20;
      options.checkpoint_pages = 50;
      auto file = RevisionLog::open(posix::open_data_directory(path).value(), options);
      EXPECT_TRUE(file) << file.error().message;
      journal = std::make_unique<SqliteJournal>(core, worker, log, *std::move(file));
      store = std::make_unique<Store>(journal.get(), StoreLimits{.history_events = 20});
      EXPECT_TRUE(store->load());
    }
    ~Life() {
      store.reset();
      journal.reset();
    }

    // Each writer goes on when its last write is acknowledged.
    void write(int writer) {
      if (left == 0) {
        if (--open == 0) {
          core.stop();
        }
        return;
      }
      --left;
      const std::string name = "pod" + std::to_string(writer);
      const ObjectKey key{"pods", "x", name};
      const VersionPtr head = store->head(key);
      const std::string bytes(500, static_cast<char>('a' + left % 26));
      const auto taken = head && left % 5 == 0
                             ? store->remove(key, head->revision(), bytes, nullptr)
                             : store->put(key, head ? head->revision() : 0, bytes, nullptr);
      ASSERT_TRUE(taken.has_value());
      store->when_committed((*taken)->revision(), [this, writer](const Result<void>& done) {
        EXPECT_TRUE(done.has_value());
        core.post([this, writer] { write(writer); });
      });
    }
    void work() {
      left = kThreadedWrites;
      open = kWriters;
      for (int i = 0; i < kWriters; ++i) {
        core.post([this, i] { write(i); });
      }
      core.run();
    }
    std::string state() const {
      std::string text;
      const VersionPage page = store->list({.resource = "pods"}).value();
      for (const VersionPtr& version : page.items) {
        text += version->key() + "@" + std::to_string(version->revision()) + version->bytes();
      }
      return text;
    }

    posix::PosixClock clock;
    posix::EventLoop core;
    posix::WorkerThread worker;
    virtual_world::VirtualLog log;
    std::unique_ptr<SqliteJournal> journal;
    std::unique_ptr<Store> store;
    int left = 0;
    int open = 0;
  };

  posix::TemporaryDirectory folder_;
};

TEST_F(ThreadedJournal, S6_CommitsInGroupsAndARestartFindsThemAll) {
  std::string state;
  for (int life = 0; life < 3; ++life) {
    Life running(folder_.path());
    EXPECT_EQ(running.state(), state);
    running.work();
    EXPECT_EQ(running.store->revision(), static_cast<Revision>((life + 1) * kThreadedWrites + 1));
    EXPECT_LT(running.journal->groups(), static_cast<uint64_t>(kThreadedWrites) / 4);
    state = running.state();
  }
}

TEST_F(ThreadedJournal, EndsInTheMiddleOfAGroupWithoutLosingIt) {
  {
    Life running(folder_.path());
    ASSERT_TRUE(running.store->put({"pods", "x", "a"}, 0, "1", nullptr).has_value());
    running.core.post([&] { running.core.stop(); });
    running.core.run();  // the group is with the other thread now
  }
  const Life again(folder_.path());
  EXPECT_EQ(again.store->revision(), 2U);
}

}  // namespace
}  // namespace windlass::store
