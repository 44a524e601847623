// The second half of authorization: rights that depend on the object (auth/authorizer.h). Core
// executor only.
#pragma once

#include "apiserver/rest/rest_context.h"
#include "apiserver/rest/rest_request.h"

namespace windlass::apiserver {

// Looks at the stored object if the user's right depends on it; 403 if the user may not.
Result<void> check_stored_object(RestContext& context, const RestRequest& request);
// The same for an object that is about to be created.
Result<void> check_new_object(const RestRequest& request, const Message& object);

}  // namespace windlass::apiserver
