#include "cli/durable_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "posix/event_loop.h"
#include "posix/posix_clock.h"
#include "posix/posix_files.h"
#include "posix/posix_processes.h"
#include "posix/posix_random.h"
#include "posix/testing.h"
#include "sim/sim_log.h"

namespace windlass::cli {
namespace {

class DurableStoreTest : public testing::Test {
 protected:
  Result<std::unique_ptr<DurableStore>> open() {
    return DurableStore::open(env::Env{clock_, random_, loop_, log_, files_, processes_},
                              folder_.path());
  }
  void put(store::Store& store, const std::string& name) {
    const auto taken = store.put({"pods", "default", name}, 0, "bytes of " + name, nullptr);
    ASSERT_TRUE(taken.has_value());
    store.when_committed((*taken)->revision(), [this](const Result<void>& done) {
      EXPECT_TRUE(done.has_value());
      loop_.stop();
    });
    loop_.run();
  }

  posix::TemporaryDirectory folder_;
  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::EventLoop loop_{clock_};
  sim::SimLog log_;
  posix::PosixFiles files_;
  posix::PosixProcesses processes_{loop_};
};

TEST_F(DurableStoreTest, ARestartFindsWhatWasCommittedByTheOtherThread) {
  for (int life = 0; life < 3; ++life) {
    const auto opened = open();
    ASSERT_TRUE(opened) << opened.error().message;
    store::Store& store = (*opened)->store();
    EXPECT_EQ(store.list({.resource = "pods"})->items.size(), static_cast<size_t>(life));
    put(store, "pod" + std::to_string(life));
    EXPECT_EQ(store.revision(), static_cast<store::Revision>(life) + 2);
  }
}

TEST_F(DurableStoreTest, OneProcessAtATime) {
  const auto first = open();
  ASSERT_TRUE(first);
  const auto second = open();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, testing::HasSubstr("is in use by process"));
}

TEST_F(DurableStoreTest, ItsFilesAreForTheOwnerAlone) {
  const auto opened = open();
  ASSERT_TRUE(opened);
  put((*opened)->store(), "a");
  for (const char* name : {"store.db", "store.db-wal", "lock", "reserve"}) {
    struct stat info = {};
    ASSERT_EQ(::stat((folder_ / name).c_str(), &info), 0) << name;
    EXPECT_EQ(info.st_mode & 0777U, 0600U) << name;
  }
}

TEST_F(DurableStoreTest, AnybodyWithSqliteCanReadIt) {
  {
    const auto opened = open();
    ASSERT_TRUE(opened);
    put((*opened)->store(), "a");
  }
  sqlite3* connection = nullptr;
  ASSERT_EQ(sqlite3_open((folder_ / "store.db").c_str(), &connection), SQLITE_OK);
  std::string row;
  sqlite3_exec(
      connection, "SELECT resource || ' ' || key || ' ' || revision || ' ' || bytes FROM live",
      [](void* into, int, char** values, char**) {
        *static_cast<std::string*>(into) += values[0];
        return 0;
      },
      &row, nullptr);
  EXPECT_EQ(row, "pods default/a 2 10");
  sqlite3_close(connection);
}

}  // namespace
}  // namespace windlass::cli
