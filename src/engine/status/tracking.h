// The next status of a Job: which finished pods it accounts for, what moves from the uncounted
// lists to the counters, and the conditions (job-controller.md 5, 2.48-2.62). Pods and indexes that
// go into a draft are out of the state's queues until the write is answered with commit_status() or
// abort_status().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/decision.h"
#include "engine/policy/outcome.h"
#include "engine/state/state.h"

namespace windlass::engine {

struct StatusDraft {
  struct Item {
    Uid uid;
    Slot slot = kNoSlot;
    Accounted as = Accounted::no;
    Action action = Action::none;
    Time finished;
    int32_t index = -1;
    int8_t rule = -1;
    bool ends_index = false;
    bool taken = false;  // a success of a pod that the Job had taken away
  };

  // Until complete_draft() without what takes long to copy: index texts, and uncounted lists that
  // stay as they are.
  std::shared_ptr<StatusWrite> write = std::make_shared<StatusWrite>();  // sent: never changed
  std::optional<JobRecord> record;  // when it differs from the stored one
  IndexCounts dropped_counts;       // known failures of indexes that the record no longer says
  bool prints_indexes = false;      // index sets changed
  bool changed = false;
  // Something waits for this write: it must not be put off to save a request.
  bool urgent = false;
  std::vector<Item> items;
  LostOutcomes lost;
  bool suspends = false;
  bool resumes = false;
  bool decides = false;   // carries a new FailureTarget or SuccessCriteriaMet
  bool finishes = false;  // carries Failed or Complete
};

// O(what changed), however long the status is.
StatusDraft draft_status(State& state, const JobOutcome& outcome, Time now);
// The draft is to be sent: makes its status whole.
void complete_draft(const State& state, StatusDraft& draft);
// The draft is not sent, or the write did not happen.
void abort_status(State& state, const StatusDraft& draft);
// The write happened and `stored` is the server's answer. Events and metrics of it are appended.
void commit_status(State& state, StatusDraft draft, JobView stored, std::vector<Event>& events,
                   std::vector<MetricDelta>& metrics);

// Tells of indexes whose failures could not be kept; of none it says nothing.
void note_forgotten(size_t indexes, std::vector<Event>& events);

}  // namespace windlass::engine
