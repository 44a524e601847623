// What two texts have not in common, line by line. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass::cli {

// Lines that only `before` has begin with `-`, those that only `after` has with `+`, and the lines
// around them with a space; `...` is in place of the others. "" for equal texts. No longer than
// `most` lines; the last one then counts the rest.
std::string line_diff(std::string_view before, std::string_view after, size_t most = 100);

}  // namespace windlass::cli
