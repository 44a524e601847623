// Attempts from pods that still exist, for servers without a ledger. They have no log, and count as
// the failure policy of the Job says today. Pure.
#pragma once

#include <vector>

#include "api/object.h"
#include "ledger/ledger.h"

namespace windlass::explain {

// One for each of the Job's pods that has ended, oldest first.
std::vector<ledger::AttemptPtr> attempts_of_pods(const api::Message& job,
                                                 const std::vector<api::ObjectPtr>& pods);

}  // namespace windlass::explain
