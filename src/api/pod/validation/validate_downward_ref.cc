// fieldRef and resourceFieldRef, in env and in volumes (api.md P3, P34).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/core/v1/env.pb.h"

namespace windlass::api {
namespace {

constexpr std::string_view kKnownPaths[] = {
    "metadata.annotations", "metadata.labels", "metadata.name",      "metadata.namespace",
    "metadata.uid",         "spec.nodeName",   "spec.restartPolicy", "spec.serviceAccountName",
    "spec.schedulerName",   "status.phase",    "status.hostIP",      "status.hostIPs",
    "status.podIP",         "status.podIPs",   "spec.host",
};

// Sorted: this is how an error lists them.
const std::vector<std::string_view>& supported_paths(DownwardUse use) {
  static const std::vector<std::string_view> kEnv = {"metadata.name",
                                                     "metadata.namespace",
                                                     "metadata.uid",
                                                     "spec.nodeName",
                                                     "spec.serviceAccountName",
                                                     "status.hostIP",
                                                     "status.hostIPs",
                                                     "status.podIP",
                                                     "status.podIPs"};
  static const std::vector<std::string_view> kVolume = {"metadata.annotations", "metadata.labels",
                                                        "metadata.name", "metadata.namespace",
                                                        "metadata.uid"};
  return use == DownwardUse::env ? kEnv : kVolume;
}

const std::vector<std::string_view>& supported_resources() {
  static const std::vector<std::string_view> kResources = {
      "limits.cpu",   "limits.ephemeral-storage",   "limits.memory",
      "requests.cpu", "requests.ephemeral-storage", "requests.memory"};
  return kResources;
}

template <class List>
bool contains(const List& list, std::string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

struct Subscripted {
  std::string_view path;
  std::string_view key;
};

// metadata.labels['key']
std::optional<Subscripted> split_subscript(std::string_view text) {
  if (!text.ends_with("']")) {
    return std::nullopt;
  }
  const std::string_view inner = text.substr(0, text.size() - 2);
  const size_t open = inner.find("['");
  if (open == std::string_view::npos || open == 0) {
    return std::nullopt;
  }
  return Subscripted{inner.substr(0, open), inner.substr(open + 2)};
}

void invalid_path(FieldErrors& errors, const FieldPath& path, const std::string& field_path,
                  std::string_view why) {
  errors.invalid(path.child("fieldPath"), field_path,
                 fmt::format("error converting fieldPath: {}", why));
}

void validate_subscript(FieldErrors& errors, const FieldPath& path, const Subscripted& subscript,
                        const std::string& field_path) {
  if (subscript.path == "metadata.annotations") {
    add_problems(errors, path, subscript.key, check_annotation_key(subscript.key));
  } else if (subscript.path == "metadata.labels") {
    add_problems(errors, path, subscript.key, check_qualified_name(subscript.key));
  } else {
    invalid_path(errors, path, field_path,
                 fmt::format("field label does not support subscript: {}", field_path));
  }
}

bool is_huge_pages(std::string_view resource) {
  return resource.starts_with("requests.hugepages-") || resource.starts_with("limits.hugepages-");
}

bool is_byte_unit(std::string_view divisor) {
  static constexpr std::string_view kUnits[] = {"1",   "1k",  "1M",  "1G",  "1T",  "1P", "1E",
                                                "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"};
  return contains(kUnits, divisor);
}

void validate_divisor(FieldErrors& errors, const FieldPath& path, const std::string& resource,
                      std::string_view divisor) {
  if (divisor.empty() || divisor == "0") {
    return;
  }
  if (resource == "limits.cpu" || resource == "requests.cpu") {
    if (divisor != "1m" && divisor != "1") {
      errors.invalid(path.child("divisor"), resource,
                     "only divisor's values 1m and 1 are supported with the cpu resource");
    }
    return;
  }
  std::string_view what;
  if (resource == "limits.memory" || resource == "requests.memory") {
    what = "memory";
  } else if (resource == "limits.ephemeral-storage" || resource == "requests.ephemeral-storage") {
    what = "local ephemeral storage";
  } else if (is_huge_pages(resource)) {
    what = "hugepages";
  }
  if (!what.empty() && !is_byte_unit(divisor)) {
    errors.invalid(path.child("divisor"), resource,
                   fmt::format("only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, "
                               "1Ti, 1Pi, 1Ei are supported with the {} resource",
                               what));
  }
}

}  // namespace

void validate_field_ref(FieldErrors& errors, const FieldPath& path,
                        const core::v1::ObjectFieldSelector& reference, DownwardUse use) {
  const std::string& field_path = reference.field_path();
  if (reference.api_version().empty()) {
    errors.required(path.child("apiVersion"));
  } else if (field_path.empty()) {
    errors.required(path.child("fieldPath"));
  } else if (reference.api_version() != "v1") {
    invalid_path(errors, path, field_path,
                 fmt::format("unsupported pod version: {}", reference.api_version()));
  } else if (const auto subscript = split_subscript(field_path)) {
    validate_subscript(errors, path, *subscript, field_path);
  } else if (!contains(kKnownPaths, field_path)) {
    invalid_path(errors, path, field_path,
                 fmt::format("field label not supported: {}", field_path));
  } else {
    // An old name for the node.
    std::string_view name = field_path;
    if (name == "spec.host") {
      name = "spec.nodeName";
    }
    if (!contains(supported_paths(use), name)) {
      errors.not_supported(path.child("fieldPath"), name, supported_paths(use));
    }
  }
}

void validate_resource_ref(FieldErrors& errors, const FieldPath& path,
                           const core::v1::ResourceFieldSelector& reference, DownwardUse use) {
  if (use == DownwardUse::volume && reference.container_name().empty()) {
    errors.required(path.child("containerName"));
  } else if (reference.resource().empty()) {
    errors.required(path.child("resource"));
  } else if (!contains(supported_resources(), reference.resource()) &&
             !is_huge_pages(reference.resource())) {
    errors.not_supported(path.child("resource"), reference.resource(), supported_resources());
  }
  validate_divisor(errors, path, reference.resource(), reference.divisor().string());
}

}  // namespace windlass::api
