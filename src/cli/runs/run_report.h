// The report of a run: its verdict and, for each Job, the verdict, causes, indexes and figures. `-o
// json` prints it, and the folder of the run keeps it; docs/reference/run-json.md has the fields.
// Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "cli/output/print_objects.h"

namespace windlass::api::batch::v1 {
class Job;
}

namespace windlass::cli {

inline constexpr std::string_view kReportVersion = "windlass.dev/v1";
inline constexpr std::string_view kReportKind = "RunReport";

enum class RunVerdict { running, complete, failed, timed_out, interrupted, error };
// Running, Complete, Failed, TimedOut, Interrupted, Error
std::string_view name_of(RunVerdict verdict);

struct ReportedJob {
  std::shared_ptr<const api::batch::v1::Job> job;  // as it was last seen
  std::optional<Duration> took = {};               // until its verdict; none without one
  int64_t ignored = 0;                             // failures, by a rule
  std::string causes = {};                         // as a JSON list; "" for none
};

struct RunAccount {
  std::string run = {};      // its name; "" where it is not kept
  std::string resumes = {};  // the run that it continues
  RunVerdict verdict = RunVerdict::running;
  std::optional<int> exit_code = {};  // none while it runs
  Time started{};
  Time ended{};  // or now
  std::vector<ReportedJob> jobs = {};
};

// One JSON object, without a line end.
std::string report_json(const RunAccount& report);

// For people and programs: indented JSON, or YAML.
std::string printed_report(const RunAccount& report, OutputFormat format);

// What lists of runs, and later runs, need of a report.
struct ReportSummary {
  struct JobLine {
    std::string ns = {};
    std::string name = {};
    std::string uid = {};
    std::string verdict = {};  // Complete, Failed, Unfinished
    std::string reason = {};
    int64_t succeeded = 0;     // pods
    std::string indexes = {};  // those that succeeded
  };

  std::string verdict = {};
  Time started{};
  Duration took{};
  std::vector<JobLine> jobs = {};
};

// An error where the text is no report, or one of a later version.
Result<ReportSummary> read_report(std::string_view json);

}  // namespace windlass::cli
