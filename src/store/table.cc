#include "store/table.h"

#include <algorithm>

#include "base/check.h"
#include "store/watcher.h"

namespace windlass::store {
namespace {

bool exists(const VersionPtr& version) {
  return version && !version->is_deletion();
}

}  // namespace

ResourceTable::~ResourceTable() {
  // From the oldest on: a chain of versions must not be freed by recursion.
  while (!history_.empty()) {
    evict_oldest();
  }
}

VersionPtr ResourceTable::committed(std::string_view key) const {
  const auto found = index_.find(key);
  return found != index_.end() && exists(found->second.committed) ? found->second.committed
                                                                  : nullptr;
}

VersionPtr ResourceTable::head(std::string_view key) const {
  const auto found = index_.find(key);
  return found != index_.end() && exists(found->second.head) ? found->second.head : nullptr;
}

VersionPtr ResourceTable::stage(std::string_view key, Revision revision, bool deletion,
                                std::string bytes) {
  const auto found = index_.find(key);
  VersionPtr previous = found == index_.end() ? nullptr : found->second.head;
  auto shared_key = previous ? previous->key_ : std::make_shared<const std::string>(key);
  const Change change = deletion           ? Change::deleted
                        : exists(previous) ? Change::updated
                                           : Change::created;
  auto version = std::make_shared<const Version>(std::move(shared_key), revision, change,
                                                 std::move(bytes), std::move(previous));
  if (found == index_.end()) {
    index_.emplace(version->key(), ObjectHistory{nullptr, version});
  } else {
    found->second.head = version;
  }
  return version;
}

void ResourceTable::publish(const VersionPtr& version) {
  const auto found = index_.find(version->key());
  CHECK(found != index_.end(), "a staged version is in the index");
  found->second.committed = version;
  history_.push_back(version);
  history_bytes_ += version->footprint();
  for (const auto& [id, watcher] : watchers_) {
    watcher->on_change(*version);
  }
  while (history_.size() > limits_.history_events) {
    evict_oldest();
  }
}

void ResourceTable::forget(const VersionPtr& staged) {
  const auto found = index_.find(staged->key());
  CHECK(found != index_.end() && found->second.head == staged, "the newest is forgotten first");
  const VersionPtr before = staged->previous_;
  // A deletion that the history has dropped meanwhile was kept for this one only.
  const bool dropped = before && before->is_deletion() && before->revision() <= compacted_;
  if (before && !dropped) {
    found->second.head = before;
  } else {
    index_.erase(found);
  }
}

void ResourceTable::restore(KeptWrite write, Revision compacted) {
  if (write.revision > compacted) {
    const VersionPtr staged =
        stage(write.key, write.revision, write.change == Change::deleted, std::move(write.bytes));
    CHECK(staged->change() == write.change, "a journal keeps a history without gaps");
    publish(staged);
    return;
  }
  auto version = std::make_shared<const Version>(std::make_shared<const std::string>(write.key),
                                                 write.revision, write.change,
                                                 std::move(write.bytes), nullptr);
  const bool is_new = index_.emplace(version->key(), ObjectHistory{version, version}).second;
  CHECK(is_new && !version->is_deletion(), "a state without history has one version of a key");
}

void ResourceTable::evict_oldest() {
  const VersionPtr version = history_.front();
  history_.pop_front();
  ++first_position_;
  history_bytes_ -= version->footprint();
  compacted_ = version->revision();
  version->previous_.reset();
  if (!version->is_deletion()) {
    return;
  }
  const auto found = index_.find(version->key());
  if (found != index_.end() && found->second.head == version) {
    index_.erase(found);
  }
}

void ResourceTable::scan(std::string_view prefix, std::string_view after, Revision revision,
                         const std::function<bool(const VersionPtr&)>& visit) const {
  auto entry = after.empty() ? index_.lower_bound(prefix) : index_.upper_bound(after);
  for (; entry != index_.end() && entry->first.starts_with(prefix); ++entry) {
    const VersionPtr* version = &entry->second.committed;
    while (*version && (*version)->revision() > revision) {
      version = &(*version)->previous_;
    }
    if (exists(*version) && !visit(*version)) {
      return;
    }
  }
}

uint64_t ResourceTable::position_after(Revision revision) const {
  const auto later = std::upper_bound(
      history_.begin(), history_.end(), revision,
      [](Revision wanted, const VersionPtr& version) { return wanted < version->revision(); });
  return first_position_ + static_cast<uint64_t>(later - history_.begin());
}

uint64_t ResourceTable::add_watcher(Watcher* watcher) {
  const uint64_t id = next_watcher_++;
  watchers_.emplace(id, watcher);
  return id;
}

}  // namespace windlass::store
