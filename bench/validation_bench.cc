// What a create of a Job costs beyond decoding: defaults, preparation, validation. And the checks
// of a status update, which the Job controller causes most of.
#include <benchmark/benchmark.h>

#include <string_view>

#include "api/codec/json/json.h"
#include "api/job/default_job.h"
#include "api/job/job_strategy.h"
#include "api/job/validation/validate_job.h"
#include "base/check.h"
#include "schema/batch/v1/job.pb.h"

namespace {

using namespace windlass::api;  // NOLINT: a benchmark, not a library
using batch::v1::Job;

// A failure policy, one container with environment and resources.
constexpr std::string_view kTypicalJob = R"({
  "metadata": {"name": "training", "namespace": "default", "labels": {"team": "ml"}},
  "spec": {
    "completionMode": "Indexed", "completions": 100, "parallelism": 10,
    "backoffLimitPerIndex": 2, "maxFailedIndexes": 5,
    "podFailurePolicy": {"rules": [
      {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
      {"name": "BadInput", "action": "FailJob",
       "onExitCodes": {"containerName": "main", "operator": "In", "values": [2, 42]}}]},
    "template": {
      "metadata": {"labels": {"app": "training"}},
      "spec": {
        "restartPolicy": "Never",
        "containers": [{
          "name": "main", "image": "registry.example.com/ml/training:1.4",
          "command": ["/bin/train"], "args": ["--epochs", "10"],
          "env": [
            {"name": "MODE", "value": "batch"}, {"name": "LEVEL", "value": "info"},
            {"name": "POD", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
          "resources": {"requests": {"cpu": "500m", "memory": "1Gi"},
                        "limits": {"cpu": "1", "memory": "1Gi"}}}]}}}
})";

Job typical_job() {
  Job job;
  CHECK(decode_json(kTypicalJob, job).has_value(), "the benchmark's own Job");
  return job;
}

void make(Job& job, const FeatureGates& gates) {
  default_job_spec(job, gates);
  prepare_job_for_create(job, {"1a2b3c4d-0000-4000-8000-000000000001", windlass::Time()}, gates);
}

Job stored_job() {
  Job job = typical_job();
  make(job, FeatureGates());
  return job;
}

// The message is copied outside of the measured time: decoding would have made it.
void default_and_validate(benchmark::State& state) {
  const Job decoded = typical_job();
  const FeatureGates gates;
  for (auto _ : state) {
    state.PauseTiming();
    Job job = decoded;
    state.ResumeTiming();
    make(job, gates);
    const FieldErrors errors = validate_job_create(job);
    CHECK(errors.empty(), "the benchmark's own Job is valid");
  }
}
BENCHMARK(default_and_validate);

// The same with the copy, and without the cost of pausing the clock.
void copy_default_and_validate(benchmark::State& state) {
  const Job decoded = typical_job();
  const FeatureGates gates;
  for (auto _ : state) {
    Job job = decoded;
    make(job, gates);
    benchmark::DoNotOptimize(validate_job_create(job).empty());
  }
}
BENCHMARK(copy_default_and_validate);

void validate_only(benchmark::State& state) {
  const Job job = stored_job();
  for (auto _ : state) {
    benchmark::DoNotOptimize(validate_job_create(job).empty());
  }
}
BENCHMARK(validate_only);

void validate_update(benchmark::State& state) {
  const Job old_job = stored_job();
  Job job = old_job;
  job.mutable_spec()->set_parallelism(20);
  for (auto _ : state) {
    benchmark::DoNotOptimize(validate_job_update(old_job, job).empty());
  }
}
BENCHMARK(validate_update);

void validate_status_update(benchmark::State& state) {
  Job old_job = stored_job();
  old_job.mutable_status()->mutable_start_time()->set_seconds(1'700'000'000);
  old_job.mutable_status()->set_completed_indexes("0-40,42,44-50");
  Job job = old_job;
  job.mutable_status()->set_completed_indexes("0-40,42-50");
  job.mutable_status()->set_failed_indexes("41");
  for (auto _ : state) {
    benchmark::DoNotOptimize(validate_job_status_update(old_job, job).empty());
  }
}
BENCHMARK(validate_status_update);

}  // namespace

BENCHMARK_MAIN();
