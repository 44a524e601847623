// How a pod counted for its Job and which rule of the failure policy said so, for the record of the
// attempt. A pure function; any thread.
#pragma once

#include "controllers/job/attempt_keeper.h"
#include "engine/engine.h"

namespace windlass::controllers::job {

// Rule and container are those of a pod that counted as failed or was ignored.
AttemptVerdict attempt_verdict(engine::Counted counted, const engine::JobView& job,
                               const engine::PodView& pod, const engine::Options& options);

}  // namespace windlass::controllers::job
