#include "cli/manifests/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/codec/json/json_value.h"
#include "api/codec/json/list_document.h"

namespace windlass::cli {
namespace {

// Far above any real manifest, and still harmless.
constexpr size_t kMaxManifestBytes = 16 * 1024 * 1024;
constexpr int kMaxFolderDepth = 32;
constexpr std::string_view kStandardInput = "-";

bool is_manifest_name(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".json");
}

// A list whose items all have a failure or an expectation (policy/case_file.h).
bool holds_cases(const api::YamlDocument& document) {
  if (!document.json.starts_with('[')) {
    return false;
  }
  auto tree = api::parse_json_value(document.json);
  return tree && !tree->value.items.empty() &&
         std::all_of(tree->value.items.begin(), tree->value.items.end(),
                     [](const api::JsonValue& item) {
                       return item.find("failure") != nullptr || item.find("expect") != nullptr;
                     });
}

class Loader {
 public:
  Loader(env::Files& files, bool recursive) : files_(files), recursive_(recursive) {}

  void load_path(const std::string& path) {
    if (path == kStandardInput) {
      load_file(path, "<stdin>", Named::by_user);
      return;
    }
    const auto type = files_.type(path);
    if (!type) {
      loaded_.unreadable.push_back(type.error().message);
    } else if (*type == env::Files::Type::directory) {
      if (load_folder(path, 0) == 0) {
        loaded_.unreadable.push_back(fmt::format(
            "{}: no manifest in this folder (with the extension .json, .yaml or .yml){}", path,
            recursive_ ? "" : "; use -R to recurse into subfolders"));
      }
    } else {
      load_file(path, path, Named::by_user);
    }
  }

  LoadedManifests take() { return std::move(loaded_); }

 private:
  // How many manifest files there were.
  size_t load_folder(const std::string& folder, int depth) {
    if (depth > kMaxFolderDepth) {
      loaded_.unreadable.push_back(
          fmt::format("{}: nested more than {} folders deep", folder, kMaxFolderDepth));
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
        found += load_file(path, path, Named::by_folder) ? 1U : 0U;
      }
    }
    return found;
  }

  enum class Named { by_user, by_folder };

  // False: the file is in a folder and holds cases for `windlass policy test`, no objects.
  bool load_file(const std::string& path, const std::string& source, Named named) {
    const auto text = files_.read(path, kMaxManifestBytes);
    if (!text) {
      loaded_.unreadable.push_back(text.error().message);
      return true;
    }
    auto documents = api::parse_yaml(*text);
    if (!documents) {
      loaded_.malformed.push_back(fmt::format("{}: error: {}", source, documents.error().message));
      return true;
    }
    if (named == Named::by_folder && documents->size() == 1 && holds_cases(documents->front())) {
      return false;
    }
    if (documents->empty()) {
      loaded_.malformed.push_back(fmt::format("{}: error: no object in this file", source));
    }
    for (auto& document : *documents) {
      for (auto& object : api::split_list(std::move(document))) {
        loaded_.manifests.push_back({source, std::move(object)});
      }
    }
    return true;
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
