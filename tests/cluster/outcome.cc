#include "cluster/outcome.h"

#include <fmt/format.h>

#include "api/codec/json/json.h"
#include "api/job/job_status.h"
#include "base/check.h"

namespace windlass::cluster_tests {

using api::batch::v1::Job;

// Its pods want no token of a service account, which a cluster without nodes may not have, and no
// scheduler takes them: where there are nodes, they keep out of what a script says of a pod.
std::shared_ptr<Job> job_of(const Scenario& scenario, const std::string& ns,
                            const std::string& name, const std::string& manager) {
  const std::string spec = scenario.spec;
  const std::string json = fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"{}"}},"spec":{{{}{}"template":{{"spec":{{)"
      R"("restartPolicy":"Never","automountServiceAccountToken":false,"schedulerName":"nobody",)"
      R"("containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
      name, ns, spec, spec.empty() ? "" : ",");
  auto job = std::make_shared<Job>();
  const auto decoded = api::decode_json(json, *job);
  CHECK(decoded.has_value(), "the scenario is a Job");
  if (!manager.empty()) {
    job->mutable_spec()->set_managed_by(manager);
  }
  if (*scenario.rule_names != '\0') {
    (*job->mutable_metadata()->mutable_annotations())["windlass.dev/failure-rule-names"] =
        scenario.rule_names;
  }
  return job;
}

bool is_over(const Job& job) {
  return api::is_finished(job);
}

std::string outcome_of(const Job& job) {
  std::string text;
  for (const auto& condition : job.status().conditions()) {
    text += fmt::format("{}{}={} {}", text.empty() ? "" : ", ", condition.type(),
                        condition.status(), condition.reason());
  }
  return fmt::format(
      "{}; active {}, ready {}, terminating {}, succeeded {}, failed {}, completed \"{}\", failed "
      "indexes \"{}\", uncounted {}",
      text, job.status().active(), job.status().ready(), job.status().terminating(),
      job.status().succeeded(), job.status().failed(), job.status().completed_indexes(),
      job.status().failed_indexes(),
      job.status().uncounted_terminated_pods().succeeded_size() +
          job.status().uncounted_terminated_pods().failed_size());
}

std::string mistakes_in(const Scenario& scenario, const Job& job) {
  std::string verdict = "no end";
  for (const auto& condition : job.status().conditions()) {
    if (condition.type() == "Complete") {
      verdict = "Complete";
    } else if (condition.type() == "Failed") {
      verdict = "Failed " + condition.reason();
    }
  }
  std::string mistakes;
  if (verdict != scenario.verdict) {
    mistakes += fmt::format("{}, not {}; ", verdict, scenario.verdict);
  }
  if (job.status().succeeded() != scenario.succeeded) {
    mistakes += fmt::format("succeeded {}, not {}; ", job.status().succeeded(), scenario.succeeded);
  }
  if (scenario.failed >= 0 && job.status().failed() != scenario.failed) {
    mistakes += fmt::format("failed {}, not {}; ", job.status().failed(), scenario.failed);
  }
  return mistakes;
}

}  // namespace windlass::cluster_tests
