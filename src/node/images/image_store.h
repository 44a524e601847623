// Root file systems by image name, in a directory that `windlass image` fills and node agents read.
//
//   DIRECTORY/<name, escaped>/image   where the root is, one line; written last, so that an image
//                                     that was not finished is not there
//   DIRECTORY/<name, escaped>/root    the root itself, unless it was there before
//
// Everything is read anew each time: other processes change it. Owns nothing but the path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/pod/image_name.h"
#include "base/result.h"
#include "env/files.h"

namespace windlass::node {

struct StoredImage {
  std::string name;  // repository[:tag]
  std::string root;

  bool operator==(const StoredImage&) const = default;
};

class ImageStore {
 public:
  ImageStore(env::Files& files, std::string directory);

  // The image that this name stands for.
  std::optional<StoredImage> find(const api::ImageName& image) const;
  // By name.
  std::vector<StoredImage> list() const;

  // A directory for the root of a new image, not there yet. An error where the image is known.
  Result<std::string> begin(const api::ImageName& image);
  // From now on it is known, with the root that begin() named or another.
  Result<void> finish(const api::ImageName& image, const std::string& root);
  // What begin() made is not wanted.
  Result<void> abandon(const api::ImageName& image);
  // With the root, if it was made here. An error where it is not known.
  Result<void> remove(const api::ImageName& image);

 private:
  std::string folder_of(const std::string& name) const;
  std::optional<StoredImage> read(const std::string& name) const;

  env::Files& files_;
  const std::string directory_;
};

}  // namespace windlass::node
