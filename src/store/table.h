// All objects of one resource: an ordered index, the recent history and those who watch it. Old
// versions hang on newer ones and live as long as the history holds the newer one, so a list at an
// older revision and a resumed watch have the same reach. Part of Store; core thread only.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "store/journal.h"
#include "store/version.h"

namespace windlass::store {

// The bounds of the store's memory. Plain values, given to the store once.
struct StoreLimits {
  // Watch history and old versions, of each resource.
  size_t history_events = 65'536;
  // Of all resources together, with what the memory of a version takes besides its bytes. The
  // resource with the largest history gives way first, so a busy one costs a quiet one nothing.
  size_t history_bytes = size_t{32} << 20;
  // Writes handed to the journal and not yet durable.
  size_t pending_writes = 10'000;
  size_t pending_bytes = size_t{64} << 20;
  // One encoded object (safety.md Q2).
  size_t object_bytes = size_t{3} << 19;
  // Groups of refused writes that are remembered, for those who ask late what became of them.
  size_t refused_ranges = 1'024;
};

class Watcher;

class ResourceTable {
 public:
  explicit ResourceTable(std::string resource, const StoreLimits& limits, Revision compacted)
      : resource_(std::move(resource)), limits_(limits), compacted_(compacted) {}
  ~ResourceTable();
  ResourceTable(const ResourceTable&) = delete;
  ResourceTable& operator=(const ResourceTable&) = delete;

  const std::string& resource() const { return resource_; }

  // What readers see; nullptr when there is none.
  VersionPtr committed(std::string_view key) const;
  // The newest state, durable or not: what a write must be based on.
  VersionPtr head(std::string_view key) const;

  // A write that is not durable yet.
  VersionPtr stage(std::string_view key, Revision revision, bool deletion, std::string bytes);
  // It is durable now: readers, lists and watchers get it.
  void publish(const VersionPtr& version);
  // It never will be. Of several, the newest is forgotten first.
  void forget(const VersionPtr& staged);
  // What a journal kept. Up to `compacted` it is a state without a history.
  void restore(KeptWrite write, Revision compacted);

  // Calls `visit` for each object under `prefix` as it was at `revision`, in key order, for keys
  // greater than `after`, until it returns false.
  void scan(std::string_view prefix, std::string_view after, Revision revision,
            const std::function<bool(const VersionPtr&)>& visit) const;

  // How much memory the history takes, and giving up the oldest change of it.
  size_t history_bytes() const { return history_bytes_; }
  size_t history_size() const { return history_.size(); }
  void evict_oldest();

  // The newest revision that the history has forgotten: older states cannot be read.
  Revision compacted() const { return compacted_; }

  // Positions in the history: every change of this table has the next number.
  uint64_t oldest_position() const { return first_position_; }
  uint64_t end_position() const { return first_position_ + history_.size(); }
  // Of the first change after this revision.
  uint64_t position_after(Revision revision) const;
  const VersionPtr& at(uint64_t position) const { return history_[position - first_position_]; }

  uint64_t add_watcher(Watcher* watcher);
  void remove_watcher(uint64_t id) { watchers_.erase(id); }

 private:
  struct ObjectHistory {
    VersionPtr committed;
    VersionPtr head;
  };
  // The keys are views of the key their versions share.
  using Index = std::map<std::string_view, ObjectHistory, std::less<>>;

  std::string resource_;
  const StoreLimits& limits_;
  Index index_;
  std::deque<VersionPtr> history_;
  uint64_t first_position_ = 0;
  size_t history_bytes_ = 0;
  Revision compacted_;
  std::map<uint64_t, Watcher*> watchers_;
  uint64_t next_watcher_ = 1;
};

}  // namespace windlass::store
