#include "tracing/job_traces.h"

#include <algorithm>
#include <utility>

#include "api/job/job_constants.h"
#include "schema/batch/v1/job.pb.h"
#include "tracing/span.h"

namespace windlass::tracing {
namespace {

bool has_finished(const api::batch::v1::Job& job) {
  const auto& conditions = job.status().conditions();
  return std::any_of(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.status() == "True" &&
           (condition.type() == "Complete" || condition.type() == "Failed");
  });
}

}  // namespace

JobTraces::JobTraces(client::ClientEnv env, SpanExporter& spans, Options options)
    : clock_(env.clock),
      spans_(spans),
      options_(std::move(options)),
      jobs_(env, {&api::kinds::job(), options_.ns, "", ""},
            [this](const client::ObjectPtr& job) { return project(job); }) {
  jobs_.add_handler({{},
                     [this](const CachedJob& before, const CachedJob& job) {
                       if (!before.finished && job.finished) {
                         spans_.add(job_span(*job.object, nullptr));
                       }
                     },
                     [this](const CachedJob& job) {
                       if (!job.finished) {
                         const Time now = clock_.now();
                         spans_.add(job_span(*job.object, &now));
                       }
                     }});
}

std::optional<JobTraces::CachedJob> JobTraces::project(const client::ObjectPtr& object) const {
  const auto& job = static_cast<const api::batch::v1::Job&>(*object);
  const std::string& manager = job.spec().managed_by();
  if (!options_.manager.empty() &&
      options_.manager != (manager.empty() ? api::kBuiltInJobController : manager)) {
    return std::nullopt;
  }
  return CachedJob{object, has_finished(job)};
}

}  // namespace windlass::tracing
