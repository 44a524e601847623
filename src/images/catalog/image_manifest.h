// Manifests and indexes of images, in the OCI's form and Docker's (schema 2), and how one platform
// is chosen out of several. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace windlass::images {

inline constexpr size_t kMaxManifestBytes = size_t{4} * 1024 * 1024;

struct BlobReference {
  std::string digest;  // sha256:...
  std::string media_type;
  uint64_t bytes = 0;
  // Only in an index.
  std::string system = {};
  std::string architecture = {};
  std::string variant = {};
  std::string name = {};  // as annotations give it: docker.io/library/busybox:1.36, or a tag alone

  bool operator==(const BlobReference&) const = default;
};

struct ImageManifest {
  bool is_index = false;
  BlobReference config = {};
  std::vector<BlobReference> layers = {};     // lowest first
  std::vector<BlobReference> manifests = {};  // of an index

  uint64_t layer_bytes() const;
};

Result<ImageManifest> read_image_manifest(std::string_view json);

// The entries of an index for Linux on this architecture (as Go names it), or all where the index
// names no platforms. An error names the platforms that it has.
Result<std::vector<BlobReference>> for_platform(const ImageManifest& index,
                                                std::string_view architecture);

}  // namespace windlass::images
