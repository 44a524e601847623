// What a DELETE does to an object, decided without the store (api.md M51-M53, P70-P74, J150). Pure.
#pragma once

#include "apiserver/strategies/strategy.h"
#include "client/api_client.h"

namespace windlass::apiserver {

struct Deletion {
  bool write = false;   // the object changed: store it first
  bool remove = false;  // then take it away
};

// Changes `object`, a copy of what is stored, as the request asks.
Deletion plan_deletion(const Strategy& strategy, const client::DeleteOptions& options, Time now,
                       Message& object);

// What the client should know when it leaves it to the kind that dependents stay; else "" (J150).
std::string orphan_warning(const Strategy& strategy, const client::DeleteOptions& options);

// A policy that does not exist (M50).
void validate_propagation_policy(api::FieldErrors& errors, const std::string& policy);
// 422 for it; an empty one is none.
Result<void> validate_delete_options(const client::DeleteOptions& options);

// 409 for what is not the object that the client meant (M43).
Result<void> check_preconditions(const client::ObjectRef& ref,
                                 const client::Preconditions& preconditions, const Message& stored);

}  // namespace windlass::apiserver
