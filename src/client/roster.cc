#include "client/roster.h"

#include <utility>

#include "client/object_identity.h"

namespace windlass::client {

Roster::Roster(ClientEnv env, Collection collection, Reflector::Options options)
    : reflector_(env, std::move(collection), *this, options) {}

Roster::~Roster() = default;

void Roster::remove(View& view) {
  std::erase(views_, &view);
}

void Roster::start() {
  if (!std::exchange(started_, true)) {
    reflector_.start();
  }
}

uint64_t Roster::version() const {
  return version_number(reflector_.resource_version());
}

std::optional<Roster::Slot> Roster::find(std::string_view key) const {
  const auto found = entries_.find(key);
  return found == entries_.end() ? std::nullopt : std::optional(found->second.slot);
}

void Roster::on_list_end() {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    entry = entry->second.listed == list_ ? std::next(entry) : erase(entry);
  }
  synced_ = true;
  for (View* view : std::vector(views_)) {
    view->on_list_end();
  }
}

void Roster::on_event(const WatchEvent& event) {
  if (event.type != EventType::deleted) {
    upsert(event.object);
    return;
  }
  const auto found = entries_.find(key_of(*event.object));
  if (found != entries_.end() && found->second.uid == uid_of(*event.object)) {
    erase(found);
  }
}

void Roster::upsert(const ObjectPtr& object) {
  std::string key = key_of(*object);
  const uint64_t version = version_number(resource_version_of(*object));
  auto found = entries_.find(key);
  if (found != entries_.end() && found->second.uid != uid_of(*object)) {
    erase(found);
    found = entries_.end();
  }
  if (found == entries_.end()) {
    found = entries_.emplace(std::move(key), Entry{uid_of(*object), 0, 0, free_slot()}).first;
  } else if (version != 0 && version <= found->second.version) {
    found->second.listed = list_;
    return;
  }
  found->second.version = version;
  found->second.listed = list_;
  const Slot slot = found->second.slot;
  for (View* view : views_) {
    view->on_seen(slot, object);
  }
}

Roster::Entries::iterator Roster::erase(Entries::iterator entry) {
  const Slot slot = entry->second.slot;
  const auto next = entries_.erase(entry);
  for (View* view : views_) {
    view->on_gone(slot);
  }
  free_.push_back(slot);
  return next;
}

Roster::Slot Roster::free_slot() {
  if (free_.empty()) {
    return slots_++;
  }
  const Slot slot = free_.back();
  free_.pop_back();
  return slot;
}

std::shared_ptr<Roster> Rosters::roster(ClientEnv env, const Collection& collection,
                                        Reflector::Options options) {
  auto& known = rosters_[{collection.kind, collection.ns, collection.label_selector,
                          collection.field_selector}];
  if (auto shared = known.lock(); shared && !shared->has_started()) {
    return shared;
  }
  auto made = std::make_shared<Roster>(env, collection, options);
  if (known.expired()) {
    known = made;
  }
  return made;
}

}  // namespace windlass::client
