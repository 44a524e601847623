// One look at one object, to its end: finds out how its owners are, asks decide(), sends the write,
// and goes on with what the server answers until nothing is left to do. What the caches say is
// enough to see that an owner is fine; that it is gone, waits, or orphans, the server must say
// itself. Every write names the UID and the version it was decided on, so a stale cache can cost a
// round but never an object.
//
// Made and held by the collector, on the client's executor; nothing runs once it lets go. At most
// one request is under way.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "client/bounded_map.h"
#include "client/event_recorder.h"
#include "controllers/garbage/decide.h"
#include "controllers/garbage/graph.h"
#include "controllers/garbage/tracked_object.h"

namespace windlass::controllers::garbage {

// What is known of owners that are gone: which are certainly gone, so that the server is asked once
// and not for each of 100,000 dependents, and which were to leave their dependents alive. UIDs
// never come back, so nothing here becomes wrong; memory is bounded, and what falls out is asked
// again. One thread.
class OwnerMemory {
 public:
  static constexpr size_t kMaxGone = 500;
  static constexpr size_t kMaxOrphaned = 4096;

  // By all coordinates: a wrong reference must not speak for right ones. `ns` is the namespace that
  // the owner was looked for in.
  void remember_gone(const OwnerRef& owner, const std::string& ns) { gone_[key(owner, ns)] = true; }
  bool is_gone(const OwnerRef& owner, const std::string& ns) {
    return gone_.find(key(owner, ns)) != nullptr;
  }

  // The last thing that held the owner is, or is about to be, taken off with this policy.
  void remember_orphaned(const std::string& uid, bool orphaned) {
    if (orphaned || orphaned_.find(uid) != nullptr) {
      orphaned_[uid] = orphaned;
    }
  }
  bool is_orphaned(const std::string& uid) {
    const bool* orphaned = orphaned_.find(uid);
    return orphaned != nullptr && *orphaned;
  }

 private:
  static std::string key(const OwnerRef& owner, const std::string& ns) {
    return owner.api_version + ' ' + owner.kind + ' ' + ns + ' ' + owner.name + ' ' + owner.uid;
  }

  client::BoundedMap<bool> gone_{kMaxGone};
  client::BoundedMap<bool> orphaned_{kMaxOrphaned};
};

// What a visit shares with others. All of it outlives the visit.
struct Surroundings {
  client::ClientEnv env;
  const OwnerGraph& graph;
  OwnerMemory& memory;
  client::EventRecorder& events;
  const std::set<const api::Kind*>& kinds;  // those that the graph knows of
};

enum class Visited {
  settled,
  look_again,  // an owner is there that no cache has seen: it could go unseen, too
};

class Visit : public std::enable_shared_from_this<Visit> {
 public:
  static constexpr int kMaxRounds = 8;  // reads and writes again, after conflicts and own writes

  using DoneVisit = std::function<void(Result<Visited>)>;

  Visit(Surroundings& around, TrackedObjectPtr item, DoneVisit done);

  void start() { look(); }

 private:
  void look();
  void look_at_next_owner();
  // Without asking, as far as that is safe.
  bool recall_owner(const OwnerRef& owner, OwnerState& state);
  void ask_for_owner(const OwnerRef& owner, const api::Kind& kind);
  void on_owner(const OwnerRef& owner, const api::Kind& kind,
                const Result<client::ObjectPtr>& answer);
  void report_wrong_namespace(const OwnerRef& owner);

  void act();
  void patch(std::string body);
  void remove(std::string_view policy);
  void on_patched(const Result<client::ObjectPtr>& answer);
  void on_removed(const Result<client::ObjectPtr>& answer);
  void on_failure(const Status& why);
  void read_again();
  void finish(Result<Visited> result);

  // The answer is dropped once the visit is over.
  client::Done<client::ObjectPtr> answer_to(
      void (Visit::*method)(const Result<client::ObjectPtr>& answer));

  Surroundings& around_;
  TrackedObjectPtr item_;
  DoneVisit done_;
  std::vector<OwnerState> owners_;  // of those looked at so far
  bool dropping_orphan_ = false;    // the write under way lets an owner go whose dependents stay
  bool unseen_owner_ = false;
  int rounds_ = 0;
};

}  // namespace windlass::controllers::garbage
