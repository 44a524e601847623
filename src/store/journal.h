// Where committed writes survive. The store hands over every write in revision order and treats it
// as done only when the journal says so; until then nobody sees it. A journal may gather many
// writes into one commit. Calls and answers are on the core thread; what a journal does on a thread
// of its own is its own business (the parts of a Version it needs are immutable).
#pragma once

#include <string_view>

#include "base/status.h"
#include "store/version.h"

namespace windlass::store {

class JournalListener {
 public:
  virtual ~JournalListener() = default;
  // Every write up to and including this revision is durable.
  virtual void on_durable(Revision up_to) = 0;
  // Writing failed. Nothing that is not yet durable ever will be (reliability.md 2).
  virtual void on_failure(Status why) = 0;
};

class Journal {
 public:
  virtual ~Journal() = default;
  // Called once, before the first append. The listener outlives the journal's use of it.
  virtual void start(JournalListener& listener) = 0;
  // May answer inside the call.
  virtual void append(std::string_view resource, const VersionPtr& version) = 0;
};

}  // namespace windlass::store
