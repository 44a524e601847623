// The second half of authorization: rights that depend on the object (auth/authorizer.h). Core
// executor only.
#pragma once

#include "apiserver/rest/rest_context.h"
#include "apiserver/rest/rest_request.h"

namespace windlass::apiserver {

// Looks at the stored object if the user's right depends on it; 403 if the user may not. A read
// goes by what is committed, which is what it shows.
Result<void> check_before_read(RestContext& context, const RestRequest& request);
// A write goes by the newest state, which is what it changes: under the same name there may be
// another object by now.
Result<void> check_before_write(RestContext& context, const RestRequest& request,
                                const ObjectRef& target);
// The same for an object that is about to be created.
Result<void> check_new_object(const RestRequest& request, const Message& object);

}  // namespace windlass::apiserver
