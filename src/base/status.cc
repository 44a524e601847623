#include "base/status.h"

#include <fmt/format.h>

namespace windlass {
namespace {

std::string qualified(const ResourceName& about) {
  if (about.group.empty()) {
    return fmt::format("{} \"{}\"", about.resource, about.name);
  }
  return fmt::format("{}.{} \"{}\"", about.resource, about.group, about.name);
}

Status status_about(int code, std::string reason, std::string message, const ResourceName& about) {
  Status status;
  status.code = code;
  status.reason = std::move(reason);
  status.message = std::move(message);
  status.details.name = about.name;
  status.details.group = about.group;
  status.details.kind = about.resource;
  return status;
}

Status status_without_details(int code, std::string reason, std::string message) {
  Status status;
  status.code = code;
  status.reason = std::move(reason);
  status.message = std::move(message);
  return status;
}

}  // namespace

Status bad_request(std::string message) {
  return status_without_details(400, "BadRequest", std::move(message));
}

Status unauthorized() {
  return status_without_details(401, "Unauthorized", "Unauthorized");
}

Status forbidden(const ResourceName& about, std::string_view why) {
  return status_about(403, "Forbidden", fmt::format("{} is forbidden: {}", qualified(about), why),
                      about);
}

Status not_found(const ResourceName& about) {
  return status_about(404, "NotFound", qualified(about) + " not found", about);
}

Status already_exists(const ResourceName& about) {
  return status_about(409, "AlreadyExists", qualified(about) + " already exists", about);
}

Status conflict(const ResourceName& about, std::string_view why) {
  return status_about(409, "Conflict",
                      fmt::format("Operation cannot be fulfilled on {}: {}", qualified(about), why),
                      about);
}

Status gone(std::string message) {
  return status_without_details(410, "Expired", std::move(message));
}

Status unsupported_media_type(std::string message) {
  return status_without_details(415, "UnsupportedMediaType", std::move(message));
}

Status internal_error(std::string_view why) {
  Status status =
      status_without_details(500, "InternalError", fmt::format("Internal error occurred: {}", why));
  status.details.causes.push_back({"", std::string(why), ""});
  return status;
}

Status plain_error(std::string message) {
  return status_without_details(500, "", std::move(message));
}

}  // namespace windlass
