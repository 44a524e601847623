#include "cluster/scenario.h"

namespace windlass::cluster_tests {
namespace {

#define ON_EXIT(action, op, values) \
  R"({"action":")" action R"(","onExitCodes":{"operator":")" op R"(","values":[)" values R"(]}})"
#define ON_DISRUPTION(action) \
  R"({"action":")" action R"(","onPodConditions":[{"type":"DisruptionTarget","status":"True"}]})"
#define POLICY(rules) R"("podFailurePolicy":{"rules":[)" rules "]}"
#define INDEXED(count) \
  R"("completionMode":"Indexed","completions":)" count R"(,"parallelism":)" count

std::string part(const std::string& text, char separator, size_t number) {
  size_t begin = 0;
  for (; number > 0; --number) {
    const size_t next = text.find(separator, begin);
    if (next == std::string::npos) {
      return "";
    }
    begin = next + 1;
  }
  const size_t end = text.find(separator, begin);
  return text.substr(begin, end == std::string::npos ? end : end - begin);
}

std::string nth_end(const std::string& list, int number) {
  const std::string end = part(list, ',', static_cast<size_t>(number));
  return end.empty() ? "0" : end;
}

}  // namespace

std::string end_of_pod(const std::string& ends, int index, int attempt) {
  if (index < 0) {
    return nth_end(ends, attempt);
  }
  for (size_t i = 0;; ++i) {
    const std::string of_index = part(ends, ';', i);
    if (of_index.empty()) {
      return "0";
    }
    if (part(of_index, ':', 0) == std::to_string(index)) {
      return nth_end(part(of_index, ':', 1), attempt);
    }
  }
}

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {"one-pod", "", "0", "Complete", 1, 0},
      {"three-by-two", R"("completions":3,"parallelism":2)", "0", "Complete", 3, 0},
      {"more-parallel-than-needed", R"("completions":3,"parallelism":10)", "0", "Complete", 3, 0},
      {"nothing-to-do", R"("completions":0)", "0", "Complete", 0, 0},
      {"indexed", INDEXED("4"), "", "Complete", 4, 0},
      {"work-queue", R"("parallelism":2)", "0", "Complete", 2, 0, 2},
      {"retry", R"("backoffLimit":2)", "1,0", "Complete", 1, 1},
      {"no-retry", R"("backoffLimit":0)", "1", "Failed BackoffLimitExceeded", 0, 1},
      {"retries-used-up", R"("backoffLimit":2)", "1,1,1", "Failed BackoffLimitExceeded", 0, 3},
      {"retry-among-others", R"("completions":3,"parallelism":3,"backoffLimit":1)", "1,0,0,0",
       "Complete", 3, 1, 3},
      {"deadline", R"("activeDeadlineSeconds":3)", "-", "Failed DeadlineExceeded", 0, 1},

      // KEP-3329
      {"bug-fails-job", POLICY(ON_EXIT("FailJob", "In", "42")), "42", "Failed PodFailurePolicy_0",
       0, 1},
      {"bug-among-others",
       R"("completions":3,"parallelism":3,)" POLICY(ON_EXIT("FailJob", "In", "42")), "42,-,-",
       "Failed PodFailurePolicy_0", 0, 3, 3},
      {"other-code-counts", R"("backoffLimit":1,)" POLICY(ON_EXIT("FailJob", "In", "42")), "1,0",
       "Complete", 1, 1},
      {"disruption-ignored", R"("backoffLimit":0,)" POLICY(ON_DISRUPTION("Ignore")), "D143,0",
       "Complete", 1, 0},
      {"disruptions-ignored", R"("backoffLimit":0,)" POLICY(ON_DISRUPTION("Ignore")),
       "D143,D137,D1,0", "Complete", 1, 0},
      {"disruption-without-rule", R"("backoffLimit":1)", "D143,0", "Complete", 1, 1},
      {"disruption-fails-job", POLICY(ON_DISRUPTION("FailJob")), "D143",
       "Failed PodFailurePolicy_0", 0, 1},
      {"code-ignored", R"("backoffLimit":0,)" POLICY(ON_EXIT("Ignore", "In", "137")), "137,0",
       "Complete", 1, 0},
      {"counted-by-rule", R"("backoffLimit":1,)" POLICY(ON_EXIT("Count", "In", "1")), "1,1",
       "Failed BackoffLimitExceeded", 0, 2},
      {"first-rule-decides",
       R"("backoffLimit":1,)" POLICY(
           ON_EXIT("Count", "In", "42") "," ON_EXIT("FailJob", "In", "42")),
       "42,0", "Complete", 1, 1},
      {"not-in-matches", POLICY(ON_EXIT("FailJob", "NotIn", "1,2")), "3",
       "Failed PodFailurePolicy_0", 0, 1},
      {"not-in-misses", R"("backoffLimit":1,)" POLICY(ON_EXIT("FailJob", "NotIn", "1,2")), "2,0",
       "Complete", 1, 1},
      {"disruption-before-code",
       R"("backoffLimit":0,)" POLICY(ON_DISRUPTION("Ignore") "," ON_EXIT("FailJob", "NotIn", "0")),
       "D143,0", "Complete", 1, 0},
      {"code-after-disruption",
       R"("backoffLimit":0,)" POLICY(ON_DISRUPTION("Ignore") "," ON_EXIT("FailJob", "NotIn", "0")),
       "D143,7", "Failed PodFailurePolicy_1", 0, 1},
      {"second-code-of-rule", POLICY(ON_EXIT("FailJob", "In", "40,41,42")), "42",
       "Failed PodFailurePolicy_0", 0, 1},
      {"indexed-bug", INDEXED("3") "," POLICY(ON_EXIT("FailJob", "In", "42")), "1:42;0:-;2:-",
       "Failed PodFailurePolicy_0", 0, 3, 3},

      // KEP-3850
      {"index-retried", INDEXED("2") R"(,"backoffLimitPerIndex":1)", "0:1,0", "Complete", 2, 1},
      {"index-fails", INDEXED("3") R"(,"backoffLimitPerIndex":0)", "1:1", "Failed FailedIndexes", 2,
       1},
      {"index-retries-used-up", INDEXED("2") R"(,"backoffLimitPerIndex":1)", "0:1,1",
       "Failed FailedIndexes", 1, 2},
      {"all-indexes-fail", INDEXED("3") R"(,"backoffLimitPerIndex":0)", "0:1;1:1;2:1",
       "Failed FailedIndexes", 0, 3},
      {"too-many-indexes", INDEXED("4") R"(,"backoffLimitPerIndex":0,"maxFailedIndexes":1)",
       "0:1;1:1;2:-;3:-", "Failed MaxFailedIndexesExceeded", 0, 4, 4},
      {"few-enough-indexes", INDEXED("4") R"(,"backoffLimitPerIndex":0,"maxFailedIndexes":2)",
       "0:1;3:1", "Failed FailedIndexes", 2, 2},
      {"fail-index",
       INDEXED("3") R"(,"backoffLimitPerIndex":5,)" POLICY(ON_EXIT("FailIndex", "In", "42")),
       "1:42", "Failed FailedIndexes", 2, 1},
      {"fail-index-after-retry",
       INDEXED("2") R"(,"backoffLimitPerIndex":5,)" POLICY(ON_EXIT("FailIndex", "In", "42")),
       "0:1,42", "Failed FailedIndexes", 1, 2},
      {"fail-job-among-indexes",
       INDEXED("3") R"(,"backoffLimitPerIndex":5,)" POLICY(ON_EXIT("FailJob", "In", "42")),
       "2:42;0:-;1:-", "Failed PodFailurePolicy_0", 0, 3, 3},
      {"ignore-among-indexes",
       INDEXED("2") R"(,"backoffLimitPerIndex":0,)" POLICY(ON_DISRUPTION("Ignore")), "0:D143,0",
       "Complete", 2, 0},
      {"count-among-indexes",
       INDEXED("2") R"(,"backoffLimitPerIndex":1,)" POLICY(ON_EXIT("Count", "In", "1")), "1:1,1",
       "Failed FailedIndexes", 1, 2},

      // KEP-3939
      {"replaced-when-failed", R"("backoffLimit":1,"podReplacementPolicy":"Failed")", "1,0",
       "Complete", 1, 1},
      {"replaced-after-disruption",
       R"("backoffLimit":0,"podReplacementPolicy":"Failed",)" POLICY(ON_DISRUPTION("Ignore")),
       "D143,0", "Complete", 1, 0},
      {"index-replaced-when-failed",
       INDEXED("2") R"(,"backoffLimitPerIndex":1,"podReplacementPolicy":"Failed")", "1:1,0",
       "Complete", 2, 1},

      // KEP-4443
      {"named-rule", POLICY(ON_EXIT("FailJob", "In", "42")), "42", "Failed PodFailurePolicy_Broken",
       0, 1, 1, R"(["Broken"])"},
      {"second-named-rule",
       POLICY(ON_EXIT("FailJob", "In", "41") "," ON_EXIT("FailJob", "In", "42")), "42",
       "Failed PodFailurePolicy_Two", 0, 1, 1, R"([null,"Two"])"},

      // KEP-3998
      {"success-by-index", INDEXED("3") R"(,"successPolicy":{"rules":[{"succeededIndexes":"0"}]})",
       "1:-;2:-", "Complete", 1, -1, 3},
      {"success-by-count", INDEXED("3") R"(,"successPolicy":{"rules":[{"succeededCount":2}]})",
       "2:-", "Complete", 2, -1, 3},
      {"success-by-count-of-indexes",
       INDEXED("4") R"(,"successPolicy":{"rules":[{"succeededIndexes":"2-3","succeededCount":1}]})",
       "0:-;1:-;3:-", "Complete", 1, -1, 4},
  };
  return all;
}

}  // namespace windlass::cluster_tests
