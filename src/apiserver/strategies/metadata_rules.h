// The rules about metadata that hold for every kind and belong to no single verb. Pure.
#pragma once

#include "apiserver/strategies/strategy.h"
#include "client/api_client.h"
#include "store/version.h"

namespace windlass::api::meta::v1 {
class ObjectMeta;
}

namespace windlass::apiserver {

// The body may leave name and namespace to the URL, but not contradict it (api.md M30).
Result<void> match_url(const client::ObjectRef& ref, api::meta::v1::ObjectMeta& metadata);
// The same for what replaces an object: it says itself which object it is. Without that, a body or
// the result of a patch that lost its metadata would clear what it does not mention.
Result<void> match_named_url(const client::ObjectRef& ref, api::meta::v1::ObjectMeta& metadata);

// Optimistic concurrency of an update (M38, M40, J110).
Result<void> check_version(const client::ObjectRef& ref, const Traits& traits,
                           const api::meta::v1::ObjectMeta& metadata, store::Revision stored);

// What no client changes comes back without an error (M39), as far as Kubernetes is silent about
// it.
void restore_server_fields(const api::meta::v1::ObjectMeta& old,
                           api::meta::v1::ObjectMeta& metadata);

// Deletion was asked for, and nothing holds the object any more (M44, P74).
bool is_released(const Strategy& strategy, const Message& object);

}  // namespace windlass::apiserver
