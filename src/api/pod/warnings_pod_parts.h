// The parts of warnings_pod, one file each. `spec` is the path of the pod's spec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/field_error.h"

namespace windlass::api::core::v1 {
class PodSpec;
}

namespace windlass::api {

// Texts in the order they were found; so many that nobody reads on are left out.
class PodWarnings {
 public:
  void add(const FieldPath& path, std::string_view text) {
    if (!full()) {
      texts_.push_back(path.text() + ": " + std::string(text));
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
void warn_about_containers(PodWarnings& warnings, const FieldPath& spec_path,
                           const core::v1::PodSpec& spec);
void warn_about_ports(PodWarnings& warnings, const FieldPath& spec_path,
                      const core::v1::PodSpec& spec);

}  // namespace windlass::api
