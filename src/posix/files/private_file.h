#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace windlass::posix {

// Writes a file that only its owner can read (0600), in place of any that was there: whole or not
// at all, whatever happens meanwhile. For keys and credentials; errors name the path, never the
// content.
Result<void> write_private_file(const std::string& path, std::string_view content);

// A copy that only its owner can read, in place of any that was there, on the disk when this
// returns. Links are not followed. What is written to the file meanwhile may be in the copy or not.
Result<void> copy_private_file(const std::string& from, const std::string& to);

// Makes names that were given in the folder of this path survive a crash of the machine.
Result<void> sync_folder_of(const std::string& path);

}  // namespace windlass::posix
