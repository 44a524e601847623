#include "apiserver/verbs/request_errors.h"

#include <fmt/format.h>

#include "apiserver/stored_form.h"
#include "base/check.h"
#include "base/quote.h"

namespace windlass::apiserver {
namespace {

// M39.
Status precondition_failed(const client::ObjectRef& ref, std::string_view field,
                           std::string_view sent, std::string_view stored) {
  const std::string key =
      ref.ns.empty() ? fmt::format("/registry/{}/{}", ref.kind->plural, ref.name)
                     : fmt::format("/registry/{}/{}/{}", ref.kind->plural, ref.ns, ref.name);
  return conflict(
      resource_name(ref),
      fmt::format("StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, "
                  "AdditionalErrorMsg: Precondition failed: {} in precondition: {}, {} in object "
                  "meta: {}",
                  key, field, sent, field, stored));
}

}  // namespace

ResourceName resource_name(const api::Kind& kind, std::string_view name) {
  const api::Kind& stored = stored_kind(kind);
  return {stored.group, stored.plural, name};
}

ResourceName resource_name(const client::ObjectRef& ref) {
  return resource_name(*ref.kind, ref.name);
}

Status no_such_resource() {
  Status status;
  status.code = 404;
  status.reason = "NotFound";
  status.message = "the server could not find the requested resource";
  return status;
}

Status stale_version(const client::ObjectRef& ref) {
  return conflict(resource_name(ref),
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

Status uid_mismatch(const client::ObjectRef& ref, std::string_view sent, std::string_view stored) {
  return precondition_failed(ref, "UID", sent, stored);
}

Status version_mismatch(const client::ObjectRef& ref, std::string_view sent,
                        std::string_view stored) {
  return precondition_failed(ref, "ResourceVersion", sent, stored);
}

Status bad_version_number(std::string_view text) {
  return plain_error(fmt::format("strconv.ParseUint: parsing {}: invalid syntax", quote(text)));
}

Status refused(const client::ObjectRef& ref, store::WriteRefusal why,
               const std::optional<Status>& poisoned) {
  Status status;
  switch (why) {
    case store::WriteRefusal::exists:
      return already_exists(resource_name(ref));
    case store::WriteRefusal::missing:
      return not_found(resource_name(ref));
    case store::WriteRefusal::changed:
      return stale_version(ref);
    case store::WriteRefusal::too_large:
      status.code = 413;
      status.reason = "RequestEntityTooLarge";
      status.message = "Request entity too large: the object does not fit into the store";
      return status;
    case store::WriteRefusal::busy:
      status.code = 429;
      status.reason = "TooManyRequests";
      status.message = "the store has too many writes waiting, please try again later";
      status.details.retry_after_seconds = 1;
      return status;
    case store::WriteRefusal::full:
      status.code = 507;
      status.reason = "InsufficientStorage";
      status.message = "the store has no room, only deletions are accepted until there is some";
      return status;
    case store::WriteRefusal::poisoned:
      CHECK(poisoned.has_value(), "a poisoned store knows why");
      return *poisoned;
  }
  return internal_error("unknown refusal");
}

}  // namespace windlass::apiserver
