#include "api/job/job_manifest.h"

#include <string_view>

#include "api/job/default_job.h"
#include "api/job/job_strategy.h"
#include "api/job/validation/validate_job.h"
#include "api/names.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::Job;

constexpr std::string_view kStandInUid = "00000000-0000-4000-8000-000000000000";
constexpr std::string_view kStandInNamespace = "default";
// As long as what a server would append, and of the same letters (J53).
constexpr std::string_view kStandInSuffix = "bcdfg";

void stand_in_for_server(Job& job) {
  auto& metadata = *job.mutable_metadata();
  if (metadata.namespace_().empty()) {
    metadata.set_namespace_(kStandInNamespace.data(), kStandInNamespace.size());
  }
  if (metadata.name().empty() && !metadata.generate_name().empty()) {
    metadata.set_name(metadata.generate_name().substr(0, kMaxGeneratedBaseBytes));
    metadata.mutable_name()->append(kStandInSuffix);
  }
}

}  // namespace

ManifestCheck check_job_manifest(Job& job, const FeatureGates& gates) {
  default_job_spec(job, gates);
  Job created = job;
  stand_in_for_server(created);
  prepare_job_for_create(created, {kStandInUid, Time()}, gates);
  return {validate_job_create(created), job_create_warnings(created)};
}

}  // namespace windlass::api
