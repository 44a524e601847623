// The pods of one Job, for commands that report about it.
#pragma once

#include <vector>

#include "client/api_client.h"

namespace windlass::cli {

// Those that the Job controls. `done` runs later, on the client's executor.
void list_job_pods(client::ApiClient& api, const client::ObjectPtr& job,
                   client::Done<std::vector<client::ObjectPtr>> done);

}  // namespace windlass::cli
