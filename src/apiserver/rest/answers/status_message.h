// A Status as the API shows it (api.md M20). Pure; any thread.
#pragma once

#include <memory>
#include <string_view>

#include "api/object.h"
#include "base/status.h"

namespace windlass::apiserver {

// `continue_token` tells the client of an expired list how to go on (M67).
std::unique_ptr<api::Message> status_message(const Status& failure,
                                             std::string_view continue_token = {});
// What a delete that left nothing behind answers (M53).
std::unique_ptr<api::Message> deleted_message(const StatusDetails& details);
// What a binding or an eviction answers.
std::unique_ptr<api::Message> created_message();

const api::TypeMeta& status_type();

}  // namespace windlass::apiserver
