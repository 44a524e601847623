#include "sqlite/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "posix/testing.h"

namespace windlass::sqlite {
namespace {

using posix::TemporaryDirectory;
using testing::HasSubstr;

TEST(Database, KeepsValuesOfEveryKind) {
  const TemporaryDirectory folder;
  auto database = Database::open(folder.write("x.db", ""), "").value();
  ASSERT_TRUE(database.must_run("CREATE TABLE t(a, b, c, d)"));
  auto insert = database.prepare("INSERT INTO t VALUES (?1, ?2, ?3, ?4)").value();
  const std::string bytes("a\0b", 3);
  insert.bind(1, -5).bind_text(2, "text").bind_bytes(3, bytes).bind(4, 1).bind_null(4);
  ASSERT_EQ(insert.step(), SqliteResult::done);
  EXPECT_EQ(database.changed_rows(), 1);
  auto select = database.prepare("SELECT * FROM t").value();
  ASSERT_EQ(select.step(), SqliteResult::row);
  EXPECT_EQ(select.integer(0), -5);
  EXPECT_EQ(select.text(1), "text");
  EXPECT_EQ(select.bytes(2), bytes);
  EXPECT_TRUE(select.is_null(3));
  EXPECT_FALSE(select.is_null(0));
}

TEST(Database, OpenedToReadItChangesNothing) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("x.db", "");
  auto writer = Database::open(path, "").value();
  ASSERT_TRUE(writer.must_run("PRAGMA journal_mode = WAL; CREATE TABLE t(a)"));
  auto reader = Database::open_to_read(path, "").value();
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t").value(), "0");
  EXPECT_EQ(reader.run("INSERT INTO t VALUES (1)"), SqliteResult::failed);
  EXPECT_THAT(reader.error(), HasSubstr("readonly"));
  EXPECT_FALSE(reader.is_damaged());
  EXPECT_FALSE(Database::open_to_read(folder / "none.db", ""));
}

TEST(Database, AReaderHoldsUpNoCopyOfTheLog) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("x.db", "");
  auto writer = Database::open(path, "").value();
  ASSERT_TRUE(writer.must_run("PRAGMA journal_mode = WAL; CREATE TABLE t(a)"));
  auto reader = Database::open_to_read(path, "").value();
  ASSERT_TRUE(reader.must_run("BEGIN; SELECT * FROM t"));
  ASSERT_TRUE(writer.must_run("INSERT INTO t VALUES (1)"));
  EXPECT_EQ(writer.copy_log(), SqliteResult::done);
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t").value(), "0") << "its own state of the file";
  reader.rollback();
  EXPECT_EQ(reader.ask("SELECT count(*) FROM t").value(), "1");
}

TEST(Database, TellsDamageFromOtherErrors) {
  const TemporaryDirectory folder;
  const std::string path = folder.write("x.db", std::string(5000, 'z'));
  auto database = Database::open(path, "").value();
  EXPECT_FALSE(database.ask("PRAGMA application_id"));
  EXPECT_TRUE(database.is_damaged());
}

}  // namespace
}  // namespace windlass::sqlite
