// The file of `windlass policy test --cases`: failures of a pod and what is expected to come of
// them. Reading it reports everything that is wrong with it, with line and column. Pure.
//
//   - name: bad input ends the Job
//     failure: {exitCode: 42, container: main}
//     expect: {rule: BadInput, action: FailJob, outcome: JobFails}
//   - failure: {cause: EvictionByEvictionAPI}
//     expect: {action: Ignore, outcome: Retry, retryAfter: 10s, endsAfter: never}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "policy/failure.h"
#include "policy/outlook.h"

namespace windlass::policy {

inline constexpr size_t kMaxCases = 10'000;
inline constexpr int kMaxTimes = 1'000;

// What is absent is not compared.
struct Expectation {
  std::optional<std::string> rule;     // its index or its name; "none"
  std::optional<std::string> action;   // FailJob; "none"
  std::optional<std::string> outcome;  // JobFails
  std::optional<std::string> reason;
  std::optional<std::string> message;  // a part of it
  std::optional<bool> counted;
  std::optional<Duration> retry_after;
  std::optional<int> ends_after;  // failures until the Job ends if it repeats; 0: never
};

struct PolicyCase {
  std::string place;  // cases.yaml:3:3
  std::string name;   // "": what the failure is
  std::string job;    // the Job it is about; "": every one
  Failure failure;
  int times = 1;
  Expectation expect;

  std::string title() const;
};

struct CaseFile {
  std::vector<PolicyCase> cases;
  std::vector<std::string> errors;  // `cases.yaml:4:5: error: ...`
};

// `source` is the file's name, for places.
CaseFile parse_case_file(std::string_view text, const std::string& source);

struct Mismatch {
  std::string field;
  std::string expected;
  std::string got;
};

// In the order of the fields of Expectation; empty when all is as expected.
std::vector<Mismatch> compare(const Expectation& expect, const Outlook& outlook);

}  // namespace windlass::policy
