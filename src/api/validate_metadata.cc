#include "api/validate_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/codec/json/json.h"
#include "api/equality.h"
#include "base/time.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::api {
namespace {

using meta::v1::ObjectMeta;
using meta::v1::OwnerReference;

// Each such error prints the whole list.
constexpr int kMaxControllerErrors = 8;
constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kImmutable = "field is immutable";

// What is appended to a prefix makes its trailing dash harmless.
NameProblems check_generate_name(const std::string& prefix, NameCheck check_name) {
  if (prefix.size() > 1 && prefix.ends_with('-')) {
    return check_name(prefix.substr(0, prefix.size() - 2) + "a");
  }
  return check_name(prefix);
}

void validate_name(FieldErrors& errors, const FieldPath& path, const ObjectMeta& metadata,
                   NameCheck check_name) {
  if (!metadata.generate_name().empty()) {
    add_problems(errors, path.child("generateName"), metadata.generate_name(),
                 check_generate_name(metadata.generate_name(), check_name));
  }
  if (metadata.name().empty()) {
    errors.required(path.child("name"), "name or generateName is required");
  } else {
    add_problems(errors, path.child("name"), metadata.name(), check_name(metadata.name()));
  }
}

void validate_namespace(FieldErrors& errors, const FieldPath& path, const std::string& ns,
                        bool namespaced) {
  if (!namespaced) {
    if (!ns.empty()) {
      errors.forbidden(path, "not allowed on this type");
    }
  } else if (ns.empty()) {
    errors.required(path);
  } else {
    add_problems(errors, path, ns, check_dns1123_label(ns));
  }
}

// The version of `group/version`; empty where there is none or the text has another form.
std::string_view version_of(std::string_view api_version) {
  const size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) {
    return api_version;
  }
  const std::string_view version = api_version.substr(slash + 1);
  return version.find('/') == std::string_view::npos ? version : std::string_view();
}

void validate_owner_reference(FieldErrors& errors, const FieldPath& path,
                              const OwnerReference& reference) {
  if (version_of(reference.api_version()).empty()) {
    errors.invalid(path.child("apiVersion"), reference.api_version(), "version must not be empty");
  }
  if (reference.kind().empty()) {
    errors.invalid(path.child("kind"), reference.kind(), "must not be empty");
  }
  if (reference.name().empty()) {
    errors.invalid(path.child("name"), reference.name(), "must not be empty");
  }
  if (reference.uid().empty()) {
    errors.invalid(path.child("uid"), reference.uid(), "must not be empty");
  }
  if (reference.api_version() == "v1" && reference.kind() == "Event") {
    errors.invalid(path, BadValue::message(reference),
                   "/v1, Kind=Event is disallowed from being an owner");
  }
}

BadValue as_json_list(const google::protobuf::RepeatedPtrField<OwnerReference>& references) {
  std::string text = "[";
  for (const OwnerReference& reference : references) {
    text += (text.size() > 1 ? "," : "") + to_json(reference);
  }
  return BadValue::json(text + "]");
}

void validate_owner_references(FieldErrors& errors, const FieldPath& path,
                               const ObjectMeta& metadata) {
  std::string controller;
  int conflicts = 0;
  for (const OwnerReference& reference : metadata.owner_references()) {
    validate_owner_reference(errors, path, reference);
    if (!reference.controller()) {
      continue;
    }
    const std::string name = reference.kind() + "/" + reference.name();
    if (controller.empty()) {
      controller = name;
    } else if (++conflicts <= kMaxControllerErrors) {
      errors.invalid(path, as_json_list(metadata.owner_references()),
                     fmt::format("Only one reference can have Controller set to true. Found "
                                 "\"true\" in references for {} and {}",
                                 controller, name));
    }
  }
}

void validate_finalizers(FieldErrors& errors, const FieldPath& path, const ObjectMeta& metadata) {
  bool orphan = false;
  bool foreground = false;
  for (const std::string& finalizer : metadata.finalizers()) {
    add_problems(errors, path, finalizer, check_qualified_name(finalizer));
    orphan = orphan || finalizer == kOrphan;
    foreground = foreground || finalizer == kForeground;
  }
  if (!orphan || !foreground) {
    return;
  }
  std::string list;
  for (const std::string& finalizer : metadata.finalizers()) {
    list += (list.empty() ? "" : ",") + go_quote(finalizer);
  }
  errors.invalid(path, BadValue::json("[" + list + "]"),
                 fmt::format("finalizer {} and {} cannot be both set", kOrphan, kForeground));
}

void validate_finalizer_prefix(FieldErrors& errors, const FieldPath& path,
                               const std::string& finalizer) {
  if (finalizer.find('/') == std::string::npos && finalizer != kOrphan &&
      finalizer != kForeground && finalizer != "kubernetes") {
    errors.invalid(path, finalizer,
                   "name is neither a standard finalizer name nor is it fully qualified");
  }
}

void validate_finalizer_prefixes(FieldErrors& errors, const FieldPath& path,
                                 const ObjectMeta& metadata) {
  for (int i = 0; i < metadata.finalizers_size(); ++i) {
    validate_finalizer_prefix(errors, path.index(static_cast<size_t>(i)), metadata.finalizers(i));
  }
}

void validate_no_new_finalizers(FieldErrors& errors, const FieldPath& path,
                                const ObjectMeta& changed, const ObjectMeta& old) {
  std::set<std::string> added(changed.finalizers().begin(), changed.finalizers().end());
  for (const std::string& finalizer : old.finalizers()) {
    added.erase(finalizer);
  }
  if (added.empty()) {
    return;
  }
  std::string list;
  for (const std::string& finalizer : added) {
    list += (list.empty() ? "" : ", ") + go_quote(finalizer);
  }
  errors.forbidden(path, fmt::format("no new finalizers can be added if the object is being "
                                     "deleted, found new finalizers []string{{{}}}",
                                     list));
}

void keep_text(FieldErrors& errors, const FieldPath& path, const std::string& changed,
               const std::string& old) {
  if (changed != old) {
    errors.invalid(path, changed, kImmutable);
  }
}

void keep_time(FieldErrors& errors, const FieldPath& path, const meta::v1::Time* changed,
               const meta::v1::Time* old) {
  static const meta::v1::Time kZero;
  if (!semantically_equal(changed == nullptr ? kZero : *changed, old == nullptr ? kZero : *old)) {
    errors.invalid(path,
                   changed == nullptr
                       ? BadValue::null()
                       : BadValue(format_rfc3339(time_from_unix(changed->seconds()))),
                   kImmutable);
  }
}

// Labels, annotations and owner references: the same on create and update.
void validate_common(FieldErrors& errors, const FieldPath& path, const ObjectMeta& metadata) {
  validate_labels(errors, path.child("labels"), metadata.labels());
  validate_annotations(errors, path.child("annotations"), metadata.annotations());
  validate_owner_references(errors, path.child("ownerReferences"), metadata);
}

void validate_named_meta(FieldErrors& errors, const FieldPath& path, const ObjectMeta& metadata,
                         bool namespaced, NameCheck check_name) {
  validate_name(errors, path, metadata, check_name);
  validate_namespace(errors, path.child("namespace"), metadata.namespace_(), namespaced);
  if (metadata.generation() < 0) {
    errors.invalid(path.child("generation"), BadValue::number(metadata.generation()),
                   "must be greater than or equal to 0");
  }
  validate_common(errors, path, metadata);
  validate_finalizers(errors, path.child("finalizers"), metadata);
}

}  // namespace

void validate_finalizer_name(FieldErrors& errors, const FieldPath& path, const std::string& name) {
  add_problems(errors, path, name, check_qualified_name(name));
  validate_finalizer_prefix(errors, path, name);
}

void validate_labels(FieldErrors& errors, const FieldPath& path, const StringMap& labels) {
  const bool good = std::all_of(labels.begin(), labels.end(), [](const auto& label) {
    return check_qualified_name(label.first).empty() && check_label_value(label.second).empty();
  });
  if (good) {
    return;
  }
  for (std::string_view key : sorted_keys(labels)) {
    const std::string& value = labels.at(std::string(key));
    add_problems(errors, path, key, check_qualified_name(key));
    add_problems(errors, path, value, check_label_value(value));
  }
}

void validate_annotations(FieldErrors& errors, const FieldPath& path,
                          const StringMap& annotations) {
  size_t bytes = 0;
  bool good = true;
  for (const auto& [key, value] : annotations) {
    bytes += key.size() + value.size();
    good = good && check_annotation_key(key).empty();
  }
  if (!good) {
    for (std::string_view key : sorted_keys(annotations)) {
      add_problems(errors, path, key, check_annotation_key(key));
    }
  }
  if (bytes > kMaxAnnotationBytes) {
    errors.too_long(path, kMaxAnnotationBytes);
  }
}

void validate_object_meta(FieldErrors& errors, const FieldPath& path, const ObjectMeta& metadata,
                          bool namespaced, NameCheck check_name) {
  validate_named_meta(errors, path, metadata, namespaced, check_name);
  validate_finalizer_prefixes(errors, path.child("finalizers"), metadata);
}

void validate_generic_meta(FieldErrors& errors, const FieldPath& path, const ObjectMeta& metadata,
                           bool namespaced) {
  validate_named_meta(errors, path, metadata, namespaced, &check_path_segment);
}

void validate_generic_update(FieldErrors& errors, const FieldPath& path, const ObjectMeta& changed,
                             const ObjectMeta& old, bool namespaced) {
  validate_generic_meta(errors, path, changed, namespaced);
  validate_meta_update(errors, path, changed, old);
}

void validate_meta_update(FieldErrors& errors, const FieldPath& path, const ObjectMeta& changed,
                          const ObjectMeta& old) {
  if (old.has_deletion_timestamp()) {
    validate_no_new_finalizers(errors, path.child("finalizers"), changed, old);
  }
  if (changed.generation() < old.generation()) {
    errors.invalid(path.child("generation"), BadValue::number(changed.generation()),
                   "must not be decremented");
  }
  keep_text(errors, path.child("name"), changed.name(), old.name());
  keep_text(errors, path.child("namespace"), changed.namespace_(), old.namespace_());
  keep_text(errors, path.child("uid"), changed.uid(), old.uid());
  keep_time(errors, path.child("creationTimestamp"),
            changed.has_creation_timestamp() ? &changed.creation_timestamp() : nullptr,
            old.has_creation_timestamp() ? &old.creation_timestamp() : nullptr);
  keep_time(errors, path.child("deletionTimestamp"),
            changed.has_deletion_timestamp() ? &changed.deletion_timestamp() : nullptr,
            old.has_deletion_timestamp() ? &old.deletion_timestamp() : nullptr);
  if (changed.has_deletion_grace_period_seconds() != old.has_deletion_grace_period_seconds() ||
      changed.deletion_grace_period_seconds() != old.deletion_grace_period_seconds()) {
    errors.invalid(path.child("deletionGracePeriodSeconds"),
                   changed.has_deletion_grace_period_seconds()
                       ? BadValue::number(changed.deletion_grace_period_seconds())
                       : BadValue::null(),
                   kImmutable);
  }
  validate_common(errors, path, changed);
}

void validate_object_meta_update(FieldErrors& errors, const FieldPath& path,
                                 const ObjectMeta& changed, const ObjectMeta& old) {
  validate_meta_update(errors, path, changed, old);
  validate_finalizer_prefixes(errors, path.child("finalizers"), changed);
}

std::string deduplicate_owner_references(ObjectMeta& metadata) {
  if (metadata.owner_references_size() < 2) {
    return "";
  }
  auto& references = *metadata.mutable_owner_references();
  // Only those with the same names are compared: of these few can differ. Elements stay where they
  // are in memory, whatever their order in the list.
  using Names = std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>;
  std::map<Names, std::vector<const OwnerReference*>> kept_by_names;
  std::string repeated;
  int kept = 0;
  for (int i = 0; i < references.size(); ++i) {
    const OwnerReference& reference = references[i];
    std::vector<const OwnerReference*>& alike = kept_by_names[{
        reference.uid(), reference.name(), reference.kind(), reference.api_version()}];
    const bool seen = std::ranges::any_of(alike, [&](const OwnerReference* earlier) {
      return semantically_equal(*earlier, reference);
    });
    if (seen) {
      repeated += (repeated.empty() ? "" : ", ") + reference.uid();
      continue;
    }
    alike.push_back(&reference);
    references.SwapElements(kept++, i);
  }
  references.DeleteSubrange(kept, references.size() - kept);
  if (repeated.empty()) {
    return "";
  }
  return ".metadata.ownerReferences contains duplicate entries; API server dedups owner references "
         "in 1.20+, and may reject such requests as early as 1.24; please fix your requests; "
         "duplicate UID(s) observed: " +
         repeated;
}

}  // namespace windlass::api
