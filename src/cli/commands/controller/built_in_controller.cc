#include "cli/commands/controller/built_in_controller.h"

#include <fmt/format.h>

#include "api/codec/wire_time.h"
#include "api/job/job_constants.h"
#include "client/object_identity.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {
namespace {

// Neither this program nor a user with kubectl.
bool is_other_program(const std::string& writer) {
  return !writer.starts_with("windlass") && !writer.starts_with("kubectl");
}

bool is_built_in_ones(const api::batch::v1::Job& job) {
  const std::string& manager = job.spec().managed_by();
  return manager.empty() || manager == api::kBuiltInJobController;
}

}  // namespace

std::optional<BuiltInTrace> find_built_in_trace(const client::ObjectList& jobs, Time now) {
  for (const client::ObjectPtr& object : jobs.items) {
    const auto& job = static_cast<const api::batch::v1::Job&>(*object);
    for (const auto& entry : job.metadata().managed_fields()) {
      if (entry.subresource() == "status" && is_built_in_ones(job) &&
          is_other_program(entry.manager()) && now - api::time_of(entry.time()) < kBuiltInTrace) {
        return BuiltInTrace{client::key_of(job), entry.manager()};
      }
    }
  }
  return std::nullopt;
}

std::string built_in_advice(const BuiltInTrace& trace) {
  return fmt::format(
      "the built-in Job controller of the cluster is running: {} wrote the status of Job {} within "
      "the last {}. Turn it off (kube-controller-manager --controllers=*,-job-controller), wait "
      "that long, and start again; or use --managed-by NAME, which works alongside it",
      trace.writer, trace.job, format_duration(kBuiltInTrace));
}

}  // namespace windlass::cli
