// An explanation as text for people and as JSON for programs. Pure.
#pragma once

#include <functional>
#include <string>

#include "explain/explanation.h"

namespace windlass {
class JsonWriter;
}

namespace windlass::explain {

// Times are told relative to `now`.
std::string as_text(const Explanation& explanation, Time now);
// One object, with the fields that docs/reference/explain.md lists. `add_members` writes more.
std::string as_json(const Explanation& explanation,
                    const std::function<void(JsonWriter&)>& add_members = {});

}  // namespace windlass::explain
