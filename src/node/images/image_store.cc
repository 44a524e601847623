#include "node/images/image_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace windlass::node {
namespace {

constexpr size_t kMaxRootPath = 8 * 1024;
constexpr unsigned kRecordMode = 0644;
constexpr std::string_view kPlain =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

std::string escaped(std::string_view name) {
  std::string out;
  for (const char c : name) {
    out += kPlain.find(c) != std::string_view::npos
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string unescaped(std::string_view folder) {
  constexpr size_t kEscapeLength = 3;
  constexpr int kHex = 16;
  std::string out;
  for (size_t i = 0; i < folder.size(); ++i) {
    if (folder[i] != '%' || i + kEscapeLength > folder.size()) {
      out += folder[i];
      continue;
    }
    out +=
        static_cast<char>(std::strtol(std::string(folder.substr(i + 1, 2)).c_str(), nullptr, kHex));
    i += kEscapeLength - 1;
  }
  return out;
}

Failure not_known(const api::ImageName& image) {
  return fail(plain_error(fmt::format("there is no image \"{}\"", image.text())));
}

}  // namespace

ImageStore::ImageStore(env::Files& files, std::string directory)
    : files_(files), directory_(std::move(directory)) {}

std::string ImageStore::folder_of(const std::string& name) const {
  return directory_ + "/" + escaped(name);
}

std::optional<StoredImage> ImageStore::read(const std::string& name) const {
  auto root = files_.read(folder_of(name) + "/image", kMaxRootPath);
  if (!root || !root->ends_with('\n')) {
    return std::nullopt;
  }
  root->pop_back();
  return StoredImage{name, *std::move(root)};
}

std::optional<StoredImage> ImageStore::find(const api::ImageName& image) const {
  for (const std::string& name : api::known_names(image)) {
    if (auto found = read(name)) {
      return found;
    }
  }
  return std::nullopt;
}

std::vector<StoredImage> ImageStore::list() const {
  std::vector<StoredImage> images;
  for (const std::string& folder : files_.list(directory_).value_or(std::vector<std::string>())) {
    if (auto image = read(unescaped(folder))) {
      images.push_back(*std::move(image));
    }
  }
  std::sort(images.begin(), images.end(),
            [](const StoredImage& a, const StoredImage& b) { return a.name < b.name; });
  return images;
}

Result<std::string> ImageStore::begin(const api::ImageName& image) {
  if (!image.digest.empty()) {
    return fail(plain_error("an image is known by its name and tag, not by a digest"));
  }
  if (read(image.text())) {
    return fail(
        plain_error(fmt::format("image \"{}\" is there already; remove it first", image.text())));
  }
  const std::string folder = folder_of(image.text());
  TRY_VOID(files_.remove_tree(folder));
  TRY_VOID(files_.make_directory(folder));
  return folder + "/root";
}

Result<void> ImageStore::finish(const api::ImageName& image, const std::string& root) {
  return files_.write(folder_of(image.text()) + "/image", root + "\n", kRecordMode);
}

Result<void> ImageStore::abandon(const api::ImageName& image) {
  return files_.remove_tree(folder_of(image.text()));
}

// The record first: what is half removed is not known any more.
Result<void> ImageStore::remove(const api::ImageName& image) {
  if (!read(image.text())) {
    return not_known(image);
  }
  const std::string folder = folder_of(image.text());
  TRY_VOID(files_.remove_tree(folder + "/image"));
  return files_.remove_tree(folder);
}

}  // namespace windlass::node
