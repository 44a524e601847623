// An Eviction as it was sent, carried out (disruption.md E-2): its deleteOptions and the dry run of
// body and query taken together. What pods/NAME/eviction calls. Core thread.
#pragma once

#include "apiserver/server.h"

namespace windlass::apiserver {

// `eviction` is a policy/v1 Eviction whose name has been compared with the pod's.
Decision evict_by_request(Server& server, const ObjectRef& pod, const Message& eviction,
                          const WriteOptions& options);

}  // namespace windlass::apiserver
