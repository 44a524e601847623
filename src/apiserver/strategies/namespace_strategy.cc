// core/v1 Namespace: api.md N10-N12. A deleted one stays, Terminating, until its spec.finalizers
// are removed by the controller that empties it.
#include <algorithm>

#include "api/names.h"
#include "api/validate_metadata.h"
#include "apiserver/strategies/strategies.h"
#include "apiserver/verbs/request_errors.h"
#include "schema/core/v1/namespace.pb.h"

namespace windlass::apiserver {
namespace {

using api::core::v1::Namespace;

constexpr const char* kNameLabel = "kubernetes.io/metadata.name";
constexpr const char* kFinalizer = "kubernetes";
constexpr const char* kActive = "Active";
constexpr const char* kTerminating = "Terminating";

class NamespaceStrategy final : public Strategy {
 public:
  NamespaceStrategy()
      : Strategy(api::kinds::namespace_(), {.has_status = true, .delete_returns_object = true}) {}

  // On every write: policies of a cluster select namespaces by this label.
  void apply_defaults(Message& object, const Message*, const WriteContext&) const override {
    Namespace& made = as<Namespace>(object);
    auto& metadata = *made.mutable_metadata();
    if (!metadata.name().empty()) {
      (*metadata.mutable_labels())[kNameLabel] = metadata.name();
    }
    if (made.status().phase().empty()) {
      made.mutable_status()->set_phase(kActive);
    }
  }

  void prepare_for_create(Message& object, const WriteContext&) const override {
    Namespace& made = as<Namespace>(object);
    const auto& finalizers = made.spec().finalizers();
    if (std::ranges::find(finalizers, kFinalizer) == finalizers.end()) {
      made.mutable_spec()->add_finalizers(kFinalizer);
    }
    made.clear_status();
    made.mutable_status()->set_phase(kActive);
  }
  api::FieldErrors validate_create(const Message& object) const override {
    api::FieldErrors errors;
    api::validate_object_meta(errors, api::FieldPath("metadata"), api::metadata_of(object), false,
                              &api::check_dns1123_label);
    for (const std::string& finalizer : as<Namespace>(object).spec().finalizers()) {
      api::validate_finalizer_name(errors, api::FieldPath("spec").child("finalizers"), finalizer);
    }
    return errors;
  }

  void prepare_for_update(const Message& old, Message& object, const WriteContext&) const override {
    *as<Namespace>(object).mutable_spec() = as<Namespace>(old).spec();
    *as<Namespace>(object).mutable_status() = as<Namespace>(old).status();
  }
  void prepare_for_status_update(const Message& old, Message& object,
                                 const WriteContext&) const override {
    *as<Namespace>(object).mutable_spec() = as<Namespace>(old).spec();
  }
  // The path is the one that Kubernetes gives.
  api::FieldErrors validate_status_update(const Message& old,
                                          const Message& object) const override {
    api::FieldErrors errors = validate_update(old, object);
    const std::string& phase = as<Namespace>(object).status().phase();
    const api::FieldPath path = api::FieldPath("status").child("Phase");
    const bool deleted = api::metadata_of(object).has_deletion_timestamp();
    if (!deleted && phase != kActive) {
      errors.invalid(path, phase, "may only be 'Active' if `deletionTimestamp` is empty");
    } else if (deleted && phase != kTerminating) {
      errors.invalid(path, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
    }
    return errors;
  }

  // N14.
  std::optional<std::string> selectable(const Message& object,
                                        std::string_view field) const override {
    if (field == "status.phase") {
      return as<Namespace>(object).status().phase();
    }
    return Strategy::selectable(object, field);
  }
  std::string unselectable(std::string_view field) const override {
    return "field label not supported: " + std::string(field);
  }

  std::optional<Status> forbid_delete(const Message& object) const override {
    const std::string& name = api::metadata_of(object).name();
    if (name == "default" || name == "kube-system" || name == "kube-public") {
      return forbidden(resource_name(kind(), name), "this namespace may not be deleted");
    }
    return std::nullopt;
  }
  void mark_deleting(Message& object) const override {
    Namespace& deleted = as<Namespace>(object);
    deleted.mutable_metadata()->clear_deletion_grace_period_seconds();
    deleted.mutable_status()->set_phase(kTerminating);
  }
  bool is_held(const Message& object) const override {
    return !as<Namespace>(object).spec().finalizers().empty();
  }
};

}  // namespace

const Strategy& namespace_strategy() {
  static const NamespaceStrategy strategy;
  return strategy;
}

}  // namespace windlass::apiserver
