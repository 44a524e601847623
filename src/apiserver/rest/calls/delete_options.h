// DeleteOptions as a client sends them, after the rules about them (api.md M50, M56). Pure.
#pragma once

#include "apiserver/rest/rest_request.h"
#include "apiserver/server.h"

namespace windlass::api::meta::v1 {
class DeleteOptions;
}

namespace windlass::apiserver {

struct DeleteRequest {
  DeleteOptions options;
  WriteOptions write;
  bool cascades = false;  // orphanDependents is there, and false
};

// From the body or, with an empty one, from the query.
Result<DeleteRequest> read_delete_request(const RestRequest& request);
// 422 for what is not allowed.
Result<DeleteRequest> check_delete_options(const api::meta::v1::DeleteOptions& message);

}  // namespace windlass::apiserver
