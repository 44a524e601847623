#include "cli/manifests/checked_object.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "api/codec/json/json.h"
#include "api/job/job_manifest.h"
#include "api/kind.h"
#include "api/names.h"
#include "api/object.h"
#include "api/pod/defaults/default_pod.h"
#include "api/pod/validation/validate_pod_spec.h"
#include "api/pod/warnings/unsupported_fields.h"
#include "api/pod/warnings/warnings_pod.h"
#include "api/validate_metadata.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::cli {

namespace {

// Validates a manifest of any kind but Job (api/job/job_manifest.h) as a create request would: pods
// are defaulted and validated in full, other kinds have their metadata validated. The checks use
// placeholders for values that only a server knows (namespace, the end of a generated name); the
// object itself gets none of them.

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

}  // namespace

namespace {

// job.batch/demo, pod/p
std::string title_of(const api::Kind& kind, const std::string& name) {
  if (kind.group.empty()) {
    return fmt::format("{}/{}", kind.singular, name);
  }
  return fmt::format("{}.{}/{}", kind.singular, kind.group, name);
}

std::string problem_text(const api::FieldProblem& problem) {
  if (problem.suggestion.empty()) {
    return problem.text();
  }
  return fmt::format("{}, did you mean \"{}\"?", problem.text(), problem.suggestion);
}

// Kinds of Kubernetes without a schema here, in groups without a domain.
constexpr std::pair<std::string_view, std::string_view> kKindsElsewhere[] = {
    {"v1", "Endpoints"},
    {"v1", "LimitRange"},
    {"v1", "PersistentVolume"},
    {"v1", "PersistentVolumeClaim"},
    {"v1", "ReplicationController"},
    {"v1", "ResourceQuota"},
    {"apps/v1", "ControllerRevision"},
    {"apps/v1", "DaemonSet"},
    {"apps/v1", "Deployment"},
    {"apps/v1", "ReplicaSet"},
    {"apps/v1", "StatefulSet"},
    {"autoscaling/v1", "HorizontalPodAutoscaler"},
    {"autoscaling/v2", "HorizontalPodAutoscaler"},
    {"batch/v1", "CronJob"},
};

// Whether a kind without a schema here may exist in a cluster. Then the manifest is not wrong.
bool is_elsewhere(const api::TypeMeta& type) {
  const std::string group = type.api_version.substr(0, type.api_version.find('/'));
  const auto known = api::all_kinds();
  if (is_of_a_domain(type.api_version) &&
      std::none_of(known.begin(), known.end(),
                   [&group](const api::Kind& kind) { return kind.group == group; })) {
    return true;
  }
  return std::any_of(std::begin(kKindsElsewhere), std::end(kKindsElsewhere),
                     [&type](const auto& pair) {
                       return pair.first == type.api_version && pair.second == type.kind;
                     });
}

class ManifestChecker {
 public:
  ManifestChecker(const Manifest& manifest, const CheckOptions& options)
      : manifest_(manifest), options_(options) {}

  CheckedObject check() {
    if (find_kind() && decode()) {
      judge_fields();
      default_and_validate();
    }
    return std::move(checked_);
  }

 private:
  void error(std::string_view path, std::string_view text) {
    checked_.errors.push_back({std::string(path), std::string(text),
                               fmt::format("{}: error: {}", place_of(manifest_, path), text)});
  }
  void warning(std::string_view path, std::string_view text) {
    checked_.warnings.push_back({std::string(path), std::string(text),
                                 fmt::format("{}: warning: {}", place_of(manifest_, path), text)});
  }

  bool find_kind() {
    const auto type = api::peek_json_type(manifest_.document.json);
    if (!type) {
      error("", type.error().message);
      return false;
    }
    if (type->kind.empty()) {
      error("", "Object 'Kind' is missing");
      return false;
    }
    if (type->api_version.empty()) {
      error("kind", "Object 'apiVersion' is missing");
      return false;
    }
    checked_.kind = api::find_kind(type->api_version, type->kind);
    if (checked_.kind == &api::kinds::attempt()) {
      error("kind", "an Attempt is recorded when a pod ends and cannot be created");
      return false;
    }
    if (checked_.kind == nullptr && is_elsewhere(*type)) {
      warning("kind", fmt::format("kind \"{}\" in version \"{}\" is unknown and was not checked",
                                  type->kind, type->api_version));
      return false;
    }
    if (checked_.kind == nullptr) {
      error("kind", fmt::format("no matches for kind \"{}\" in version \"{}\"", type->kind,
                                type->api_version));
      return false;
    }
    return true;
  }

  bool decode() {
    checked_.object = checked_.kind->make();
    auto decoded = api::decode_json(manifest_.document.json, *checked_.object);
    if (!decoded) {
      const auto& causes = decoded.error().details.causes;
      error(causes.empty() ? "" : causes.front().field, decoded.error().message);
      checked_.object.reset();
      return false;
    }
    problems_ = std::move(decoded->problems);
    checked_.title = title_of(*checked_.kind, api::metadata_of(*checked_.object).name());
    return true;
  }

  void judge_fields() {
    if (options_.fields == FieldValidation::ignore) {
      return;
    }
    for (const auto& path : manifest_.document.duplicate_keys) {
      problems_.push_back({api::FieldProblem::Type::duplicate, path, ""});
    }
    for (const auto& problem : problems_) {
      if (options_.fields == FieldValidation::strict) {
        error(problem.path, problem_text(problem));
      } else {
        warning(problem.path, problem_text(problem));
      }
    }
  }

  void default_and_validate() {
    const api::ManifestCheck check =
        checked_.kind == &api::kinds::job()
            ? api::check_job_manifest(static_cast<api::batch::v1::Job&>(*checked_.object),
                                      options_.gates)
            : check_other_kind(*checked_.kind, *checked_.object);
    for (const auto& found : check.errors.all()) {
      error(found.field, found.text());
    }
    for (const auto& text : check.warnings) {
      warning("", text);
    }
    for (const api::UnsupportedField& field : unsupported()) {
      warning(field.path, field.text() + " (on a Windlass node)");
    }
  }

  std::vector<api::UnsupportedField> unsupported() const {
    const api::FieldPath spec("spec");
    if (checked_.kind == &api::kinds::job()) {
      const auto& job = static_cast<const api::batch::v1::Job&>(*checked_.object);
      return api::unsupported_fields(spec.child("template").child("spec"),
                                     job.spec().template_().spec());
    }
    if (checked_.kind == &api::kinds::pod()) {
      return api::unsupported_fields(
          spec, static_cast<const api::core::v1::Pod&>(*checked_.object).spec());
    }
    return {};
  }

  const Manifest& manifest_;
  const CheckOptions& options_;
  CheckedObject checked_;
  std::vector<api::FieldProblem> problems_;
};

}  // namespace

bool is_of_a_domain(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  return slash != std::string_view::npos &&
         api_version.substr(0, slash).find('.') != std::string_view::npos;
}

CheckedObject check_manifest(const Manifest& manifest, const CheckOptions& options) {
  return ManifestChecker(manifest, options).check();
}

}  // namespace windlass::cli
