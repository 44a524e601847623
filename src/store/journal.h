// Where committed writes survive. The store hands over every write in revision order and treats it
// as done only when the journal says so; until then no reader sees it. A journal may gather many
// writes into one commit. Calls and answers are on the core thread; what a journal does on a thread
// of its own is its own business (the parts of a Version it needs are immutable).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "store/version.h"

namespace windlass::store {

class JournalListener {
 public:
  virtual ~JournalListener() = default;
  // Every write up to and including this revision is durable.
  virtual void on_durable(Revision up_to) = 0;
  // Nothing handed over and not yet durable ever will be; what is handed over from now on may.
  virtual void on_refused(Status why) = 0;
  // There is no room: until on_room() only what makes room should come. What is already on its way
  // is not touched by this.
  virtual void on_full(Status why) = 0;
  virtual void on_room() = 0;
  // Writing failed. Nothing that is not yet durable ever will be (safety.md V2).
  virtual void on_failure(Status why) = 0;
};

// One write as a journal has kept it.
struct KeptWrite {
  Revision revision = 0;
  Change change = Change::created;
  std::string_view resource = {};
  std::string_view key = {};  // Version::key
  std::string bytes = {};
};

class ReplayListener {
 public:
  virtual ~ReplayListener() = default;
  // Once, before the first write: what is at or below `compacted` is a state without a history, and
  // `newest` is the last revision ever committed.
  virtual void on_replay(Revision compacted, Revision newest) = 0;
  // In revision order.
  virtual void on_kept(KeptWrite write) = 0;
};

class Journal {
 public:
  virtual ~Journal() = default;
  // What it has kept from earlier runs. Called at most once, before start().
  virtual Result<void> replay(ReplayListener& /*listener*/) { return {}; }
  // Called once, before the first append. The listener outlives the journal's use of it.
  virtual void start(JournalListener& listener) = 0;
  // May answer inside the call.
  virtual void append(std::string_view resource, const VersionPtr& version) = 0;
};

}  // namespace windlass::store
