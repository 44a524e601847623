// The Status texts of the generic machinery that more than one verb gives. Pure.
#pragma once

#include <string_view>

#include "api/kind.h"
#include "base/status.h"
#include "client/api_client.h"
#include "store/store.h"

namespace windlass::apiserver {

// `jobs.batch "x"`, for base/status.h.
ResourceName resource_name(const api::Kind& kind, std::string_view name);
ResourceName resource_name(const client::ObjectRef& ref);

// An unknown resource or subresource of a known group (api.md M29).
Status no_such_resource();
// A newer version is stored than the one the client had (M40).
Status stale_version(const client::ObjectRef& ref);
// The UID in the body is not that of the stored object (M39).
Status uid_mismatch(const client::ObjectRef& ref, std::string_view sent, std::string_view stored);
// The same of the version, where it is a precondition.
Status version_mismatch(const client::ObjectRef& ref, std::string_view sent,
                        std::string_view stored);
// Go's complaint about a number, without a reason (J110).
Status bad_version_number(std::string_view text);
// The store did not take a write.
Status refused(const client::ObjectRef& ref, store::WriteRefusal why,
               const std::optional<Status>& poisoned);

}  // namespace windlass::apiserver
