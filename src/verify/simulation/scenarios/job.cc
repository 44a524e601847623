// Completions, parallelism, suspension, deadlines, deletion, ownership.
#include <array>

#include "verify/simulation/scenarios/scenario.h"

namespace windlass::verify::simulation {
namespace {

constexpr auto kJobRows = std::to_array<ScenarioRow>({
    {"one-pod", "job-controller.md A1: one pod that succeeds", "", "0@3", "Complete"},
    {"retry", "job-controller.md M217: fails once, then succeeds", "", "1@2,0@1", "Complete"},
    {"parallel", "job-controller.md A1: 5 completions, 2 at a time",
     "parallelism: 2, completions: 5", "0@2", "Complete"},
    {"work-queue", "job-controller.md A2, B23: no completions", "parallelism: 2", "0@2",
     "Complete"},
    {"backoff-limit", "safety.md B6: one failure too many", "backoffLimit: 1", "1@1",
     "Failed BackoffLimitExceeded"},
    {"backoff-limit-zero", "safety.md B6: no failure allowed", "backoffLimit: 0", "1@1",
     "Failed BackoffLimitExceeded"},
    {"backoff-parallel", "safety.md B6: running pods go with the Job",
     "parallelism: 3, completions: 3, completionMode: Indexed, backoffLimit: 0",
     "0=1@2;*=0@100/2:0", "Failed BackoffLimitExceeded"},
    {"restarts-in-place", "disruption.md scenario 88: OnFailure, the container restarts",
     "pod:restartPolicy: OnFailure", "1@1,1@1,0@1", "Complete"},
    {"restarts-limit", "safety.md B6: OnFailure, too many restarts",
     "backoffLimit: 1, pod:restartPolicy: OnFailure", "1@1", "Failed BackoffLimitExceeded"},
    {"deadline", "job-controller.md 2.32: active longer than allowed",
     "activeDeadlineSeconds: 5, pod:terminationGracePeriodSeconds: 1", "0@100/-",
     "Failed DeadlineExceeded"},
    {"deadline-in-backoff", "D1: the deadline passes while no pod runs", "activeDeadlineSeconds: 8",
     "1@3", "Failed DeadlineExceeded"},
    {"zero-parallelism", "job-controller.md A18: nothing may run", "parallelism: 0", "0@1",
     "waits"},
    {"scale-up", "job-controller.md A19: parallelism raised", "parallelism: 1, completions: 4",
     "0@5", "Complete", "3s parallelism j 3"},
    {"scale-down", "job-controller.md A19: parallelism lowered", "parallelism: 4, completions: 4",
     "0@20", "Complete", "5s parallelism j 1"},
    {"scale-to-zero-and-back", "job-controller.md A18, A19", "parallelism: 2, completions: 2",
     "0@20", "Complete", "5s parallelism j 0; 40s parallelism j 2"},
    {"suspended", "job-controller.md E61: created suspended", "suspend: true", "0@1", "waits"},
    {"suspend-resume", "job-controller.md E56, E60", "parallelism: 2, completions: 2", "0@20",
     "Complete", "5s suspend j; 30s resume j"},
    {"suspend-slow-ending", "job-controller.md N238: old pods end before new ones start",
     "parallelism: 2, completions: 2, podReplacementPolicy: Failed", "0@60/10:143,0@5", "Complete",
     "5s suspend j; 8s resume j"},
    {"suspend-success-in-grace", "job-controller.md N248", "", "0@30/5:0,0@3", "Complete",
     "5s suspend j; 20s resume j"},
    {"suspend-in-backoff", "3.28: suspending does not forget failures", "backoffLimit: 1", "1@2",
     "Failed BackoffLimitExceeded", "5s suspend j; 30s resume j"},
    {"suspend-for-good", "A5: suspended and never resumed", "parallelism: 3, completions: 3",
     "0@50", "waits", "4s suspend j"},
    {"suspend-one-done", "C10: one has succeeded when the others are given up",
     "parallelism: 4, completions: 4", "0@2,0@60", "waits", "4s suspend j"},
    {"delete-background", "job-controller.md L206", "parallelism: 2", "0@60", "gone",
     "5s delete-job j Background"},
    {"delete-foreground", "job-controller.md L206", "parallelism: 2", "0@60", "gone",
     "5s delete-job j Foreground"},
    {"delete-orphan", "job-controller.md L206: pods stay, without finalizers", "parallelism: 2",
     "0@20", "gone", "5s delete-job j Orphan"},
    {"delete-in-backoff", "job-controller.md N231", "", "1@1", "gone",
     "5s delete-job j Background"},
    {"recreate",
     "job-controller.md M221, safety.md W3: a new Job of the same name inherits nothing", "",
     "1@2,0@2", "Complete", "4s recreate j"},
    {"recreate-while-running", "safety.md I24: same name, new UID", "", "0@10", "Complete",
     "5s recreate j"},
    {"ttl", "D2: gone after its time", "ttlSecondsAfterFinished: 30", "0@2", "gone"},
    {"ttl-zero", "D2: gone at once", "ttlSecondsAfterFinished: 0", "0@2", "gone"},
    {"ttl-failed", "D2: a failed Job too", "ttlSecondsAfterFinished: 10, backoffLimit: 0", "1@2",
     "gone"},
    {"foreign", "job-controller.md N225: managed by another", "managedBy: example.com/other", "0@1",
     "waits"},
    {"own-name", "job-controller.md N226: managed by the built-in controller",
     "managedBy: kubernetes.io/job-controller", "0@1", "Complete"},
    {"strip-finalizer", "job-controller.md N247: a user takes the finalizer", "completions: 2",
     "0@10", "*", "5s strip-pod j 0"},
    {"orphan-a-pod", "job-controller.md L201: a user removes the owner", "", "0@10", "*",
     "5s orphan-pod j 0"},
    {"delete-ended", "C1: pods deleted once they have ended", "parallelism: 2, completions: 4",
     "0@3", "Complete", "5s delete-ended-pods j; 8s delete-ended-pods j"},
    {"clock-back", "D3: the wall clock is set back an hour", "backoffLimit: 2", "1@2,0@2",
     "Complete", "5s clock -3600s"},
    {"clock-forward", "D3: the wall clock is set forward an hour", "backoffLimit: 2", "1@2,0@2",
     "Complete", "5s clock 3600s"},
    {"controller-restarts", "190: the controller dies again and again",
     "parallelism: 3, completions: 6", "1@2,0@2", "Complete",
     "2s crash job-controller 1s; 5s crash job-controller 1s; 9s crash job-controller 5s; "
     "20s crash job-controller 2s"},
    {"server-restarts", "S1: the API server dies again and again", "parallelism: 3, completions: 6",
     "1@2,0@2", "Complete",
     "2s crash api-server 1s; 5s crash api-server 1s; 9s crash api-server 5s; "
     "20s crash api-server 2s"},
    {"everything-restarts", "swizzle: one part after the other", "parallelism: 2, completions: 4",
     "0@4", "Complete",
     "2s crash scheduler 3s; 3s crash job-controller 4s; 4s crash api-server 2s; "
     "5s crash pod-gc 1s; 9s crash garbage-collector 3s"},
    {"controller-paused", "32: the controller stands still", "parallelism: 2, completions: 4",
     "0@4", "Complete", "3s pause job-controller 40s"},
});

}  // namespace

std::span<const ScenarioRow> job_rows() {
  return kJobRows;
}

}  // namespace windlass::verify::simulation
