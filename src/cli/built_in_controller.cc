#include "cli/built_in_controller.h"

#include <fmt/format.h>

#include "api/codec/wire_time.h"
#include "client/object_identity.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::cli {

std::string find_built_in_trace(const client::ObjectList& jobs, Time now) {
  for (const client::ObjectPtr& job : jobs.items) {
    for (const auto& entry : api::metadata_of(*job).managed_fields()) {
      if (entry.manager() == "kube-controller-manager" && entry.subresource() == "status" &&
          now - api::time_of(entry.time()) < kBuiltInTrace) {
        return client::key_of(*job);
      }
    }
  }
  return "";
}

std::string built_in_advice(const std::string& job) {
  return fmt::format(
      "the cluster's own Job controller is at work: it wrote the status of Job {} within the last "
      "{}. Switch it off first (kube-controller-manager --controllers=*,-job-controller), wait "
      "that long, and start this again; or use --managed-by NAME, which works beside it",
      job, format_duration(kBuiltInTrace));
}

}  // namespace windlass::cli
