#include "cli/manifests/checked_kinds.h"

#include "api/generate_name.h"
#include "api/names.h"
#include "api/pod/defaults/default_pod.h"
#include "api/pod/validation/validate_pod_spec.h"
#include "api/pod/warnings/warnings_pod.h"
#include "api/validate_metadata.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

using ObjectMeta = api::meta::v1::ObjectMeta;

// As long as what a server would append, and of the same letters (api.md J53).
constexpr const char* kStandInSuffix = "bcdfg";

void stand_in_for_server(const api::Kind& kind, ObjectMeta& metadata) {
  if (kind.namespaced && metadata.namespace_().empty()) {
    metadata.set_namespace_("default");
  }
  if (metadata.name().empty() && !metadata.generate_name().empty()) {
    metadata.set_name(metadata.generate_name().substr(0, api::kMaxGeneratedBaseBytes) +
                      kStandInSuffix);
  }
}

api::ManifestCheck check_pod(const api::Kind& kind, api::core::v1::Pod& pod) {
  api::default_pod(pod);
  api::core::v1::Pod created = pod;
  stand_in_for_server(kind, *created.mutable_metadata());
  api::ManifestCheck check;
  api::validate_pod(check.errors, created);
  check.warnings = api::pod_warnings(created);
  return check;
}

}  // namespace

api::ManifestCheck check_other_kind(const api::Kind& kind, api::Message& object) {
  if (&kind == &api::kinds::pod()) {
    return check_pod(kind, static_cast<api::core::v1::Pod&>(object));
  }
  api::ManifestCheck check;
  // The body of a request (Eviction, Binding) is not stored, and has its name from the request.
  if (kind.list_prototype == nullptr) {
    return check;
  }
  ObjectMeta metadata = api::metadata_of(object);
  stand_in_for_server(kind, metadata);
  const auto check_name = &kind == &api::kinds::namespace_() ? &api::check_dns1123_label
                                                             : &api::check_dns1123_subdomain;
  api::validate_object_meta(check.errors, api::FieldPath("metadata"), metadata, kind.namespaced,
                            check_name);
  return check;
}

}  // namespace windlass::cli
