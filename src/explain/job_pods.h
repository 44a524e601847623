// The pods of one Job.
#pragma once

#include <vector>

#include "client/api_client.h"

namespace windlass::explain {

// What to list or watch to see all pods of the Job; it may have others, too.
client::Collection job_pod_collection(const client::ObjectPtr& job);

// Those that the Job controls. `done` runs later, on the client's executor.
void list_job_pods(client::ApiClient& api, const client::ObjectPtr& job,
                   client::Done<std::vector<client::ObjectPtr>> done);

}  // namespace windlass::explain
