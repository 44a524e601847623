// Text in double quotes with Go's escapes, as Kubernetes' error messages show what a user wrote.
// Pure functions on UTF-8; bytes that are not UTF-8 come out as \xNN.
#pragma once

#include <string>
#include <string_view>

namespace windlass {

// Go's %q: printable characters stay as they are, others become \n, \u00a0, \xff and the like.
std::string quote(std::string_view text);

// How Go's time package quotes: everything outside printable ASCII becomes \xNN, byte by byte.
std::string quote_ascii(std::string_view text);

}  // namespace windlass
