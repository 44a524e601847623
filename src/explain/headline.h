// The answer to "what became of this Job?" in one sentence, for the page and reports. Pure.
#pragma once

#include <string>

#include "explain/explanation.h"

namespace windlass::explain {

// `Failed: index 7 ended with exit code 42 (container main); rule Config says FailJob`. Without a
// full stop.
std::string headline(const Explanation& explanation);

// `Complete`, `Failed`, `Completing`, `Failing` or `Unfinished`.
std::string_view state_name(Explanation::State state);

}  // namespace windlass::explain
