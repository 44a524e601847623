#include "apiserver/rest/answers/status_message.h"

#include "schema/meta/v1/status.pb.h"

namespace windlass::apiserver {
namespace {

using StatusMessage = api::meta::v1::Status;

// A value that is empty is absent.
void set_if(const std::string& value, std::string* (api::meta::v1::StatusDetails::*field)(),
            api::meta::v1::StatusDetails& details) {
  if (!value.empty()) {
    *(details.*field)() = value;
  }
}

void fill_details(const StatusDetails& from, StatusMessage& message) {
  using Details = api::meta::v1::StatusDetails;
  Details& details = *message.mutable_details();
  set_if(from.name, &Details::mutable_name, details);
  set_if(from.group, &Details::mutable_group, details);
  set_if(from.kind, &Details::mutable_kind, details);
  set_if(from.uid, &Details::mutable_uid, details);
  for (const StatusCause& cause : from.causes) {
    api::meta::v1::StatusCause& added = *details.add_causes();
    if (!cause.reason.empty()) {
      added.set_reason(cause.reason);
    }
    if (!cause.message.empty()) {
      added.set_message(cause.message);
    }
    if (!cause.field.empty()) {
      added.set_field(cause.field);
    }
  }
  if (from.retry_after_seconds != 0) {
    details.set_retry_after_seconds(from.retry_after_seconds);
  }
}

// These always carry details, if only empty ones (M4, M28, M29, M90, M91).
bool shows_empty_details(const Status& failure) {
  return failure.code == 404 || failure.code == 405 || failure.code == 406 || failure.code == 415 ||
         failure.code == 422 || failure.code == 504;
}

}  // namespace

std::unique_ptr<api::Message> status_message(const Status& failure,
                                             std::string_view continue_token) {
  auto message = std::make_unique<StatusMessage>();
  if (!continue_token.empty()) {
    message->mutable_metadata()->set_continue_(std::string(continue_token));
  }
  message->set_status("Failure");
  message->set_message(failure.message);
  if (!failure.reason.empty()) {
    message->set_reason(failure.reason);
  }
  if (failure.details != StatusDetails() || shows_empty_details(failure)) {
    fill_details(failure.details, *message);
  }
  message->set_code(failure.code);
  return message;
}

std::unique_ptr<api::Message> deleted_message(const StatusDetails& details) {
  auto message = std::make_unique<StatusMessage>();
  message->set_status("Success");
  fill_details(details, *message);
  return message;
}

std::unique_ptr<api::Message> created_message() {
  auto message = std::make_unique<StatusMessage>();
  message->set_status("Success");
  message->set_code(201);
  return message;
}

const api::TypeMeta& status_type() {
  static const api::TypeMeta type{"v1", "Status"};
  return type;
}

}  // namespace windlass::apiserver
