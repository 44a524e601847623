#include "api/job/job_warnings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "api/job/job_constants.h"
#include "api/job/validation/validate_job_spec.h"
#include "api/names.h"
#include "api/pod/warnings/warnings_pod.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::api {
namespace {

using batch::v1::Job;

constexpr int32_t kMuchParallelism = 10'000;

std::vector<std::string> template_warnings(const Job& job) {
  return pod_template_warnings(FieldPath("spec").child("template"), job.spec().template_());
}

}  // namespace

std::vector<std::string> job_create_warnings(const Job& job) {
  std::vector<std::string> warnings;
  if (const NameProblems problems = check_dns1123_label(job.metadata().name()); !problems.empty()) {
    warnings.push_back(
        fmt::format("metadata.name: this is used in Pod names and hostnames, which can result in "
                    "surprising behavior; a DNS label is recommended: [{}]",
                    fmt::join(problems, " ")));
  }
  const auto& spec = job.spec();
  if (is_indexed(spec) && spec.completions() > kManyCompletions &&
      spec.parallelism() > kMuchParallelism) {
    warnings.emplace_back(
        "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism "
        "higher than 10^4, Kubernetes might not be able to track completedIndexes when a big "
        "number of indexes fail");
  }
  for (std::string& warning : template_warnings(job)) {
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

std::vector<std::string> job_update_warnings(const Job& old_job, const Job& job) {
  if (old_job.metadata().generation() == job.metadata().generation()) {
    return {};
  }
  return template_warnings(job);
}

}  // namespace windlass::api
