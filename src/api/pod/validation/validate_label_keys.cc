// matchLabelKeys and mismatchLabelKeys of affinity terms and spread constraints (api.md P45).
#include <map>
#include <set>
#include <string_view>

#include "api/names.h"
#include "api/pod/validation/validate_pod_parts.h"
#include "schema/meta/v1/selector.pb.h"

namespace windlass::api {
namespace {

void validate_key_names(FieldErrors& errors, const FieldPath& path,
                        const Repeated<std::string>& keys, bool has_selector) {
  if (!keys.empty() && !has_selector) {
    errors.forbidden(path, "must not be specified when labelSelector is not set");
    return;
  }
  for (int i = 0; i < keys.size(); ++i) {
    add_problems(errors, path.index(as_index(i)), keys[i], check_qualified_name(keys[i]));
  }
}

// A key that the selector names twice: once is what became of the label key, once is the user's.
void validate_keys_of_selector(FieldErrors& errors, const FieldPath& path,
                               const Repeated<std::string>& match,
                               const meta::v1::LabelSelector& selector) {
  std::map<std::string_view, int> places;
  for (int i = 0; i < match.size(); ++i) {
    places.insert_or_assign(match[i], i);
  }
  std::set<std::string_view> seen;
  for (const auto& [key, value] : selector.match_labels()) {
    seen.insert(key);
  }
  for (const auto& expression : selector.match_expressions()) {
    const auto place = places.find(expression.key());
    if (!seen.insert(expression.key()).second && place != places.end()) {
      // The path is the one that Kubernetes gives.
      errors.invalid(path.index(as_index(place->second)), expression.key(),
                     "exists in both matchLabelKeys and labelSelector");
    }
  }
}

}  // namespace

void validate_label_keys(FieldErrors& errors, const FieldPath& path,
                         const Repeated<std::string>& match, const Repeated<std::string>& mismatch,
                         const meta::v1::LabelSelector* selector) {
  if (match.empty() && mismatch.empty()) {
    return;
  }
  const FieldPath match_path = path.child("matchLabelKeys");
  validate_key_names(errors, match_path, match, selector != nullptr);
  validate_key_names(errors, path.child("mismatchLabelKeys"), mismatch, selector != nullptr);
  if (selector != nullptr) {
    validate_keys_of_selector(errors, path, match, *selector);
  }
  const std::set<std::string_view> excluded(mismatch.begin(), mismatch.end());
  for (int i = 0; i < match.size(); ++i) {
    if (excluded.contains(match[i])) {
      errors.invalid(match_path.index(as_index(i)), match[i],
                     "exists in both matchLabelKeys and mismatchLabelKeys");
    }
  }
}

}  // namespace windlass::api
