// Times in the text of a Job's record: milliseconds since 1970. Rounded up, so that no delay gets
// shorter, but not into the next second: the last millisecond of a second stands for its end
// (base/whole_second.h). Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace windlass::engine {

std::string format_record_time(Time time);
// The years 1970 to 2200: outside of them, sums with delays could overflow.
std::optional<Time> parse_record_time(std::string_view text);
// What is read back when this time has been written.
Time as_recorded(Time time);

}  // namespace windlass::engine
