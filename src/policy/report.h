// What `windlass policy test` prints: outlooks as a table for people, as JSON for programs, and the
// results of a cases file as a list, as JSON and as JUnit. Pure functions to text.
#pragma once

#include <string>
#include <vector>

#include "policy/case_file.h"
#include "policy/outlook.h"

namespace windlass::policy {

// Rows of text as a table: every column as wide as its widest cell, two blanks between columns, no
// blanks at the end of a line. Pure.
std::string columns(const std::vector<std::vector<std::string>>& rows,
                    const std::string& indent = "");

// One Job with its failures, or with the cases about it.
struct JobReport {
  std::string title;   // job.batch/demo
  std::string source;  // job.yaml
  std::vector<Outlook> outlooks;
  // With a cases file: one entry per outlook.
  std::vector<PolicyCase> cases;
  std::vector<std::vector<Mismatch>> mismatches;
};

// The whole outcome in a few words: `counts 1/6, retry after 10s`.
std::string next_text(const Outlook& outlook);
// `Job fails after 7 (10m30s): BackoffLimitExceeded`; "" when there is nothing to add.
std::string repeat_text(const Outlook& outlook);

// Failures that differ in their exit code alone and have the same effect share a row.
std::string outlook_table(const JobReport& report);
// One line per case, mismatches side by side below it, and a line with the sums at the end.
std::string case_list(const std::vector<JobReport>& reports);
std::string reports_json(const std::vector<JobReport>& reports);
std::string junit_xml(const std::vector<JobReport>& reports);

}  // namespace windlass::policy
