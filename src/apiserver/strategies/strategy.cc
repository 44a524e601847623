#include "apiserver/strategies/strategy.h"

#include "api/names.h"
#include "api/validate_metadata.h"
#include "base/quote.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::apiserver {

void Strategy::apply_defaults(Message&, const Message*, const WriteContext&) const {}

void Strategy::prepare_for_create(Message&, const WriteContext&) const {}

api::FieldErrors Strategy::validate_create(const Message& object) const {
  api::FieldErrors errors;
  api::validate_object_meta(errors, api::FieldPath("metadata"), api::metadata_of(object),
                            kind_.namespaced, &api::check_dns1123_subdomain);
  return errors;
}

void Strategy::prepare_for_update(const Message&, Message&, const WriteContext&) const {}

api::FieldErrors Strategy::validate_update(const Message& old, const Message& object) const {
  api::FieldErrors errors;
  const api::FieldPath path("metadata");
  api::validate_generic_update(errors, path, api::metadata_of(object), api::metadata_of(old),
                               kind_.namespaced);
  api::validate_object_meta_update(errors, path, api::metadata_of(object), api::metadata_of(old));
  return errors;
}

void Strategy::prepare_for_status_update(const Message&, Message&, const WriteContext&) const {}

api::FieldErrors Strategy::validate_status_update(const Message& old, const Message& object) const {
  return validate_update(old, object);
}

std::vector<std::string> Strategy::warnings(const Message&, const Message*) const {
  return {};
}

std::optional<std::string> Strategy::selectable(const Message& object,
                                                std::string_view field) const {
  if (field == "metadata.name") {
    return api::metadata_of(object).name();
  }
  if (field == "metadata.namespace" && kind_.namespaced) {
    return api::metadata_of(object).namespace_();
  }
  return std::nullopt;
}

std::string Strategy::unselectable(std::string_view field) const {
  return quote(field) +
         " is not a known field selector: only \"metadata.name\", \"metadata.namespace\"";
}

std::optional<Status> Strategy::forbid_delete(const Message&) const {
  return std::nullopt;
}

std::optional<int64_t> Strategy::grace_seconds(const Message&, std::optional<int64_t>) const {
  return std::nullopt;
}

void Strategy::mark_deleting(Message&) const {}

bool Strategy::is_held(const Message&) const {
  return false;
}

}  // namespace windlass::apiserver
