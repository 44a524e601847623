// A store with its journal on a disk with faults, in one thread and virtual time, and a record of
// what was written, acknowledged and refused: what a restart finds is checked against it
// (safety.md S1, S2, S6).
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/generator.h"
#include "store/sqlite/sqlite_journal.h"
#include "store/store.h"
#include "verify/journals/fault_disk.h"
#include "virtual_world/world.h"

namespace windlass::store {

// Small, so that every kind of maintenance happens within a few dozen writes.
inline LogOptions small_options() {
  LogOptions options;
  options.keep_revisions = 12;
  options.keep_bytes = 40'000;
  options.reserve_bytes = 128 * 1024;
  options.checkpoint_pages = 20;
  options.compact_rows = 4;
  options.free_pages = 4;
  return options;
}

using State = std::map<std::string, std::pair<Revision, std::string>>;

inline State state_of(const Store& store) {
  State state;
  const VersionPage page = store.list({.resource = "pods"}).value();
  for (const VersionPtr& version : page.items) {
    state[version->key()] = {version->revision(), version->bytes()};
  }
  return state;
}

// What was ever written, over all restarts.
class JournalRecord {
 public:
  struct Attempt {
    Revision revision;
    std::string key;
    std::string bytes;
    bool deletion;
    bool refused = false;
  };

  void attempt(const Version& version) {
    attempts_.push_back(
        {version.revision(), version.key(), version.bytes(), version.is_deletion()});
  }
  void acknowledged(Revision revision) { acknowledged_ = std::max(acknowledged_, revision); }
  void refused(Revision revision) {
    for (Attempt& attempt : attempts_) {
      attempt.refused = attempt.refused || attempt.revision == revision;
    }
  }
  Revision acknowledged() const { return acknowledged_; }

  // The store as it was restarted: all that was acknowledged, then possibly more, in order and
  // whole.
  void expect_restarted(const Store& store) {
    const Revision reached = store.revision();
    EXPECT_GE(reached, acknowledged_) << "S1: an acknowledged write is lost";
    State expected;
    bool known = reached == 1;
    for (const Attempt& attempt : attempts_) {
      if (attempt.refused || attempt.revision > reached) {
        continue;
      }
      known = known || attempt.revision == reached;
      if (attempt.deletion) {
        expected.erase(attempt.key);
      } else {
        expected[attempt.key] = {attempt.revision, attempt.bytes};
      }
    }
    EXPECT_TRUE(known) << "revision " << reached << " was refused, or never written";
    EXPECT_EQ(state_of(store), expected) << "S6: not a prefix of what was written";
    // What did not make it never will: its revisions are given anew.
    std::erase_if(attempts_, [&](const Attempt& attempt) { return attempt.revision > reached; });
  }

 private:
  std::vector<Attempt> attempts_;
  Revision acknowledged_ = 0;
};

class Machine {
 public:
  Machine(FaultDisk& disk, JournalRecord& record, uint64_t seed)
      : sim_(seed), random_(seed), disk_(disk), record_(record) {}
  // Ends like a process that is killed: nothing that waits is done.
  ~Machine() {
    store_.reset();
    journal_.reset();
  }

  Result<void> open(LogOptions options = small_options()) {
    options.vfs = disk_.vfs();
    TRY(auto file, RevisionLog::open(disk_.directory(), options));
    file_ = file.get();
    journal_ = std::make_unique<SqliteJournal>(sim_.executor("core"), sim_.executor("journal"),
                                               sim_.log(), std::move(file));
    store_ = std::make_unique<Store>(journal_.get(), StoreLimits{.history_events = 16});
    return store_->load();
  }
  // Ends as a process should: the file is closed.
  void close() {
    store_.reset();
    journal_.reset();
    settle();
  }

  Store& store() { return *store_; }
  SqliteJournal& journal() { return *journal_; }
  RevisionLog& file() { return *file_; }
  virtual_world::VirtualWorld& sim() { return sim_; }

  // One random write, from many or few bytes; what became of it goes to the record.
  void write() {
    const std::string name(1, static_cast<char>('a' + random_.uniform(6)));
    const bool deletion = random_.chance(0.25);
    const size_t bytes = random_.chance(0.1) ? 9'000 : 20 + random_.uniform(900);
    write(name, deletion, bytes);
  }
  void write(const std::string& name, bool deletion, size_t bytes) {
    const ObjectKey key{"pods", "x", name};
    const VersionPtr head = store_->head(key);
    std::string content = std::to_string(store_->next_revision()) + ":";
    content.resize(bytes, static_cast<char>('a' + random_.uniform(26)));
    const Store::Taken taken =
        deletion && head ? store_->remove(key, head->revision(), content, nullptr)
                         : store_->put(key, head ? head->revision() : 0, content, nullptr);
    if (!taken) {
      refusals_.push_back(taken.error());
      return;
    }
    const Revision revision = (*taken)->revision();
    record_.attempt(**taken);
    store_->when_committed(revision, [this, revision](const Result<void>& done) {
      if (done) {
        record_.acknowledged(revision);
      } else if (done.error().code == 507) {
        record_.refused(revision);
      }
    });
  }
  // Bursts of writes with a little time between them.
  void work(int writes) {
    for (int i = 0; i < writes; ++i) {
      write();
      if (random_.chance(0.3)) {
        settle();
      }
    }
    settle();
  }
  // Until nothing moves; not as long as the next look at a full disk.
  void settle() { sim_.run_for(milliseconds(1)); }

  const std::vector<WriteRefusal>& refusals() const { return refusals_; }

 private:
  virtual_world::VirtualWorld sim_;
  Generator random_;
  FaultDisk& disk_;
  JournalRecord& record_;
  RevisionLog* file_ = nullptr;
  std::unique_ptr<SqliteJournal> journal_;
  std::unique_ptr<Store> store_;
  std::vector<WriteRefusal> refusals_;
};

}  // namespace windlass::store
