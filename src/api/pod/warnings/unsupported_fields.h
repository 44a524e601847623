// The fields of a pod that a Windlass node does not honour: one table, for the node that runs the
// pod and for the commands that look at manifests. A cluster's own nodes may honour them all.
// Expects defaults to be set. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/field_error.h"

namespace windlass::api::core::v1 {
class PodSpec;
}  // namespace windlass::api::core::v1

namespace windlass::api {

struct UnsupportedField {
  enum class Effect : uint8_t {
    ignored,  // the pod runs as if it were not there
    refused,  // it asks for protection that the node cannot give: the pod is rejected
  };
  // `hostUsers: false` alone depends on the node: where each container has a user namespace, it is
  // given.
  enum class Unless : uint8_t { never, user_namespaces };

  std::string path;
  Effect effect = Effect::ignored;
  std::string why;     // a clause: "this node has no terminals"
  std::string reason;  // of the rejection, in a kubelet's words where it has one
  Unless unless = Unless::never;

  // `spec.containers[0].tty is ignored: ...`
  std::string text() const;
  bool operator==(const UnsupportedField&) const = default;
};

// `path` is that of the spec: spec.template.spec in a Job.
std::vector<UnsupportedField> unsupported_fields(const FieldPath& path,
                                                 const core::v1::PodSpec& spec);

// Settings of the kernel that a container has for itself, by their names with dots.
bool is_namespaced_sysctl(std::string_view name);
// The name with dots for one that may be written with slashes.
std::string sysctl_name(std::string_view name);

}  // namespace windlass::api
