// Which images containers run on at this moment: the kernel knows, in the mounts of every process.
// It cannot be stale, and no process has to keep a list.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::images {

// The directories below `directory` that are a lower layer of an overlay in this
// /proc/<pid>/mountinfo.
std::vector<std::string> lower_directories(std::string_view mountinfo, std::string_view directory);

// Of all processes that this one may look at. Blocks.
std::set<std::string> directories_in_use(const std::string& directory);

}  // namespace windlass::images
