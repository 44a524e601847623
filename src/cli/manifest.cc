#include "cli/manifest.h"

#include <fmt/format.h>

#include "api/codec/list_document.h"

namespace windlass::cli {
namespace {

// Far above any real manifest, far below what would hurt.
constexpr size_t kMaxManifestBytes = 16 * 1024 * 1024;
constexpr int kMaxFolderDepth = 32;
constexpr std::string_view kStandardInput = "-";

bool is_manifest_name(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

class Loader {
 public:
  Loader(env::Files& files, bool recursive) : files_(files), recursive_(recursive) {}

  void load_path(const std::string& path) {
    if (path == kStandardInput) {
      load_file(path, "<stdin>");
      return;
    }
    const auto type = files_.type(path);
    if (!type) {
      loaded_.unreadable.push_back(type.error().message);
    } else if (*type == env::Files::Type::directory) {
      if (load_folder(path, 0) == 0) {
        loaded_.unreadable.push_back(fmt::format(
            "{}: no manifest in this folder (recognized file extensions are .json .yaml .yml)",
            path));
      }
    } else {
      load_file(path, path);
    }
  }

  LoadedManifests take() { return std::move(loaded_); }

 private:
  // How many manifest files there were.
  size_t load_folder(const std::string& folder, int depth) {
    if (depth > kMaxFolderDepth) {
      loaded_.unreadable.push_back(
          fmt::format("{}: more than {} folders deep", folder, kMaxFolderDepth));
      return 1;
    }
    const auto names = files_.list(folder);
    if (!names) {
      loaded_.unreadable.push_back(names.error().message);
      return 1;
    }
    size_t found = 0;
    for (const auto& name : *names) {
      const std::string path = folder + "/" + name;
      const auto type = files_.type(path);
      if (type && *type == env::Files::Type::directory) {
        found += recursive_ ? load_folder(path, depth + 1) : 0;
      } else if (is_manifest_name(name)) {
        load_file(path, path);
        ++found;
      }
    }
    return found;
  }

  void load_file(const std::string& path, const std::string& source) {
    const auto text = files_.read(path, kMaxManifestBytes);
    if (!text) {
      loaded_.unreadable.push_back(text.error().message);
      return;
    }
    auto documents = api::parse_yaml(*text);
    if (!documents) {
      loaded_.malformed.push_back(fmt::format("{}: error: {}", source, documents.error().message));
      return;
    }
    if (documents->empty()) {
      loaded_.malformed.push_back(
          fmt::format("{}: error: there is no object in this file", source));
    }
    for (auto& document : *documents) {
      for (auto& object : api::split_list(std::move(document))) {
        loaded_.manifests.push_back({source, std::move(object)});
      }
    }
  }

  env::Files& files_;
  const bool recursive_;
  LoadedManifests loaded_;
};

}  // namespace

LoadedManifests load_manifests(env::Files& files, const ManifestOptions& options) {
  Loader loader(files, options.recursive);
  for (const auto& path : options.paths) {
    loader.load_path(path);
  }
  return loader.take();
}

std::string place_of(const Manifest& manifest, std::string_view field_path) {
  const api::SourcePosition position = manifest.document.find(field_path);
  return fmt::format("{}:{}:{}", manifest.source, position.line, position.column);
}

}  // namespace windlass::cli
