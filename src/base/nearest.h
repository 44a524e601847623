// "Did you mean ...?": the known name closest to one that is not known. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace windlass {

// How many characters to insert, delete, replace or swap with their neighbour; `limit + 1` when it
// is more than `limit`. A difference in case alone costs nothing on top of the first such
// character.
size_t edit_distance(std::string_view a, std::string_view b, size_t limit);

// The nearest of the names, the first one of equals; nothing when none is near enough to suggest
// (about one mistake in three characters), or when the text is longer than any name.
std::optional<std::string_view> nearest_name(std::string_view text,
                                             std::span<const std::string_view> names);

}  // namespace windlass
