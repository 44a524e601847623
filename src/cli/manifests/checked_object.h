// A manifest that is decoded, defaulted and validated, with its errors as lines that a person (and
// an editor) can follow to the place in the file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/feature_gates.h"
#include "api/kind.h"
#include "apiserver/verbs/write_options.h"
#include "cli/manifests/manifest.h"

namespace windlass::cli {

using apiserver::FieldValidation;

struct Diagnostic {
  std::string path;  // spec.parallelism; "" for the whole document
  std::string text;
  std::string line;  // `job.yaml:7:3: error: spec.parallelism: ...`
};

struct CheckedObject {
  const api::Kind* kind = nullptr;  // nullptr when the manifest names no kind known here
  // Defaulted; nullptr if it cannot be decoded, and for a kind that only other clusters have, which
  // is a warning and not an error.
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
