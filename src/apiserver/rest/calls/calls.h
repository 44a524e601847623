// The verbs of REST: each function checks what can be checked without the store, on a transport
// thread, and makes the call that does the rest on the core.
#pragma once

#include "apiserver/rest/answers/stream_hub.h"
#include "apiserver/rest/rest_context.h"
#include "apiserver/rest/rest_request.h"

namespace windlass::apiserver {

Prepared prepare_get(RestContext& context, RestRequest request);
Prepared prepare_list(RestContext& context, StreamHub& streams, RestRequest request);
// Of attempts.
Prepared prepare_attempt_get(RestContext& context, RestRequest request);
Prepared prepare_attempt_list(RestContext& context, RestRequest request);
Prepared prepare_watch(RestContext& context, StreamHub& streams, RestRequest request);
Prepared prepare_create(RestContext& context, RestRequest request);
Prepared prepare_update(RestContext& context, RestRequest request);
Prepared prepare_patch(RestContext& context, RestRequest request);
Prepared prepare_delete(RestContext& context, RestRequest request);
Prepared prepare_delete_collection(RestContext& context, StreamHub& streams, RestRequest request);
// pods/NAME/binding, and the older `bindings`.
Prepared prepare_bind(RestContext& context, RestRequest request);
Prepared prepare_evict(RestContext& context, RestRequest request);
Prepared prepare_log(RestContext& context, RestRequest request);
Prepared prepare_exec(RestContext& context, RestRequest request);
Prepared prepare_self_review(RestContext& context, RestRequest request);
Prepared prepare_access_review(RestContext& context, RestRequest request);
Prepared prepare_rules_review(RestContext& context, RestRequest request);

}  // namespace windlass::apiserver
