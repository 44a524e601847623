#include "plane/node_name_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/codec/wire_time.h"
#include "api/object.h"
#include "apiserver/auth/authorizer.h"
#include "schema/coordination/v1/lease.pb.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::plane {
namespace {

using api::coordination::v1::Lease;

Result<void> judge(const std::string& node, const Result<client::ObjectPtr>& found, Time now) {
  if (!found) {
    return is_not_found(found.error()) ? Result<void>() : fail(found.error());
  }
  const auto& spec = static_cast<const Lease&>(**found).spec();
  const Time renewed = api::time_of(spec.renew_time());
  if (renewed + seconds(spec.lease_duration_seconds()) <= now) {
    return {};
  }
  return fail(conflict(
      {"", "nodes", node},
      fmt::format("another agent has this name and sent a heartbeat {} ago; two agents would both "
                  "run the pods of the node. If the other one is gone, try again {} after its last "
                  "heartbeat",
                  format_duration(std::max(std::chrono::floor<seconds>(now - renewed), seconds(0))),
                  format_duration(seconds(spec.lease_duration_seconds())))));
}

}  // namespace

void check_node_name(client::ApiClient& api, env::Clock& clock, const std::string& node,
                     const std::string& identity, std::function<void(const Result<void>&)> done) {
  api.get({&api::kinds::node(), "", node}, [&api, &clock, node, identity, done = std::move(done)](
                                               const Result<client::ObjectPtr>& found) {
    if (!found) {
      return done(is_not_found(found.error()) ? Result<void>() : fail(found.error()));
    }
    const auto& annotations = api::metadata_of(**found).annotations();
    const auto agent = annotations.find(kAgentAnnotation);
    if (agent != annotations.end() && agent->second == identity) {
      return done({});
    }
    api.get({&api::kinds::lease(), std::string(apiserver::kNodeLeaseNamespace), node},
            [&clock, node, done](const Result<client::ObjectPtr>& lease) {
              done(judge(node, lease, clock.now()));
            });
  });
}

}  // namespace windlass::plane
