// A manifest on its way to being used: decoded, its unknown fields judged, defaulted and validated,
// with everything that is wrong as lines a person (and an editor) can follow to the place.
#pragma once

#include <memory>
#include <string>
#include <string_view>
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
  const api::Kind* kind = nullptr;  // nullptr when the manifest names no kind known here
  // Defaulted; nullptr when it could not be decoded, and for a kind that other clusters have: that
  // is no error, and a warning tells it.
  std::shared_ptr<api::Message> object;
  std::string title;  // job.batch/demo
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;

  bool valid() const { return errors.empty(); }
};

struct CheckOptions {
  FieldValidation fields = FieldValidation::strict;
  api::FeatureGates gates;
};

// Whether the group is a domain, as those of extensions are: batch.volcano.sh/v1alpha1.
bool is_of_a_domain(std::string_view api_version);

CheckedObject check_manifest(const Manifest& manifest, const CheckOptions& options);

}  // namespace windlass::cli
