#include "cli/commands/doctor/doctor_facts.h"

#include <algorithm>

#include "api/codec/wire_time.h"
#include "api/job/job_constants.h"
#include "api/job/job_status.h"
#include "cli/commands/controller/controller.h"
#include "client/object_identity.h"
#include "controllers/job/adapter.h"
#include "engine/policy/backoff.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/event.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cli {
namespace {

std::string tracking_finalizer_of(const api::meta::v1::ObjectMeta& metadata) {
  for (const std::string& finalizer : metadata.finalizers()) {
    if (finalizer == api::kJobTrackingFinalizer || finalizer == kOwnTrackingFinalizer) {
      return finalizer;
    }
  }
  return "";
}

// When the last container ended; where none says it (evicted, refused by its node), what the
// controller takes for the end.
Time end_of(const api::core::v1::Pod& pod) {
  const engine::PodView view = controllers::job::read_pod(pod, "");
  std::optional<Time> end;
  for (const engine::ContainerView& container : view.containers) {
    if (container.finished_at) {
      end = end ? std::max(*end, *container.finished_at) : *container.finished_at;
    }
  }
  return end ? *end : engine::finish_time(view);
}

}  // namespace

JobFacts read_job_facts(const api::Message& message) {
  const auto& job = static_cast<const api::batch::v1::Job&>(message);
  JobFacts facts;
  facts.key = client::key_of(job);
  facts.uid = job.metadata().uid();
  facts.version = job.metadata().resource_version();
  facts.manager = job.spec().managed_by().empty() ? std::string(api::kBuiltInJobController)
                                                  : job.spec().managed_by();
  facts.created = api::time_of(job.metadata().creation_timestamp());
  facts.indexed = job.spec().completion_mode() == "Indexed";
  facts.suspended = job.spec().suspend();
  facts.begun = job.status().has_start_time();
  facts.finished = api::is_finished(job);
  facts.deleting = job.metadata().has_deletion_timestamp();
  facts.active = job.status().active();
  facts.succeeded =
      job.status().succeeded() + job.status().uncounted_terminated_pods().succeeded_size();
  for (const auto& entry : job.metadata().managed_fields()) {
    if (entry.subresource() == "status") {
      facts.writers.push_back({entry.manager(), api::time_of(entry.time())});
    }
  }
  return facts;
}

std::optional<PodFacts> read_pod_facts(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  PodFacts facts;
  facts.job_uid = controllers::job::owner_job_uid(pod);
  facts.finalizer = tracking_finalizer_of(pod.metadata());
  if (facts.job_uid.empty() && facts.finalizer.empty()) {
    return std::nullopt;
  }
  facts.key = client::key_of(pod);
  facts.uid = pod.metadata().uid();
  facts.succeeded = pod.status().phase() == "Succeeded";
  facts.ended = facts.succeeded || pod.status().phase() == "Failed";
  facts.deleting = pod.metadata().has_deletion_timestamp();
  if (facts.ended) {
    facts.ended_at = end_of(pod);
  }
  return facts;
}

RefusedStatus read_refusal(const api::Message& message) {
  const auto& event = static_cast<const api::core::v1::Event&>(message);
  return {client::object_key(event.involved_object().namespace_(), event.involved_object().name()),
          event.message(), api::time_of(event.last_timestamp())};
}

}  // namespace windlass::cli
