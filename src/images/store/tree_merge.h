// Puts the root of an image together out of its unpacked layers. Files are hard links to those of
// the layers, so that every container of every image that has a layer shares its disk and its page
// cache; only directories are made anew.
//
// Any thread; blocks.
#pragma once

#include <string>

#include "base/result.h"
#include "images/store/unpack.h"

namespace windlass::images {

// Lays a layer over what is in `root` already: first takes away what it hides, then links what is
// in it. Both directories are on one file system.
Result<void> merge_layer(const std::string& layer, const LayerMarks& marks,
                         const std::string& root);

// Makes a directory of the root, and its parents, where they are missing. A path that leads to
// something else is left alone.
void make_in_root(const std::string& root, const std::string& path);

// A small file of the root, found as a container would find it; "" where there is none.
std::string read_in_root(const std::string& root, const std::string& path, size_t limit);

}  // namespace windlass::images
