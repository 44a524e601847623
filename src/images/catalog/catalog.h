// The images of a machine as everything else sees them: a directory that `windlass image` and pulls
// fill, and that node agents read at every container start.
//
//   DIRECTORY/names/<name, escaped>   the id of the image that has this name, and its digest; one
//                                     line each
//   DIRECTORY/images/<id>/record      what is known of the image (ImageRecord), as JSON
//   DIRECTORY/images/<id>/root        its files, put together out of its layers
//   DIRECTORY/images/<id>/passwd      copies of its /etc/passwd and /etc/group
//   DIRECTORY/images/<id>/group
//   DIRECTORY/layers/<digest>         each layer once (images/store)
//
// An image appears with one rename, and a name with another: neither is ever half there. Everything
// is read anew each time, because other processes change it. Owns nothing but the path.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/pod/image_name.h"
#include "base/result.h"
#include "env/files.h"
#include "images/catalog/image_config.h"
#include "images/catalog/image_users.h"

namespace windlass::images {

struct ImageRecord {
  std::string id;    // 64 hex digits: the sha256 of its configuration
  std::string root;  // a directory
  uint64_t bytes = 0;
  bool in_place = false;  // `root` was there before, and stays when the image is removed
  bool has_config = false;
  ImageConfig config = {};

  std::string image_id() const { return "sha256:" + id; }
  bool operator==(const ImageRecord&) const = default;
};

struct NamedImage {
  std::string name;    // repository[:tag] or repository@digest
  std::string digest;  // of its manifest where it was pulled; "" elsewhere
  ImageRecord image;

  // What a pod's status calls it.
  std::string status_id() const;
  bool operator==(const NamedImage&) const = default;
};

class ImageCatalog {
 public:
  ImageCatalog(env::Files& files, std::string directory);

  // The image that this name stands for: by its digest where it has one, else by its tag. A name
  // that was stored without a tag stands for all tags that are not stored themselves.
  std::optional<NamedImage> find(const api::ImageName& image) const;
  std::optional<NamedImage> find_exactly(const std::string& name) const;
  // By name.
  std::vector<NamedImage> list() const;
  std::optional<ImageRecord> image(const std::string& id) const;
  std::vector<std::string> image_ids() const;

  // The user of `text`, by the image's own files.
  Result<ImageUser> user(const ImageRecord& image, std::string_view text) const;

  const std::string& directory() const { return directory_; }
  std::string name_path(const std::string& name) const;
  std::string image_path(const std::string& id) const;

 private:
  env::Files& files_;
  const std::string directory_;
};

std::string stored_record(const ImageRecord& record);
Result<ImageRecord> read_stored_record(std::string_view json);

// repository@digest
std::string name_by_digest(const api::ImageName& image, std::string_view digest);

}  // namespace windlass::images
