// Text that a program in a container wrote, as a terminal may show it. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass::cli {

// A longer line is cut, and says how long it was.
inline constexpr size_t kMaxShownBytes = 2000;

// One line without escape sequences and control characters other than tabs. After carriage returns
// only the last text is left, as a terminal would show it. Characters that reorder a line go, and
// bytes that are not UTF-8 become U+FFFD.
std::string terminal_line(std::string_view line);

}  // namespace windlass::cli
