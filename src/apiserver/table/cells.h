// What the cells of several kinds have in common. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/object.h"
#include "apiserver/table/table.h"
#include "base/time.h"

namespace windlass::api::meta::v1 {
class Time;
}

namespace windlass::apiserver {

inline constexpr Column kNameColumn = {"Name", "string", "name", 0,
                                       "Name must be unique within a namespace."};
inline constexpr Column kAgeColumn = {"Age", "string", "", 0, "How long the object has existed."};

// `<unknown>` for a time that is not set (api.md M139).
std::string since(const api::meta::v1::Time& time, Time now);
std::string age_of(const api::Message& object, Time now);
std::string_view or_none(std::string_view text);

}  // namespace windlass::apiserver
