#include "apiserver/field_manager/apply_conflicts.h"

#include <google/protobuf/message.h>

#include "api/patch/typed_compare.h"
#include "base/quote.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {
namespace {

std::string owner_text(const FieldOwner& owner) {
  std::string text = quote(owner.manager);
  if (!owner.subresource.empty()) {
    text += " with subresource " + quote(owner.subresource);
  }
  if (!owner.applies) {
    text += " using " + owner.api_version;
  }
  return text;
}

}  // namespace

Status apply_conflict(const std::vector<ApplyConflict>& conflicts) {
  Status status;
  status.code = 409;
  status.reason = "Conflict";
  std::string all;
  for (const ApplyConflict& conflict : conflicts) {
    const std::string who = owner_text(conflict.owner);
    all += (all.empty() ? "conflicts with " : "\nconflicts with ") + who + ":";
    for (std::string& path : path_texts(conflict.fields)) {
      all += "\n- " + path;
      status.details.causes.push_back(
          {"FieldManagerConflict", "conflict with " + who, std::move(path)});
    }
  }
  const std::vector<StatusCause>& causes = status.details.causes;
  status.message =
      causes.size() == 1
          ? "Apply failed with 1 conflict: " + causes[0].message + ": " + causes[0].field
          : "Apply failed with " + std::to_string(causes.size()) + " conflicts: " + all;
  return status;
}

void excuse_client_side_apply(std::string_view manager, const api::Message& live,
                              std::vector<ApplyConflict>& conflicts) {
  const auto& annotations = api::metadata_of(live).annotations();
  const auto annotation = annotations.find(kLastApplied);
  if (manager != kKubectl || annotation == annotations.end()) {
    return;
  }
  const Result<api::JsonTree> applied = api::parse_json_value(annotation->second);
  if (!applied) {
    return;
  }
  const api::FieldSet allowed =
      fields_of(applied->value, root_type(api::json_struct(*live.GetDescriptor())));
  for (ApplyConflict& conflict : conflicts) {
    subtract(conflict.fields, allowed);
  }
  std::erase_if(conflicts, [](const ApplyConflict& conflict) { return conflict.fields.empty(); });
}

}  // namespace windlass::apiserver
