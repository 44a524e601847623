#include "cli/durable_store.h"

#include "posix/data_directory.h"
#include "posix/worker_thread.h"
#include "store/sqlite/sqlite_journal.h"

namespace windlass::cli {

struct DurableStore::Parts {
  Parts(env::Env env, std::unique_ptr<store::RevisionLog> file)
      : worker(env.clock, "journal"),
        journal(env.executor, worker, env.log, std::move(file)),
        store(&journal) {}

  posix::WorkerThread worker;
  store::SqliteJournal journal;
  store::Store store;
};

DurableStore::DurableStore() = default;
DurableStore::~DurableStore() = default;

Result<std::unique_ptr<DurableStore>> DurableStore::open(env::Env env,
                                                         const std::string& directory) {
  TRY(auto held, posix::open_data_directory(directory));
  TRY(auto file, store::RevisionLog::open(std::move(held), {}));
  std::unique_ptr<DurableStore> opened(new DurableStore());
  opened->parts_ = std::make_unique<Parts>(env, std::move(file));
  TRY_VOID(opened->parts_->store.load());
  return opened;
}

store::Store& DurableStore::store() {
  return parts_->store;
}

}  // namespace windlass::cli
