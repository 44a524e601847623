// The parts of warnings_pod, one file each. `spec` is the path of the pod's spec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/field_error.h"
#include "api/pod/defaults/default_pod_parts.h"

namespace windlass::api::core::v1 {
class PodSpec;
}

namespace windlass::api {

// Texts in the order they were found; texts beyond a limit are left out.
class PodWarnings {
 public:
  void add(const FieldPath& path, std::string_view text) {
    if (!full()) {
      texts_.push_back(path.text() + ": " + std::string(text));
    }
  }
  // Of a thing that is called by its name, not by its path.
  void add(std::string text) {
    if (!full()) {
      texts_.push_back(std::move(text));
    }
  }
  bool full() const { return texts_.size() >= kMaxWarnings; }
  std::vector<std::string> take() { return std::move(texts_); }

 private:
  static constexpr size_t kMaxWarnings = 200;
  std::vector<std::string> texts_;
};

void warn_about_placement(PodWarnings& warnings, const FieldPath& spec_path,
                          const core::v1::PodSpec& spec);
void warn_about_pod_affinity(PodWarnings& warnings, const FieldPath& spec_path,
                             const core::v1::PodSpec& spec);
void warn_about_volumes(PodWarnings& warnings, const FieldPath& spec_path,
                        const core::v1::PodSpec& spec);
// Bytes that are no whole number.
void warn_about_fraction(PodWarnings& warnings, const FieldPath& path, const ResourceMap& resources,
                         const std::string& name);
void warn_about_containers(PodWarnings& warnings, const FieldPath& spec_path,
                           const core::v1::PodSpec& spec);
void warn_about_ports(PodWarnings& warnings, const FieldPath& spec_path,
                      const core::v1::PodSpec& spec);

}  // namespace windlass::api
