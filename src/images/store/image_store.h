// The images of a machine, for those who change them: `windlass image` and pulls. Several processes
// may at the same time: what is in the making is in a directory of its own, which appears as a
// whole with a rename under a lock. A process that is killed leaves such a directory, and the next
// one removes it. See catalog.h for the layout, and
//
//   DIRECTORY/layers/<digest>/files   a layer, unpacked
//   DIRECTORY/layers/<digest>/layer   what it takes and what it hides in others, as JSON
//   DIRECTORY/lock                    held while names, images and layers change
//   DIRECTORY/new-XXXXXX              in the making
//
// Any thread; blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "images/catalog/catalog.h"
#include "images/store/unpack.h"
#include "posix/files/file_descriptor.h"
#include "posix/files/posix_files.h"
#include "posix/files/scratch_directory.h"

namespace windlass::images {

// An image as it comes: its layers are archives, or unpacked already.
struct NewImage {
  struct Layer {
    posix::FileDescriptor archive = {};
    // Instead: unpacked, in a directory of the same NewImagePlace.
    std::optional<UnpackedLayer> unpacked = {};
    std::string files = {};
  };

  ImageConfig config = {};
  bool has_config = true;
  std::string id = {};        // 64 hex digits; "" is made of the config
  std::string in_place = {};  // instead of layers: a directory that is used where it is
  std::vector<Layer> layers = {};
  std::vector<std::string> names = {};
  std::string digest = {};  // of its manifest
};

struct Pruned {
  std::vector<std::string> names = {};
  uint64_t bytes = 0;  // that are free now

  bool operator==(const Pruned&) const = default;
};

// A directory for one image in the making. Removed with it.
class NewImagePlace {
 public:
  explicit NewImagePlace(posix::ScratchDirectory scratch)
      : scratch_(std::make_unique<posix::ScratchDirectory>(std::move(scratch))) {}
  ~NewImagePlace();
  NewImagePlace(const NewImagePlace&) = delete;
  NewImagePlace& operator=(const NewImagePlace&) = delete;
  NewImagePlace(NewImagePlace&&) noexcept = default;
  NewImagePlace& operator=(NewImagePlace&&) = delete;

  const std::string& path() const { return scratch_->path(); }

 private:
  std::unique_ptr<posix::ScratchDirectory> scratch_;
};

class ImageStore {
 public:
  using InUse = std::function<std::set<std::string>(const std::string& directory)>;

  // `in_use` finds the roots that containers run on. So much of the disk stays free.
  ImageStore(std::string directory, InUse in_use, uint64_t keep_free = kKeepFree);

  Result<NewImagePlace> begin();
  // Unpacks what is not there yet, checks it against the digests of the config, and makes the image
  // known under its names, which it takes from others.
  Result<ImageRecord> add(const NewImagePlace& place, NewImage image);
  // One more name for an image that is there.
  Result<void> add_name(const std::string& name, const std::string& id, const std::string& digest);

  // The name; and the image with it when that was its last one. An error where containers run on
  // it, or it is not there.
  Result<Pruned> remove(const api::ImageName& name);
  // Images that no container runs on: those without a tag, or `all`, or as many of the oldest as it
  // takes until no more than `limit` bytes are used.
  Result<Pruned> prune(bool all, std::optional<uint64_t> limit);

  const ImageCatalog& catalog() const { return catalog_; }
  uint64_t keep_free() const { return keep_free_; }
  // What all layers take.
  uint64_t bytes() const;

 private:
  Result<posix::FileDescriptor> lock();
  std::string layer_path(const std::string& digest) const;
  Result<std::vector<std::string>> prepare_layers(const NewImagePlace& place, NewImage& image);
  Result<void> keep_layers(const std::vector<std::string>& prepared, const ImageConfig& config);
  Result<void> make_root(const NewImagePlace& place, ImageRecord& record);
  Result<void> write_name(const std::string& name, const std::string& id,
                          const std::string& digest);
  Result<uint64_t> discard(const std::set<std::string>& ids);
  Result<uint64_t> discard_unused_layers();
  std::vector<std::string> by_age() const;

  posix::PosixFiles files_;
  const std::string directory_;
  const ImageCatalog catalog_;
  const InUse in_use_;
  const uint64_t keep_free_;
};

}  // namespace windlass::images
