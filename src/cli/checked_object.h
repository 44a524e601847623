// A manifest on its way to being used: decoded, its unknown fields judged, defaulted and validated,
// with everything that is wrong as lines a person (and an editor) can follow to the place.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "cli/command_line.h"
#include "cli/manifest.h"

namespace windlass::cli {

struct Diagnostic {
  std::string path;  // spec.parallelism; "" for the whole document
  std::string text;
  std::string line;  // `job.yaml:7:3: error: spec.parallelism: ...`
};

struct CheckedObject {
  const api::Kind* kind = nullptr;       // nullptr when the manifest names no kind known here
  std::shared_ptr<api::Message> object;  // defaulted; nullptr when it could not be decoded
  std::string title;                     // job.batch/demo
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;

  bool valid() const { return errors.empty(); }
};

struct CheckOptions {
  FieldValidation fields = FieldValidation::strict;
  api::FeatureGates gates;
};

CheckedObject check_manifest(const Manifest& manifest, const CheckOptions& options);

}  // namespace windlass::cli
