// A pod as the engine remembers it: how its record is read from what the API tells, what it says of
// its index, what it needs next, and which pods go first when some have to. Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/pods/pod_factory.h"
#include "engine/state/facts.h"
#include "engine/state/indexes.h"
#include "engine/state/pod_table.h"
#include "engine/state/record.h"
#include "engine/types.h"

namespace windlass::engine {

// Everything but the verdict of the failure policy. `seen` is when this was seen, if known.
void read_pod(PodRecord& record, const PodView& pod, std::optional<Time> seen);

IndexEvidence evidence(const PodRecord& record, const Facts& facts);
// The failures of its index that a pod knows of: its annotations, and its own failure.
IndexFailures carried(const PodRecord& record, const Facts& facts);
// What the end of a pod means for its Job.
enum class Counted : uint8_t {
  none,  // taken away by the Job itself, over when the Job was, or not ended
  succeeded,
  failed,
  ignored,
};
// As it is stored already, or as it will be if nothing else happens.
Counted counted_as(const PodRecord& record, const Facts& facts, const Indexes& indexes);
// What to do about the pod, as far as it can be told from the pod and its index.
Todo next_step(const PodRecord& record, const Facts& facts, const Indexes& indexes);

// The failures and the last success that pods show which are accounted for.
JobRecord shown_record(const PodTable& pods, const Facts& facts, const JobSpec& spec);

// Orders active pods: what comes first is removed first (3.9); ties are broken by UID (W9).
bool remove_before(const PodRecord& a, const PodRecord& b);

}  // namespace windlass::engine
