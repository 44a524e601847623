#include "store/store.h"

#include "base/check.h"

namespace windlass::store {
namespace {

// An empty store is at revision 1: 0 has a meaning of its own in the API.
constexpr Revision kFirstRevision = 1;

std::string prefix_of(std::string_view ns) {
  return ns.empty() ? std::string() : std::string(ns) + '/';
}

std::string key_text(const Key& key) {
  return prefix_of(key.ns).append(key.name);
}

}  // namespace

Store::Store(Journal* journal, Limits limits)
    : journal_(journal),
      limits_(limits),
      start_(kFirstRevision),
      assigned_(kFirstRevision),
      committed_(kFirstRevision) {
  if (journal_ != nullptr) {
    journal_->start(*this);
  }
}

Table& Store::table(std::string_view resource) {
  const auto found = tables_.find(resource);
  if (found != tables_.end()) {
    return *found->second;
  }
  auto made = std::make_unique<Table>(std::string(resource), limits_, start_);
  return *tables_.emplace(resource, std::move(made)).first->second;
}

const Table* Store::find_table(std::string_view resource) const {
  const auto found = tables_.find(resource);
  return found == tables_.end() ? nullptr : found->second.get();
}

VersionPtr Store::get(const Key& key) const {
  const Table* found = find_table(key.resource);
  return found == nullptr ? nullptr : found->committed(key_text(key));
}

VersionPtr Store::head(const Key& key) const {
  const Table* found = find_table(key.resource);
  return found == nullptr ? nullptr : found->head(key_text(key));
}

Revision Store::compacted(std::string_view resource) const {
  const Table* found = find_table(resource);
  return found == nullptr ? start_ : found->compacted();
}

std::optional<Page> Store::list(const Scan& scan) const {
  Page page;
  page.revision = scan.revision == 0 ? committed_ : scan.revision;
  if (page.revision > committed_ || page.revision < compacted(scan.resource)) {
    return std::nullopt;
  }
  const Table* found = find_table(scan.resource);
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

Store::Taken Store::put(const Key& key, Revision expected, std::string bytes,
                        const api::ObjectPtr& decoded) {
  return write(key, expected, false, std::move(bytes), decoded);
}

Store::Taken Store::remove(const Key& key, Revision expected, std::string last_state,
                           const api::ObjectPtr& decoded) {
  CHECK(expected != 0, "a deletion names the state it deletes");
  return write(key, expected, true, std::move(last_state), decoded);
}

Store::Taken Store::write(const Key& key, Revision expected, bool deletion, std::string bytes,
                          const api::ObjectPtr& decoded) {
  if (poisoned_) {
    return tl::unexpected(Refusal::poisoned);
  }
  if (bytes.size() > limits_.object_bytes) {
    return tl::unexpected(Refusal::too_large);
  }
  Table& target = table(key.resource);
  const std::string text = key_text(key);
  const VersionPtr current = target.head(text);
  const Revision actual = current ? current->revision() : 0;
  if (actual != expected) {
    return tl::unexpected(expected == 0 ? Refusal::exists
                          : actual == 0 ? Refusal::missing
                                        : Refusal::changed);
  }
  if (pending_.size() >= limits_.pending_writes) {
    return tl::unexpected(Refusal::busy);
  }
  VersionPtr version = target.stage(text, ++assigned_, deletion, std::move(bytes));
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
    committed_ = next.version->revision();
    next.table->publish(next.version);
  }
  while (!waiting_.empty() && waiting_.begin()->first <= committed_) {
    const WhenCommitted done = std::move(waiting_.begin()->second);
    waiting_.erase(waiting_.begin());
    done({});
  }
}

void Store::on_failure(Status why) {
  if (poisoned_) {
    return;
  }
  poisoned_ = std::move(why);
  pending_.clear();
  for (const auto& [resource, target] : tables_) {
    target->forget_staged();
  }
  auto waiting = std::move(waiting_);
  waiting_.clear();
  for (const auto& [revision, done] : waiting) {
    done(fail(*poisoned_));
  }
}

void Store::when_committed(Revision revision, WhenCommitted done) {
  if (revision <= committed_) {
    done({});
  } else if (poisoned_) {
    done(fail(*poisoned_));
  } else {
    waiting_.emplace(revision, std::move(done));
  }
}

std::unique_ptr<Watcher> Store::watch(std::string_view resource, std::string_view ns,
                                      Revision after, std::function<void()> wake) {
  Table& target = table(resource);
  if (after < target.compacted()) {
    return nullptr;
  }
  return std::make_unique<Watcher>(target, prefix_of(ns), after, std::move(wake));
}

}  // namespace windlass::store
