#include "store/store.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace windlass::store {
namespace {

// An empty store is at revision 1: 0 has a meaning of its own in the API.
constexpr Revision kFirstRevision = 1;
// Times, a finalizer and the digits of a revision.
constexpr size_t kRoomForMarks = size_t{64} * 1024;

std::string prefix_of(std::string_view ns) {
  return ns.empty() ? std::string() : std::string(ns) + '/';
}

std::string key_text(const ObjectKey& key) {
  return prefix_of(key.ns).append(key.name);
}

}  // namespace

Store::Store(Journal* journal, StoreLimits limits)
    : journal_(journal),
      limits_(limits),
      start_(kFirstRevision),
      assigned_(kFirstRevision),
      committed_(kFirstRevision) {
  if (journal_ != nullptr) {
    journal_->start(*this);
  }
}

Result<void> Store::load() {
  CHECK(tables_.empty() && assigned_ == kFirstRevision, "load() comes before everything else");
  return journal_ == nullptr ? Result<void>() : journal_->replay(*this);
}

void Store::on_replay(Revision compacted, Revision newest) {
  CHECK(kFirstRevision <= compacted && compacted <= newest, "a journal begins where a store does");
  start_ = compacted;
  assigned_ = committed_ = newest;
}

void Store::on_kept(KeptWrite write) {
  CHECK(write.revision <= committed_, "a journal keeps what was committed");
  table(write.resource).restore(std::move(write), start_);
  trim_histories();
}

void Store::trim_histories() {
  while (true) {
    size_t bytes = 0;
    ResourceTable* largest = nullptr;
    for (const auto& [resource, table] : tables_) {
      bytes += table->history_bytes();
      // The newest change of each stays: those who wait for it have not read it yet.
      const bool can_give = table->history_size() > 1;
      if (can_give && (largest == nullptr || table->history_bytes() > largest->history_bytes())) {
        largest = table.get();
      }
    }
    if (bytes <= limits_.history_bytes || largest == nullptr) {
      return;
    }
    largest->evict_oldest();
  }
}

ResourceTable& Store::table(std::string_view resource) {
  const auto found = tables_.find(resource);
  if (found != tables_.end()) {
    return *found->second;
  }
  auto made = std::make_unique<ResourceTable>(std::string(resource), limits_, start_);
  return *tables_.emplace(resource, std::move(made)).first->second;
}

const ResourceTable* Store::find_table(std::string_view resource) const {
  const auto found = tables_.find(resource);
  return found == tables_.end() ? nullptr : found->second.get();
}

VersionPtr Store::get(const ObjectKey& key) const {
  const ResourceTable* found = find_table(key.resource);
  return found == nullptr ? nullptr : found->committed(key_text(key));
}

VersionPtr Store::head(const ObjectKey& key) const {
  const ResourceTable* found = find_table(key.resource);
  return found == nullptr ? nullptr : found->head(key_text(key));
}

Revision Store::compacted(std::string_view resource) const {
  const ResourceTable* found = find_table(resource);
  return found == nullptr ? start_ : found->compacted();
}

std::optional<VersionPage> Store::list(const Scan& scan) const {
  VersionPage page;
  page.revision = scan.revision == 0 ? committed_ : scan.revision;
  if (page.revision > committed_ || page.revision < compacted(scan.resource)) {
    return std::nullopt;
  }
  const ResourceTable* found = find_table(scan.resource);
  if (found == nullptr) {
    return page;
  }
  found->scan(prefix_of(scan.ns), scan.after, page.revision, [&](const VersionPtr& version) {
    if (scan.filter && !scan.filter(*version)) {
      return true;
    }
    if (scan.limit != 0 && page.items.size() == scan.limit) {
      page.more = true;
      return false;
    }
    page.items.push_back(version);
    return true;
  });
  return page;
}

Store::Taken Store::put(const ObjectKey& key, Revision expected, std::string bytes,
                        const DecodedPtr& decoded, Room room) {
  if (full_ && room == Room::normal && !poisoned_) {
    return tl::unexpected(WriteRefusal::full);
  }
  // What marks an object as deleted makes it larger, and must not keep it from going.
  const size_t more = room == Room::reserved ? kRoomForMarks : 0;
  return write(key, {expected, false, limits_.object_bytes + more}, std::move(bytes), decoded);
}

Store::Taken Store::remove(const ObjectKey& key, Revision expected, std::string last_state,
                           const DecodedPtr& decoded) {
  CHECK(expected != 0, "a deletion names the state it deletes");
  return write(key, {expected, true, std::numeric_limits<size_t>::max()}, std::move(last_state),
               decoded);
}

std::optional<WriteRefusal> Store::refusal(const VersionPtr& current, const Change& change,
                                           size_t bytes) const {
  if (poisoned_) {
    return WriteRefusal::poisoned;
  }
  if (bytes > change.most_bytes) {
    return WriteRefusal::too_large;
  }
  const Revision actual = current ? current->revision() : 0;
  if (actual != change.expected) {
    return change.expected == 0 ? WriteRefusal::exists
           : actual == 0        ? WriteRefusal::missing
                                : WriteRefusal::changed;
  }
  if (pending_.size() >= limits_.pending_writes ||
      (!pending_.empty() && pending_bytes_ + bytes > limits_.pending_bytes)) {
    return WriteRefusal::busy;
  }
  return std::nullopt;
}

Store::Taken Store::write(const ObjectKey& key, const Change& change, std::string bytes,
                          const DecodedPtr& decoded) {
  ResourceTable& target = table(key.resource);
  const std::string text = key_text(key);
  if (const auto refused = refusal(target.head(text), change, bytes.size())) {
    return tl::unexpected(*refused);
  }
  pending_bytes_ += bytes.size();
  VersionPtr version = target.stage(text, ++assigned_, change.deletion, std::move(bytes));
  if (decoded) {
    version->remember(decoded);
  }
  pending_.push_back({&target, version});
  if (journal_ == nullptr) {
    on_durable(assigned_);
  } else {
    journal_->append(target.resource(), version);
  }
  return version;
}

void Store::on_durable(Revision up_to) {
  CHECK(up_to <= assigned_, "the journal confirms only what it was given");
  if (poisoned_) {
    return;
  }
  while (!pending_.empty() && pending_.front().version->revision() <= up_to) {
    const Pending next = std::move(pending_.front());
    pending_.pop_front();
    pending_bytes_ -= next.version->bytes().size();
    committed_ = next.version->revision();
    next.table->publish(next.version);
    trim_histories();
  }
  while (!waiting_.empty() && waiting_.begin()->first <= committed_) {
    const WhenCommitted done = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    done({});
  }
}

void Store::on_refused(Status why) {
  if (poisoned_ || pending_.empty()) {
    return;
  }
  refused_.push_back(
      {pending_.front().version->revision(), pending_.back().version->revision(), why});
  if (refused_.size() > limits_.refused_ranges) {
    refused_.pop_front();
  }
  drop_pending(why);
}

void Store::on_failure(Status why) {
  if (poisoned_) {
    return;
  }
  poisoned_ = std::move(why);
  drop_pending(*poisoned_);
}

void Store::drop_pending(const Status& why) {
  // From the newest on: each version holds the one before it, and must not free a chain of them.
  while (!pending_.empty()) {
    pending_.back().table->forget(pending_.back().version);
    pending_.pop_back();
  }
  pending_bytes_ = 0;
  const auto waiting = std::move(waiting_);
  waiting_.clear();
  for (const auto& [revision, done] : waiting) {
    done(fail(why));
  }
}

const Status* Store::refused_because(Revision revision) const {
  const auto found = std::lower_bound(
      refused_.begin(), refused_.end(), revision,
      [](const RefusedRange& range, Revision wanted) { return range.last < wanted; });
  return found != refused_.end() && found->first <= revision ? &found->why : nullptr;
}

void Store::when_committed(Revision revision, WhenCommitted done) {
  if (const Status* why = refused_because(revision)) {
    done(fail(*why));
  } else if (revision <= committed_) {
    done({});
  } else if (poisoned_) {
    done(fail(*poisoned_));
  } else {
    waiting_.emplace(revision, std::move(done));
  }
}

std::unique_ptr<Watcher> Store::watch(std::string_view resource, std::string_view ns,
                                      Revision after, std::function<void()> wake) {
  ResourceTable& target = table(resource);
  if (after < target.compacted()) {
    return nullptr;
  }
  return std::make_unique<Watcher>(target, prefix_of(ns), after, std::move(wake));
}

}  // namespace windlass::store
