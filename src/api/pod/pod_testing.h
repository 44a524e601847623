// For tests only: messages from YAML, and error texts to compare.
#pragma once

#include <gmock/gmock.h>

#include <string>
#include <string_view>
#include <vector>

#include "api/codec/json/json.h"
#include "api/codec/yaml/yaml.h"
#include "api/field_error.h"
#include "api/pod/defaults/default_pod.h"
#include "api/pod/validation/validate_pod_spec.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::api::testing {

// A message from YAML, most readable in flow style: {name: a, image: b}.
template <class T>
T from_yaml(std::string_view text) {
  T message;
  const auto documents = parse_yaml(text);
  if (!documents || documents->size() != 1) {
    ADD_FAILURE() << "not one YAML document: " << text;
    return message;
  }
  if (const auto decoded = decode_json(documents->front().json, message); !decoded) {
    ADD_FAILURE() << decoded.error().message << " in " << text;
  } else if (!decoded->problems.empty()) {
    ADD_FAILURE() << decoded->problems.front().text() << " in " << text;
  }
  return message;
}

inline std::vector<std::string> error_texts(const FieldErrors& errors) {
  std::vector<std::string> texts;
  for (const FieldError& error : errors.all()) {
    texts.push_back(error.text());
  }
  return texts;
}

// A pod named p with this spec, defaults set.
inline core::v1::Pod pod_with_spec(std::string_view spec_yaml) {
  core::v1::Pod pod;
  pod.mutable_metadata()->set_name("p");
  pod.mutable_metadata()->set_namespace_("default");
  *pod.mutable_spec() = from_yaml<core::v1::PodSpec>(spec_yaml);
  default_pod(pod);
  return pod;
}

// The errors of such a pod.
inline std::vector<std::string> spec_errors(std::string_view spec_yaml) {
  FieldErrors errors;
  validate_pod(errors, pod_with_spec(spec_yaml));
  return error_texts(errors);
}

// The errors of a pod with one container `c` of image `i`, and these further fields of the spec
// (`hostname: a, subdomain: b`).
inline std::vector<std::string> errors_with(const std::string& fields) {
  return spec_errors("{containers: [{name: c, image: i}], " + fields + "}");
}

// The errors of a pod with one container that has these further fields.
inline std::vector<std::string> container_errors(const std::string& fields) {
  return spec_errors("{containers: [{name: c, image: i, " + fields + "}]}");
}

}  // namespace windlass::api::testing
