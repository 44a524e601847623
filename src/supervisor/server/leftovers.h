// What an earlier supervisor of the same directory left behind when it died: its containers have
// PR_SET_PDEATHSIG, so mostly nothing; this makes sure.
#pragma once

#include "base/time.h"
#include "supervisor/server/run_table.h"

namespace windlass::supervisor {

// Kills the process if it is still the one that is marked, and waits until it is gone.
bool end_marked_process(ProcessMark process, Duration patience);

// Of the running system; "" when it does not say.
std::string boot_id();

}  // namespace windlass::supervisor
