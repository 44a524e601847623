#include "backup/backup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>

#include "backup/database_copy.h"
#include "posix/files/data_directory.h"
#include "posix/files/posix_files.h"
#include "posix/files/private_file.h"
#include "posix/testing.h"
#include "store/sqlite/sqlite_journal.h"
#include "store/store.h"
#include "virtual_world/world.h"

namespace windlass::backup {
namespace {

using store::LogOptions;
using store::ObjectKey;
using store::Revision;
using store::RevisionLog;
using store::SqliteJournal;
using store::Store;
using ::testing::HasSubstr;

// A server as far as its data directory goes: on a real disk, without threads.
class Server {
 public:
  explicit Server(const std::string& directory) {
    LogOptions options;
    options.reserve_bytes = 65'536;
    options.checkpoint_pages = 20;
    auto file = RevisionLog::open(posix::open_data_directory(directory).value(), options);
    EXPECT_TRUE(file) << file.error().message;
    journal_ = std::make_unique<SqliteJournal>(world_.executor("core"), world_.executor("journal"),
                                               world_.log(), *std::move(file));
    store_ = std::make_unique<Store>(journal_.get());
    const auto loaded = store_->load();
    EXPECT_TRUE(loaded) << loaded.error().message;
  }
  ~Server() {
    store_.reset();
    journal_.reset();
    world_.run_for(milliseconds(1));
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Acknowledged when it returns.
  void write(const std::string& name, const std::string& content) {
    put(name, content);
    settle();
  }
  void write_many(int count) {
    for (int i = 0; i < count; ++i) {
      put("pod-" + std::to_string(i % 7), std::string(3'000, static_cast<char>('a' + i % 26)));
      if (i % 10 == 9) {
        settle();
      }
    }
    settle();
  }
  void remove(const std::string& name) {
    const ObjectKey key{"pods", "x", name};
    ASSERT_TRUE(store_->remove(key, store_->head(key)->revision(), "gone", nullptr).has_value());
    settle();
  }

  std::map<std::string, std::string> objects() const {
    std::map<std::string, std::string> found;
    const store::VersionPage page = store_->list({.resource = "pods"}).value();
    for (const store::VersionPtr& version : page.items) {
      found[version->key()] = version->bytes();
    }
    return found;
  }
  Revision revision() const { return store_->revision(); }

 private:
  void put(const std::string& name, const std::string& content) {
    const ObjectKey key{"pods", "x", name};
    const store::VersionPtr head = store_->head(key);
    ASSERT_TRUE(store_->put(key, head ? head->revision() : 0, content, nullptr).has_value());
  }
  void settle() {
    world_.run_for(milliseconds(1));
    ASSERT_EQ(store_->revision(), store_->head_revision());
  }

  virtual_world::VirtualWorld world_{1};
  std::unique_ptr<SqliteJournal> journal_;
  std::unique_ptr<Store> store_;
};

class Backup : public testing::Test {
 protected:
  std::string error_of(const Result<Content>& result) {
    return result ? "no error" : result.error().message;
  }

  posix::TemporaryDirectory folder_;
  std::string data_dir_ = folder_ / "data";
  std::string backup_ = folder_ / "backup";
  std::string restored_ = folder_ / "restored";
  posix::PosixFiles files_;
};

TEST_F(Backup, OfARunningServerHasEveryAcknowledgedWrite) {
  std::map<std::string, std::string> before;
  Revision newest = 0;
  {
    Server server(data_dir_);
    server.write_many(50);
    server.write("extra", "1");
    server.remove("pod-3");
    before = server.objects();
    newest = server.revision();
    folder_.write("data/ca.crt", "certificate");
    const auto made = make_backup(files_, data_dir_, backup_);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->newest, newest);
    EXPECT_EQ(made->objects, before.size());
    server.write("later", "2");
  }
  const auto restored = restore_backup(files_, backup_, restored_);
  ASSERT_TRUE(restored) << restored.error().message;
  EXPECT_EQ(restored->objects, before.size());
  EXPECT_EQ(folder_.read("restored/ca.crt"), "certificate");
  Server server(restored_);
  EXPECT_EQ(server.objects(), before);
  EXPECT_GT(server.revision(), newest + kRestoredGap) << "a revision would mean two states";
  server.write("goes on", "3");
}

TEST_F(Backup, OfAStoppedServer) {
  std::map<std::string, std::string> before;
  {
    Server server(data_dir_);
    server.write_many(5);
    before = server.objects();
  }
  ASSERT_TRUE(make_backup(files_, data_dir_, backup_));
  // It is a data directory itself.
  Server server(backup_);
  EXPECT_EQ(server.objects(), before);
}

TEST_F(Backup, WritesBetweenTheTwoFilesAreHarmless) {
  Server server(data_dir_);
  server.write_many(40);
  const Revision acknowledged = server.revision();
  ASSERT_TRUE(files_.make_directory(backup_));
  ASSERT_TRUE(
      posix::copy_private_file(data_dir_ + "/store.db-newest", backup_ + "/store.db-newest"));
  int copies = 0;
  const auto copied = copy_database(
      files_, {.from = data_dir_, .to = backup_, .name = "store.db", .between_files = [&] {
                 // The first time so many that the log begins anew.
                 server.write_many(copies++ == 0 ? 60 : 1);
               }});
  ASSERT_TRUE(copied) << copied.error().message;
  EXPECT_GE(copies, 2) << "the first copy may have pages of two times";
  Server copy(backup_);
  EXPECT_GT(copy.revision(), acknowledged);
  EXPECT_EQ(copy.objects(), server.objects());
}

TEST_F(Backup, ALogThatAlwaysBeginsAnewIsAnError) {
  Server server(data_dir_);
  server.write_many(40);
  ASSERT_TRUE(files_.make_directory(backup_));
  const auto copied = copy_database(
      files_, {.from = data_dir_, .to = backup_, .name = "store.db", .between_files = [&] {
                 server.write_many(60);
               }});
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().message, HasSubstr("changes too fast"));
}

TEST_F(Backup, DamageIsFound) {
  { Server(data_dir_).write_many(20); }
  ASSERT_TRUE(make_backup(files_, data_dir_, backup_));
  const std::string list = folder_.read("backup/SHA256SUMS");
  const std::string database = folder_.read("backup/store.db");

  std::string damaged = database;
  damaged[damaged.size() / 2] ^= 1;
  folder_.write("backup/store.db", damaged);
  EXPECT_THAT(error_of(restore_backup(files_, backup_, restored_)),
              HasSubstr("backup/store.db is not as SHA256SUMS says"));
  folder_.write("backup/store.db", database);

  folder_.write("backup/SHA256SUMS", list + list.substr(0, 66) + "../data/store.db\n");
  EXPECT_THAT(error_of(restore_backup(files_, backup_, restored_)), HasSubstr("broken line"));
  folder_.write("backup/SHA256SUMS", "");
  EXPECT_FALSE(restore_backup(files_, backup_, restored_)) << "of nothing";
  EXPECT_FALSE(files_.type(restored_)) << "nothing half made is left";
  EXPECT_FALSE(files_.type(restored_ + ".partial"));
}

TEST_F(Backup, ARowThatIsWrongInTheServersFilesIsFound) {
  { Server(data_dir_).write("pod", std::string(200'000, 'a')); }
  std::string database = folder_.read("data/store.db");
  database[database.size() - 5'000] ^= 1;  // in the object, which no page header describes
  folder_.write("data/store.db", database);
  EXPECT_FALSE(make_backup(files_, data_dir_, backup_));
  EXPECT_FALSE(files_.type(backup_));
}

TEST_F(Backup, NothingIsOverwritten) {
  EXPECT_THAT(error_of(make_backup(files_, data_dir_, backup_)), HasSubstr("it has no store.db"));
  { Server(data_dir_).write_many(2); }
  ASSERT_TRUE(make_backup(files_, data_dir_, backup_));
  EXPECT_THAT(error_of(make_backup(files_, data_dir_, backup_)), HasSubstr("backup exists"));
  EXPECT_THAT(error_of(restore_backup(files_, backup_, data_dir_)), HasSubstr("is not empty"));
  EXPECT_THAT(error_of(restore_backup(files_, data_dir_, restored_)), HasSubstr("is not a backup"));
  ASSERT_TRUE(files_.make_directory(restored_));
  EXPECT_TRUE(restore_backup(files_, backup_, restored_)) << "an empty directory will do";
}

}  // namespace
}  // namespace windlass::backup
