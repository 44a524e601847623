// A local view of a collection: for every object the small struct that a controller needs of it,
// never the object itself, kept current by a reflector. `Project` makes the struct from the message
// that the Kind says. Handlers run after the view has changed, on the client's executor.
//
// An object that was deleted and created again between two looks is told as a deletion and an
// addition: its UID tells (reliability.md W3). What comes late or twice is not told at all.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/object_identity.h"
#include "client/reflector.h"

namespace windlass::client {

template <class Projection>
class Informer final : private ReflectorSink {
 public:
  using Project = std::function<Projection(const api::Message&)>;

  struct Handler {
    std::function<void(const Projection& added)> on_add;
    std::function<void(const Projection& before, const Projection& now)> on_update;
    std::function<void(const Projection& last)> on_delete;
  };

  Informer(ClientEnv env, Collection collection, Project project)
      : project_(std::move(project)), reflector_(env, std::move(collection), *this) {}
  Informer(ClientEnv env, Collection collection, Project project, Reflector::Options options)
      : project_(std::move(project)), reflector_(env, std::move(collection), *this, options) {}

  // Both before start().
  void add_handler(Handler handler) { handlers_.push_back(std::move(handler)); }
  void when_synced(std::function<void()> done) { when_synced_.push_back(std::move(done)); }
  // After every list but the first: what came and went between two lists is not in any event.
  void when_listed_again(std::function<void()> done) { listed_again_ = std::move(done); }

  void start() { reflector_.start(); }
  // The first list is in the view, and its handlers have run.
  bool has_synced() const { return synced_; }

  const Projection* find(std::string_view key) const {
    const auto found = entries_.find(key);
    return found == entries_.end() ? nullptr : &found->second.value;
  }
  const Projection* find(std::string_view ns, std::string_view name) const {
    return find(object_key(ns, name));
  }
  size_t size() const { return entries_.size(); }
  // Everything up to this version is in the view.
  uint64_t version() const { return version_number(reflector_.resource_version()); }

  // In key order.
  void for_each(const std::function<void(const std::string& key, const Projection&)>& visit) const {
    for (const auto& [key, entry] : entries_) {
      visit(key, entry.value);
    }
  }
  void for_each_in(
      std::string_view ns,
      const std::function<void(const std::string& key, const Projection&)>& visit) const {
    const std::string prefix = object_key(ns, "");
    for (auto entry = entries_.lower_bound(prefix);
         entry != entries_.end() && entry->first.starts_with(prefix); ++entry) {
      visit(entry->first, entry->second.value);
    }
  }

 private:
  struct Entry {
    std::string uid;
    uint64_t version = 0;
    uint64_t listed = 0;  // the last list that told of it
    Projection value;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  void on_list_begin() override { ++list_; }
  void on_listed(const ObjectPtr& object) override { upsert(*object); }

  void on_list_end() override {
    for (auto entry = entries_.begin(); entry != entries_.end();) {
      entry = entry->second.listed == list_ ? std::next(entry) : erase(entry);
    }
    if (!synced_) {
      synced_ = true;
      for (const auto& done : std::exchange(when_synced_, {})) {
        done();
      }
    } else if (listed_again_) {
      listed_again_();
    }
  }

  void on_event(const WatchEvent& event) override {
    if (event.type != EventType::deleted) {
      upsert(*event.object);
      return;
    }
    const auto found = entries_.find(key_of(*event.object));
    if (found != entries_.end() && found->second.uid == uid_of(*event.object)) {
      erase(found);
    }
  }

  void upsert(const api::Message& object) {
    std::string key = key_of(object);
    const uint64_t version = version_number(resource_version_of(object));
    auto found = entries_.find(key);
    if (found != entries_.end() && found->second.uid != uid_of(object)) {
      erase(found);
      found = entries_.end();
    }
    if (found == entries_.end()) {
      Entry entry{uid_of(object), version, list_, project_(object)};
      const auto added = entries_.emplace(std::move(key), std::move(entry)).first;
      for (const Handler& handler : handlers_) {
        if (handler.on_add) {
          handler.on_add(added->second.value);
        }
      }
      return;
    }
    Entry& entry = found->second;
    entry.listed = list_;
    if (version != 0 && version <= entry.version) {
      return;
    }
    entry.version = version;
    const Projection before = std::exchange(entry.value, project_(object));
    for (const Handler& handler : handlers_) {
      if (handler.on_update) {
        handler.on_update(before, entry.value);
      }
    }
  }

  typename Entries::iterator erase(typename Entries::iterator entry) {
    const auto node = entries_.extract(entry++);
    for (const Handler& handler : handlers_) {
      if (handler.on_delete) {
        handler.on_delete(node.mapped().value);
      }
    }
    return entry;
  }

  Project project_;
  std::vector<Handler> handlers_;
  std::vector<std::function<void()>> when_synced_;
  std::function<void()> listed_again_;
  Entries entries_;
  uint64_t list_ = 0;
  bool synced_ = false;
  Reflector reflector_;
};

}  // namespace windlass::client
