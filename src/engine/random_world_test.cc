// Random histories: a Job, its pods, a user, faults and crashes, drawn from a seed. After every
// event the incremental state is held against the recount and every write against the invariants;
// when the faults stop the Job must come to its end, and then be silent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/status/conditions.h"
#include "verify/engine/fake_cluster.h"

namespace windlass::engine::testing {
namespace {

using rc::gen::element;
using rc::gen::inRange;

JobView any_job() {
  const int32_t parallelism = *inRange(0, 5);
  JobView job = *rc::gen::arbitrary<bool>() ? indexed_job(parallelism, *inRange(0, 6))
                                            : defaulted_job(parallelism, *inRange(-1, 6));
  job.spec.backoff_limit = *element(0, 1, 3, 6, 2147483647);
  job.spec.replace_only_failed = *rc::gen::arbitrary<bool>();
  job.spec.suspend = *inRange(0, 6) == 0;
  job.spec.restart_on_failure = *inRange(0, 6) == 0;
  if (*inRange(0, 8) == 0) {
    job.spec.active_deadline_seconds = *inRange(0, 500);
  }
  if (job.spec.mode == CompletionMode::indexed && *rc::gen::arbitrary<bool>()) {
    job.spec.backoff_limit_per_index = *inRange(0, 3);
    if (*rc::gen::arbitrary<bool>()) {
      job.spec.max_failed_indexes = *inRange(0, 3);
    }
  }
  if (*rc::gen::arbitrary<bool>()) {
    std::vector<FailureRule> rules = {
        on_codes(Action::ignore, {1}), on_codes(Action::count, {2}),
        on_codes(job.spec.backoff_limit_per_index ? Action::fail_index : Action::count, {3}),
        on_condition(Action::ignore, "DisruptionTarget")};
    if (*inRange(0, 3) == 0) {
      rules.push_back(on_codes(Action::fail_job, {5}));
    }
    set_policy(job, rules);
  }
  if (job.spec.mode == CompletionMode::indexed && *inRange(0, 3) == 0) {
    job.spec.success_policy = {{std::string("0,2"), std::nullopt}, {std::nullopt, 3}};
  }
  return job;
}

class RandomWorld {
 public:
  RandomWorld() : cluster_(any_job(), small_limits()) {
    cluster_.on_status = [this](const StatusWrite&) { return any_fault(true); };
    cluster_.on_create = [this](const CreatePod&) { return any_fault(true); };
    cluster_.on_pod_write = [this](const PodWrite&) { return any_fault(false); };
  }

  void live(int events) {
    for (int i = 0; i < events; ++i) {
      event();
      check();
    }
  }

  // Faults stop, pods succeed: the Job must end (L1), with the end it was given (T2), and be silent
  // (L2).
  void settle() {
    faults_ = false;
    cluster_.update_job([](JobView& job) {
      job.spec.suspend = false;
      job.spec.parallelism = std::max(job.spec.parallelism, 1);
    });
    for (int round = 0; round < 200 && !is_finished(cluster_.status()); ++round) {
      cluster_.run();
      for (const std::string& name : cluster_.pod_names()) {
        if (cluster_.has_pod(name) && !is_terminal(cluster_.stored_pod(name).phase)) {
          const bool killed = cluster_.stored_pod(name).deletion_time.has_value();
          killed ? cluster_.fail(name, 137) : cluster_.succeed(name);
        }
      }
      cluster_.advance(minutes(11));
      check();
    }
    if (!is_finished(cluster_.status())) {
      log();
    }
    RC_ASSERT(is_finished(cluster_.status()));
    cluster_.run();
    const int rounds = cluster_.writes.rounds;
    cluster_.advance(hours(1));
    RC_ASSERT(cluster_.writes.rounds == rounds);
    check();
  }

 private:
  static Options small_limits() {
    Options options;
    options.max_uncounted = *element(2, 5, 500);
    options.max_pod_writes = *element(1, 3, 500);
    return options;
  }

  FakeCluster::WriteFault any_fault(bool with_conflict) {
    if (!faults_ || *inRange(0, 8) != 0) {
      return {};
    }
    switch (*inRange(0, 4)) {
      case 0:
        return {WriteError::unknown, true};
      case 1:
        return {WriteError::unknown, false};
      case 2:
        return {with_conflict ? WriteError::conflict : WriteError::rejected};
      default:
        return {WriteError::rejected};
    }
  }

  std::string any_pod() {
    const auto names = cluster_.pod_names();
    return names.empty() ? "" : *rc::gen::elementOf(names);
  }

  void event() {
    const int kind = *inRange(0, 20);
    if (kind < 7) {
      cluster_.step();
    } else if (kind < 15) {
      pod_event();
    } else if (kind < 17) {
      job_event();
    } else if (kind == 17) {
      cluster_.restart_controller();
    } else {
      cluster_.now += seconds(*element(1, 5, 30, 700));
    }
  }

  void pod_event() {
    const std::string name = any_pod();
    if (name.empty()) {
      return;
    }
    const PodView& pod = cluster_.stored_pod(name);
    const bool terminal = is_terminal(pod.phase);
    switch (*inRange(0, 8)) {
      case 0:
      case 1:
        return terminal ? void() : cluster_.run_pod(name, *rc::gen::arbitrary<bool>());
      case 2:
      case 3:
        return terminal ? void() : cluster_.succeed(name);
      case 4:
      case 5:
        return terminal ? void() : cluster_.fail(name, *element(1, 2, 3, 4, 5, 143));
      case 6:
        return cluster_.delete_pod(name);
      default:
        return rare_pod_event(name);
    }
  }

  void rare_pod_event(const std::string& name) {
    switch (*inRange(0, 4)) {
      case 0:
        return cluster_.remove_finalizer(name);
      case 1:
        if (is_terminal(cluster_.stored_pod(name).phase)) {
          return;
        }
        return cluster_.update_pod(name, [](PodView& pod) {
          pod.conditions.push_back({"DisruptionTarget", ConditionStatus::is_true, std::nullopt});
        });
      case 2:
        return cluster_.update_pod(name, [](PodView& pod) {
          pod.containers.resize(std::max<size_t>(pod.containers.size(), 1));
          ++pod.containers[0].restarts;
        });
      default: {
        PodView twin = cluster_.stored_pod(name);  // a duplicate that was made by hand
        twin.name = twin.uid = "";
        twin.deletion_time.reset();
        twin.dropped = false;
        cluster_.add_pod(twin);
      }
    }
  }

  void job_event() {
    const int kind = *inRange(0, 8);
    cluster_.update_job([&](JobView& job) {
      switch (kind) {
        case 0:
        case 1:
          job.spec.suspend = !job.spec.suspend;
          break;
        case 2:
          job.spec.parallelism = *inRange(0, 5);
          break;
        case 3:
          job.spec.backoff_limit = *inRange(0, 9);
          break;
        case 4:
          if (!job.spec.failure_policy) {
            job.spec.replace_only_failed = !job.spec.replace_only_failed;
          }
          break;
        case 5:
          if (job.spec.mode == CompletionMode::indexed) {
            job.spec.parallelism = *(job.spec.completions = *inRange(0, 6));
          }
          break;
        default:
          break;
      }
    });
  }

  void check() {
    if (!cluster_.broken.empty()) {
      log();
    }
    RC_ASSERT(cluster_.broken == std::vector<std::string>());
  }

  void log() {
    for (const std::string& line : cluster_.trace) {
      RC_LOG() << line << "\n";
    }
  }

  FakeCluster cluster_;
  bool faults_ = true;
};

RC_GTEST_PROP(RandomWorld, IncrementalEqualsRecountAndTheJobEnds, ()) {
  RandomWorld world;
  world.live(*inRange(1, 80));
  world.settle();
}

}  // namespace
}  // namespace windlass::engine::testing
