// Changes one object, or its status, as it is on the server now: reads it, lets the caller change a
// copy, and writes that back with the version it read, so that nothing which others wrote in
// between is lost. What is not to be written is answered as it was read. Lives on the client's
// executor; `change` and `done` must stay callable as long as the client does.
#pragma once

#include <functional>
#include <string>

#include "client/api_client.h"

namespace windlass::client {

inline constexpr int kMaxStatusConflicts = 5;  // in a row; then the conflict is the answer

// False: nothing to write. May run several times, each time on a fresh copy.
using StatusChange = std::function<bool(api::Message& object)>;

// An object of another UID under this name is answered as not found.
void update_status(ApiClient& client, const ObjectRef& ref, const std::string& uid,
                   StatusChange change, Done<ObjectPtr> done);
// The same for everything but the status.
void update_object(ApiClient& client, const ObjectRef& ref, const std::string& uid,
                   StatusChange change, Done<ObjectPtr> done);

}  // namespace windlass::client
