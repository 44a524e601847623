// Who is there of a collection, kept current by a reflector, and the views that keep something of
// each object. Controllers that watch the same collection may share one roster: then an object is
// received, looked up and compared by version once, however many of them look at it.
//
// An object that was deleted and created again between two looks is told as gone and as new: its
// UID tells (safety.md W3). What comes late or twice is not told at all.
//
// Lives on the client's executor. Views are not owned, and are added before start().
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "client/reflector.h"

namespace windlass::client {

class Roster final : private ReflectorSink {
 public:
  // Names an object while it is there; used again for others after that.
  using Slot = uint32_t;

  class View {
   public:
    virtual ~View() = default;
    // New, or changed since the view was told last.
    virtual void on_seen(Slot slot, const ObjectPtr& object) = 0;
    virtual void on_gone(Slot slot) = 0;
    // All that the list did not tell of is gone.
    virtual void on_list_end() = 0;
  };

  Roster(ClientEnv env, Collection collection, Reflector::Options options);
  ~Roster() override;

  void add(View& view) { views_.push_back(&view); }
  void remove(View& view);
  // Once; views that share it may all say so.
  void start();
  bool has_started() const { return started_; }
  // The first list is complete.
  bool has_synced() const { return synced_; }
  // Everything up to this version has been told.
  uint64_t version() const;

  std::optional<Slot> find(std::string_view key) const;

  // In key order: `visit(key, slot)`.
  template <class Visit>
  void for_each(std::string_view prefix, Visit visit) const {
    for (auto entry = entries_.lower_bound(prefix);
         entry != entries_.end() && entry->first.starts_with(prefix); ++entry) {
      visit(entry->first, entry->second.slot);
    }
  }

 private:
  struct Entry {
    std::string uid;
    uint64_t version = 0;
    uint64_t listed = 0;  // the last list that told of it
    Slot slot = 0;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  void on_list_begin() override { ++list_; }
  void on_listed(const ObjectPtr& object) override { upsert(object); }
  void on_list_end() override;
  void on_event(const WatchEvent& event) override;

  void upsert(const ObjectPtr& object);
  Entries::iterator erase(Entries::iterator entry);
  Slot free_slot();

  std::vector<View*> views_;
  Entries entries_;
  std::vector<Slot> free_;
  Slot slots_ = 0;  // given out so far
  uint64_t list_ = 0;
  bool started_ = false;
  bool synced_ = false;
  Reflector reflector_;
};

// The rosters that the controllers of one process share, by collection. Those who come when a
// roster has started get one of their own: what it has told is not told again.
class Rosters {
 public:
  std::shared_ptr<Roster> roster(ClientEnv env, const Collection& collection,
                                 Reflector::Options options);

 private:
  using Name = std::tuple<const api::Kind*, std::string, std::string, std::string>;
  std::map<Name, std::weak_ptr<Roster>> rosters_;
};

}  // namespace windlass::client
