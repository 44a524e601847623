#include "backup/backup.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "backup/checksums.h"
#include "backup/database_copy.h"
#include "ledger/sqlite/ledger_schema.h"
#include "posix/error.h"
#include "posix/files/data_directory.h"
#include "posix/files/private_file.h"
#include "store/sqlite/newest_mark.h"
#include "store/sqlite/revision_log.h"
#include "store/sqlite/schema.h"

namespace windlass::backup {
namespace {

// Those of a process that holds the directory.
constexpr const char* kHeldFiles[] = {"lock", "reserve"};
// What is opened here gives nothing back on a full disk, and the store has no smaller one.
constexpr uint64_t kSmallReserve = 4'096;
constexpr const char* kUnfinished = ".partial";

class ObjectCounter final : public store::ReplayListener {
 public:
  void on_replay(store::Revision /*compacted*/, store::Revision newest) override {
    newest_ = newest;
  }
  void on_kept(store::KeptWrite write) override {
    std::pair<std::string, std::string> name(write.resource, write.key);
    if (write.change == store::Change::deleted) {
      objects_.erase(name);
    } else {
      objects_.insert(std::move(name));
    }
  }

  store::Revision newest() const { return newest_; }
  size_t objects() const { return objects_.size(); }

 private:
  store::Revision newest_ = 0;
  std::set<std::pair<std::string, std::string>> objects_;
};

// Opens the store as a start does, and reads and checks every row.
Result<void> verify_store(env::Files& files, const std::string& directory, bool accept_lost_writes,
                          Content& content) {
  {
    TRY(auto held, posix::open_data_directory(directory, posix::LockName::none));
    store::LogOptions options;
    options.reserve_bytes = kSmallReserve;
    options.accept_lost_writes = accept_lost_writes;
    TRY(const auto log, store::RevisionLog::open(std::move(held), options));
    ObjectCounter counter;
    TRY_VOID(log->replay(counter));
    content.newest = counter.newest();
    content.objects = counter.objects();
  }
  for (const char* name : kHeldFiles) {
    TRY_VOID(files.remove_tree(directory + '/' + name));
  }
  return {};
}

Result<void> verify_ledger(env::Files& files, const std::string& directory, Content& content) {
  const std::string path = directory + '/' + ledger::LedgerPlace().file;
  if (!files.type(path)) {
    return {};
  }
  {
    TRY(sqlite::Database database, sqlite::Database::open(path, ""));
    TRY(const int version, ledger::ledger_version(database, path));
    TRY_VOID(ledger::check_ledger_version(version, path));
    TRY(const std::string verdict, database.ask("PRAGMA quick_check(1)"));
    if (verdict != "ok") {
      return fail(plain_error(fmt::format("{} is damaged: {}", path, verdict)));
    }
    TRY(const std::string attempts, database.ask("SELECT count(*) FROM attempts"));
    content.attempts = std::strtoull(attempts.c_str(), nullptr, 10);
    if (database.checkpoint(true) != sqlite::SqliteResult::done) {
      return fail(plain_error(database.error()));
    }
  }
  TRY_VOID(files.remove_tree(path + "-wal"));
  return files.remove_tree(path + "-shm");
}

// Credentials and tokens: small files that are replaced as a whole.
Result<void> copy_small_files(env::Files& files, const std::string& from, const std::string& to) {
  TRY(const std::vector<std::string> names, files.list(from));
  for (const std::string& name : names) {
    const bool is_held =
        std::find(std::begin(kHeldFiles), std::end(kHeldFiles), name) != std::end(kHeldFiles);
    const auto type = files.type(from + '/' + name);
    if (!is_held && type && *type == env::Files::Type::file &&
        !name.starts_with(store::kDatabaseFile) && !name.starts_with(ledger::LedgerPlace().file) &&
        !name.ends_with(".new")) {
      TRY_VOID(posix::copy_private_file(from + '/' + name, to + '/' + name));
    }
  }
  return {};
}

Result<Content> fill_backup(env::Files& files, const std::string& from, const std::string& to) {
  TRY_VOID(copy_small_files(files, from, to));
  // The mark first: what it acknowledges has to be in the copy.
  if (files.type(from + '/' + store::kMarkFile)) {
    TRY_VOID(posix::copy_private_file(from + '/' + store::kMarkFile, to + '/' + store::kMarkFile));
  }
  TRY_VOID(copy_database(files, {.from = from, .to = to, .name = store::kDatabaseFile}));
  // The ledger last: each attempt of the store is in it before the store forgets the pod.
  const std::string ledger_file = ledger::LedgerPlace().file;
  if (files.type(from + '/' + ledger_file)) {
    TRY_VOID(copy_database(files, {.from = from, .to = to, .name = ledger_file}));
  }
  Content content;
  TRY_VOID(verify_store(files, to, false, content));
  TRY_VOID(verify_ledger(files, to, content));
  TRY_VOID(write_checksums(files, to));
  return content;
}

Result<Content> fill_data_dir(env::Files& files, const std::string& from,
                              const std::vector<std::string>& names, const std::string& to) {
  for (const std::string& name : names) {
    TRY_VOID(posix::copy_private_file(from + '/' + name, to + '/' + name));
  }
  Content content;
  TRY_VOID(verify_store(files, to, false, content));
  TRY_VOID(verify_ledger(files, to, content));
  {
    // As a server that has lost everything after the backup: which it has.
    TRY(const auto directory, posix::enter_directory(to));
    TRY_VOID(store::NewestMark::make(*directory, "", content.newest + kRestoredGap));
  }
  TRY_VOID(verify_store(files, to, true, content));
  return content;
}

// Fills a directory beside the target, which gets its name when it is whole.
template <class Fill>
Result<Content> make_whole(env::Files& files, const std::string& target, Fill fill) {
  const std::string unfinished = target + kUnfinished;
  if (files.type(unfinished)) {
    return fail(
        plain_error(fmt::format("{} exists, of an earlier attempt: remove it", unfinished)));
  }
  TRY_VOID(posix::make_data_directory(unfinished));
  Result<Content> content = fill(unfinished);
  if (content && std::rename(unfinished.c_str(), target.c_str()) != 0) {
    content = fail(posix::system_error("rename", unfinished, errno));
  }
  if (!content) {
    TRY_VOID(files.remove_tree(unfinished));
    return content;
  }
  TRY_VOID(posix::sync_folder_of(target));
  return content;
}

}  // namespace

Result<Content> make_backup(env::Files& files, const std::string& data_dir,
                            const std::string& target) {
  if (!files.type(data_dir + '/' + store::kDatabaseFile)) {
    return fail(
        plain_error(fmt::format("{} is not the data directory of a `windlass up`: it has no {}",
                                data_dir, store::kDatabaseFile)));
  }
  if (files.type(target)) {
    return fail(plain_error(fmt::format("{} exists", target)));
  }
  return make_whole(files, target, [&](const std::string& unfinished) {
    return fill_backup(files, data_dir, unfinished);
  });
}

Result<Content> restore_backup(env::Files& files, const std::string& backup,
                               const std::string& data_dir) {
  if (files.type(data_dir)) {
    TRY(const std::vector<std::string> names, files.list(data_dir));
    if (!names.empty()) {
      return fail(plain_error(fmt::format(
          "{} is not empty: stop its server (windlass down), and move it away", data_dir)));
    }
  }
  TRY(const std::vector<std::string> names, verify_checksums(files, backup));
  if (std::find(names.begin(), names.end(), store::kDatabaseFile) == names.end()) {
    return fail(plain_error(
        fmt::format("{}/{} does not name {}", backup, kChecksums, store::kDatabaseFile)));
  }
  return make_whole(files, data_dir, [&](const std::string& unfinished) {
    return fill_data_dir(files, backup, names, unfinished);
  });
}

}  // namespace windlass::backup
