#include "cli/commands/doctor/doctor_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/commands/controller/controller.h"

namespace windlass::cli {
namespace {

// Two managers that wrote within this time are both running.
constexpr Duration kRecentWrites = minutes(10);

struct PodCounts {
  int active = 0;
  int succeeded_and_free = 0;
  std::set<std::string> finalizers = {};
};

std::string ago(Time then, Time now) {
  return human_duration(std::max(now - then, Duration::zero())) + " ago";
}

// `kubectl -n default`
std::string kubectl_in(const std::string& key) {
  return "kubectl -n " + key.substr(0, key.find('/'));
}

std::string name_in(const std::string& key) {
  return key.substr(key.find('/') + 1);
}

class Examination {
 public:
  Examination(const ClusterFacts& facts, const DoctorTimes& times) : facts_(facts), times_(times) {
    for (const JobFacts& job : facts.jobs) {
      jobs_.emplace(job.uid, &job);
    }
    for (const PodFacts& pod : facts.pods) {
      PodCounts& counts = pods_[pod.job_uid];
      counts.active += !pod.ended && !pod.deleting ? 1 : 0;
      counts.succeeded_and_free += pod.succeeded && pod.finalizer.empty() ? 1 : 0;
      if (!pod.finalizer.empty()) {
        counts.finalizers.insert(pod.finalizer);
      }
    }
  }

  std::vector<Finding> run() {
    for (const PodFacts& pod : facts_.pods) {
      check_pod(pod);
    }
    for (const JobFacts& job : facts_.jobs) {
      check_counters(job);
      check_managed(job);
      check_writers(job);
    }
    for (const RefusedStatus& refusal : facts_.refusals) {
      if (times_.now - refusal.last < kRecentWrites) {
        add("refused-status", "job " + refusal.job_key, "", refusal.message,
            "the Job does not progress until the API server accepts its status");
      }
    }
    return std::move(findings_);
  }

 private:
  void add(std::string check, std::string object, std::string stamp, std::string what,
           std::string advice) {
    findings_.push_back({std::move(check), std::move(object), std::move(what), std::move(advice),
                         std::move(stamp)});
  }

  void check_pod(const PodFacts& pod) {
    if (pod.finalizer.empty()) {
      return;
    }
    const auto job = jobs_.find(pod.job_uid);
    std::string why;
    if (job == jobs_.end()) {
      why = "its Job is gone";
    } else if (job->second->finished && (pod.ended || pod.deleting)) {
      why = fmt::format("Job {} has finished", name_in(job->second->key));
    } else if (pod.ended && pod.ended_at && times_.now - *pod.ended_at > times_.patience) {
      why =
          fmt::format("it ended {} and its Job has not counted it", ago(*pod.ended_at, times_.now));
    } else {
      return;
    }
    const std::string manager =
        job == jobs_.end() ? "its controller" : "controller " + job->second->manager;
    add("stuck-pod", "pod " + pod.key, pod.uid,
        fmt::format("it still has the finalizer {}, although {}", pod.finalizer, why),
        fmt::format("check that {} is running. If it is gone for good: {} patch pod {} "
                    "--type=strategic -p '{{\"metadata\":{{\"$deleteFromPrimitiveList/finalizers\":"
                    "[\"{}\"]}}}}'",
                    manager, kubectl_in(pod.key), name_in(pod.key), pod.finalizer));
  }

  void check_counters(const JobFacts& job) {
    const auto found = pods_.find(job.uid);
    const PodCounts counts = found == pods_.end() ? PodCounts() : found->second;
    // The pods of other managers may be in another cluster.
    if (job.deleting || (job.manager != api::kBuiltInJobController && found == pods_.end())) {
      return;
    }
    std::string what;
    if (job.active != counts.active) {
      what =
          fmt::format("status.active is {}, but {} active", job.active,
                      counts.active == 1 ? "1 pod is" : fmt::format("{} pods are", counts.active));
    } else if (!job.indexed && job.succeeded < counts.succeeded_and_free) {
      what = fmt::format("status.succeeded is {}, but {} succeeded", job.succeeded,
                         counts.succeeded_and_free == 1
                             ? "1 pod has"
                             : fmt::format("{} pods have", counts.succeeded_and_free));
    } else {
      return;
    }
    add("counters", "job " + job.key, job.version, what,
        fmt::format("check that controller {} is running: the Job did not change between the two "
                    "examinations",
                    job.manager));
  }

  void check_managed(const JobFacts& job) {
    if (job.begun || job.finished || job.deleting || job.suspended ||
        times_.now - job.created <= times_.patience) {
      return;
    }
    add("unmanaged", "job " + job.key, job.uid,
        fmt::format("it was created {}, and no controller has started it",
                    ago(job.created, times_.now)),
        fmt::format("check that controller {} is running (spec.managedBy{})", job.manager,
                    job.manager == api::kBuiltInJobController ? " is not set, or names it" : ""));
  }

  void check_writers(const JobFacts& job) {
    std::set<std::string> names;
    for (const StatusManager& writer : job.writers) {
      if (times_.now - writer.last < kRecentWrites && !writer.name.starts_with("kubectl")) {
        names.insert(writer.name);
      }
    }
    const auto pods = pods_.find(job.uid);
    const bool mixed = pods != pods_.end() && pods->second.finalizers.size() > 1;
    if (names.size() < 2 && !mixed) {
      return;
    }
    add("two-managers", "job " + job.key, job.uid,
        names.size() < 2 ? "its pods carry the finalizers of two controllers"
                         : fmt::format("in the last {}, its status was written by {}",
                                       human_duration(kRecentWrites), fmt::join(names, " and by ")),
        fmt::format("stop the controller other than {} (spec.managedBy)", job.manager));
  }

  const ClusterFacts& facts_;
  const DoctorTimes times_;
  std::map<std::string, const JobFacts*> jobs_;  // by uid
  std::map<std::string, PodCounts> pods_;        // by uid of the Job
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> examine(const ClusterFacts& facts, const DoctorTimes& times) {
  return Examination(facts, times).run();
}

std::vector<Finding> lasting(const std::vector<Finding>& first, std::vector<Finding> second) {
  std::set<std::tuple<std::string, std::string, std::string>> before;
  for (const Finding& finding : first) {
    before.emplace(finding.check, finding.object, finding.stamp);
  }
  std::erase_if(second, [&before](const Finding& finding) {
    return !before.contains({finding.check, finding.object, finding.stamp});
  });
  return second;
}

}  // namespace windlass::cli
