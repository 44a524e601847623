#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass::posix {

// Writes a file that only its owner can read (0600), in place of any that was there: whole or not
// at all, whatever happens meanwhile. For keys and credentials; errors name the path, never the
// content.
Result<void> write_private_file(const std::string& path, std::string_view content);

}  // namespace windlass::posix
