// Manifests from the command line: files, folders, standard input; YAML or JSON; several documents
// per file; the items of a `kind: List`. Skips files of cases for `windlass policy test` in
// folders. For every command that takes -f.
#pragma once

#include <string>
#include <vector>

#include "api/codec/yaml/yaml.h"
#include "api/kind.h"
#include "api/object.h"
#include "env/files.h"

namespace windlass::cli {

// One object of a manifest file, not decoded yet.
struct Manifest {
  std::string source;  // job.yaml, or <stdin>
  api::YamlDocument document;
};

struct ManifestOptions {
  std::vector<std::string> paths;  // "-" is standard input
  bool recursive = false;          // into subfolders
  bool may_be_missing = false;     // the command knows others
};

struct LoadedManifests {
  std::vector<Manifest> manifests;
  std::vector<std::string> unreadable;  // one text per path that could not be read
  std::vector<std::string> malformed;   // one text per file that is not YAML, with line and column
};

// Reads all files and reports all errors instead of stopping at the first.
LoadedManifests load_manifests(env::Files& files, const ManifestOptions& options);

// `job.yaml:7:3`, the place of a field of this manifest.
std::string place_of(const Manifest& manifest, std::string_view field_path);

}  // namespace windlass::cli
