// What a run tells a pipeline: JUnit, with a test case for each index, and annotations for GitHub.
// docs/guide/ci.md describes both.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "cli/output/output.h"
#include "cli/runs/run_report.h"
#include "env/files.h"
#include "ledger/causes/failure_cause.h"

namespace windlass::cli {

// Jobs with more indexes have one test case, for the verdict.
inline constexpr int64_t kMaxJunitIndexes = 100'000;

// Of a Job, by its UID; null without failures.
using CausesOf = std::function<const ledger::CauseGroups*(const std::string& job_uid)>;

std::string run_junit(const RunAccount& run, const CausesOf& causes_of);

// A line for each Job that is not Complete; "" when all are.
std::string run_annotations(const RunAccount& run, const CausesOf& causes_of);

struct PipelineOptions {
  std::string junit = {};    // a file; "" for none
  bool annotations = false;  // on standard error
};

// False when the file cannot be written; the error is on `output`.
bool tell_pipeline(const PipelineOptions& options, const RunAccount& run, const CausesOf& causes_of,
                   env::Files& files, Output& output);

}  // namespace windlass::cli
