// One line of what a program printed, as a reader may see it: programs colour their output, redraw
// it and print binary data, and a terminal would obey all of that. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass {

// `line` as a terminal would have shown it last: only the part after the last carriage return that
// has text behind it. Escape sequences, invisible characters and changes of the direction of text
// are left out. Every other control character becomes a space, and every run of bytes that are not
// UTF-8 a question mark. Not more than `max_bytes`, which end with a whole character; neither a
// line longer than that nor one without an end costs more than one pass.
std::string plain_line(std::string_view line, size_t max_bytes);

}  // namespace windlass
