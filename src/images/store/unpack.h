// Unpacks one layer: a tar archive, plain or compressed with gzip, zstd, bzip2 or xz, into an empty
// directory. What a layer removes from the layers below it (whiteouts) becomes a list, not files.
// Devices are left out: containers have their own. See tree_writer.h for what names may do.
//
// Any thread; blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace windlass::images {

// A layer that takes more than this when it is unpacked is an error.
inline constexpr uint64_t kMaxLayerBytes = uint64_t{256} * 1024 * 1024 * 1024;
// So much of the disk stays free for everything else.
inline constexpr uint64_t kKeepFree = uint64_t{256} * 1024 * 1024;

// What a layer does to the layers below it, beside the files that it has.
struct LayerMarks {
  std::vector<std::string> removed = {};  // files and trees that it hides
  std::vector<std::string> emptied = {};  // directories whose content it hides
  // Directories that it does not describe: they keep the owner and permissions that they have
  // below.
  std::vector<std::string> implied = {};

  bool operator==(const LayerMarks&) const = default;
};

struct UnpackedLayer {
  std::string digest;  // sha256:... of the archive without compression
  uint64_t bytes = 0;  // on the disk, about
  LayerMarks marks = {};
  size_t devices = 0;  // that were left out

  bool operator==(const UnpackedLayer&) const = default;
};

Result<UnpackedLayer> unpack_layer(int archive, const std::string& directory, uint64_t keep_free);

// Of all the bytes.
std::string sha256_digest(std::string_view bytes);

}  // namespace windlass::images
