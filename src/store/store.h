// All live objects as encoded bytes, in memory, under one revision counter (api.md M87). A write
// names the revision it is based on, gets its own revision at once, and becomes visible to reads,
// lists and watchers only when the journal has it (safety.md S1-S5). What the journal refuses
// is as if it had never been: its revision stays unused, and nothing is built on it. It knows
// nothing of kinds and rules: that is apiserver's part.
//
// Owns the index, the history and the pending writes. Core thread only; no locks.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/journal.h"
#include "store/table.h"
#include "store/version.h"
#include "store/watcher.h"

namespace windlass::store {

// One object. `ns` is empty for what lives outside of namespaces.
struct ObjectKey {
  std::string_view resource;  // jobs
  std::string_view ns;
  std::string_view name;
};

// Why a write was not taken.
enum class WriteRefusal { exists, missing, changed, too_large, busy, full, poisoned };

// Whether a write may use the room that is kept for making room. A removal always may; so should
// every update on the way to one (a deletion timestamp, a finalizer taken off).
enum class Room { normal, reserved };

struct Scan {
  std::string_view resource = {};
  std::string_view ns = {};                         // empty: all
  std::string_view after = {};                      // continue behind this key (Version::key)
  Revision revision = 0;                            // 0: the newest committed one
  size_t limit = 0;                                 // 0: all
  std::function<bool(const Version&)> filter = {};  // only what it accepts counts towards the limit
};

struct VersionPage {
  std::vector<VersionPtr> items;
  Revision revision = 0;
  bool more = false;  // at least one more item follows the last one
};

class Store final : private JournalListener, private ReplayListener {
 public:
  using Taken = tl::expected<VersionPtr, WriteRefusal>;
  using WhenCommitted = std::function<void(Result<void>)>;

  // Without a journal a write is committed at once. The journal outlives the store.
  explicit Store(Journal* journal = nullptr, StoreLimits limits = {});

  // Takes over what the journal has kept. Before anything else, or not at all.
  Result<void> load();

  // Committed so far.
  Revision revision() const { return committed_; }
  // Of the newest write that is durable or may become so; ahead of revision() while the journal
  // works.
  Revision head_revision() const {
    return pending_.empty() ? committed_ : pending_.back().version->revision();
  }
  // What the next write gets, so that its bytes can carry it.
  Revision next_revision() const { return assigned_ + 1; }

  VersionPtr get(const ObjectKey& key) const;
  VersionPtr head(const ObjectKey& key) const;
  // The page, or nothing when the revision is older than the history.
  std::optional<VersionPage> list(const Scan& scan) const;
  Revision compacted(std::string_view resource) const;

  // `expected` is the revision of head(): 0 means that there must be none. `decoded`, if given, is
  // the message of these bytes.
  Taken put(const ObjectKey& key, Revision expected, std::string bytes, const DecodedPtr& decoded,
            Room room = Room::normal);
  // `last_state` is what watchers are told was deleted.
  Taken remove(const ObjectKey& key, Revision expected, std::string last_state,
               const DecodedPtr& decoded);

  // Runs once everything up to the revision is committed: inside this call if it is already. After
  // a refusal or a failure of the journal it is told why the write cannot be acknowledged.
  void when_committed(Revision revision, WhenCommitted done);

  // Changes after the revision, of one namespace or of all; nullptr when it is older than the
  // history. A write costs something for each watcher with a `wake`, nothing for those without.
  std::unique_ptr<Watcher> watch(std::string_view resource, std::string_view ns, Revision after,
                                 std::function<void()> wake);

  // Set once the journal has failed: reads go on, writes do not.
  const std::optional<Status>& poisoned() const { return poisoned_; }
  // Set while the journal has no room: reads and what makes room go on, other writes do not.
  const std::optional<Status>& full() const { return full_; }

 private:
  void on_durable(Revision up_to) override;
  void on_refused(Status why) override;
  void on_full(Status why) override { full_ = std::move(why); }
  void on_room() override { full_.reset(); }
  void on_failure(Status why) override;
  void on_replay(Revision compacted, Revision newest) override;
  void on_kept(KeptWrite write) override;

  ResourceTable& table(std::string_view resource);
  // Keeps the histories of all tables together within their limit.
  void trim_histories();
  const ResourceTable* find_table(std::string_view resource) const;
  struct Change {
    Revision expected = 0;
    bool deletion = false;
    size_t most_bytes = 0;
  };
  std::optional<WriteRefusal> refusal(const VersionPtr& current, const Change& change,
                                      size_t bytes) const;
  Taken write(const ObjectKey& key, const Change& change, std::string bytes,
              const DecodedPtr& decoded);
  // Takes back everything that is not durable, and tells those who wait for it.
  void drop_pending(const Status& why);
  const Status* refused_because(Revision revision) const;

  struct Pending {
    ResourceTable* table;
    VersionPtr version;
  };
  struct RefusedRange {
    Revision first;
    Revision last;
    Status why;
  };

  Journal* journal_;
  StoreLimits limits_;
  std::map<std::string, std::unique_ptr<ResourceTable>, std::less<>> tables_;
  Revision start_;
  Revision assigned_;
  Revision committed_;
  std::deque<Pending> pending_;
  size_t pending_bytes_ = 0;
  std::multimap<Revision, WhenCommitted> waiting_;
  std::deque<RefusedRange> refused_;
  std::optional<Status> full_;
  std::optional<Status> poisoned_;
};

}  // namespace windlass::store
