// Images from files: archives of `docker save`, OCI archives and layouts, directories that skopeo
// has written, and root file systems as archives or directories.
//
// Blocks.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "images/store/image_store.h"

namespace windlass::images {

struct LoadRequest {
  std::string source = {};        // a file or directory, absolute
  std::string name = {};          // instead of the names in the source
  std::string architecture = {};  // of this machine, as Go names it
  std::string digest = {};        // of the manifest, where that is known
};

struct LoadedImage {
  ImageRecord image;
  std::vector<std::string> names;
};

Result<std::vector<LoadedImage>> load_images(ImageStore& store, const LoadRequest& request);

// A root with one program that needs no libraries, and with links for all applets of busybox.
Result<LoadedImage> load_static_program(ImageStore& store, const std::string& program,
                                        const std::string& name);

// What was written by `skopeo copy ... dir:` into the place.
Result<LoadedImage> load_copied(ImageStore& store, const NewImagePlace& place,
                                const std::string& directory, std::vector<std::string> names,
                                const std::string& digest);

}  // namespace windlass::images
