#include "cli/runs/verdict_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "base/index_set.h"
#include "base/xml.h"
#include "cli/output/findings.h"
#include "cli/output/reporter.h"
#include "explain/index_text.h"
#include "ledger/causes/cause_text.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;
using ledger::CauseGroups;
using ledger::FailureCause;

struct SuiteCase {
  std::string name = {};
  enum class Outcome { passed, failed, skipped } outcome = Outcome::passed;
  std::string kind = {};  // FailedIndexes, exit 42
  std::string text = {};
};

IndexSet stored_indexes(const std::string& text) {
  return IndexSet::parse_stored(text, std::numeric_limits<int32_t>::max()).set;
}

std::string summary_of(const CauseGroups* causes) {
  return causes == nullptr ? "" : ledger::causes_summary(*causes);
}

std::string title_of(const Job& job) {
  return fmt::format("job.batch/{}", job.metadata().name());
}

SuiteCase verdict_case(const ReportedJob& reported, RunVerdict run, const CauseGroups* causes) {
  const auto verdict = verdict_of(*reported.job);
  SuiteCase test{title_of(*reported.job)};
  if (verdict && verdict->complete) {
    return test;
  }
  test.outcome = SuiteCase::Outcome::failed;
  test.kind = verdict ? verdict->reason : std::string(name_of(run));
  test.text = verdict ? verdict->message : "the Job did not finish";
  if (const std::string summary = summary_of(causes); !summary.empty()) {
    test.text += "\n" + summary;
  }
  return test;
}

// The most frequent cause of its failures.
const FailureCause* cause_of_index(const std::vector<const FailureCause*>& causes, int32_t index) {
  const auto found = std::find_if(causes.begin(), causes.end(), [index](const FailureCause* cause) {
    return cause->indexes.contains(index);
  });
  return found == causes.end() ? nullptr : *found;
}

void add_index_cases(const Job& job, const CauseGroups* groups, std::vector<SuiteCase>& cases) {
  if (job.spec().completion_mode() != "Indexed" || job.spec().completions() > kMaxJunitIndexes) {
    return;
  }
  const IndexSet succeeded = stored_indexes(job.status().completed_indexes());
  const IndexSet failed = stored_indexes(job.status().failed_indexes());
  const std::vector<const FailureCause*> causes =
      groups == nullptr ? std::vector<const FailureCause*>() : groups->causes();
  for (int32_t index = 0; index < job.spec().completions(); ++index) {
    SuiteCase test{fmt::format("index {}", index)};
    if (!succeeded.contains(index)) {
      const FailureCause* cause = cause_of_index(causes, index);
      const bool has_failed = failed.contains(index);
      test.outcome = has_failed ? SuiteCase::Outcome::failed : SuiteCase::Outcome::skipped;
      test.kind = cause == nullptr ? "" : cause->full_title();
      test.text = has_failed ? "failed" : "not finished";
    }
    cases.push_back(std::move(test));
  }
}

std::string case_text(const std::string& suite, const SuiteCase& test) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_escaped(suite),
                                 xml_escaped(test.name));
  switch (test.outcome) {
    case SuiteCase::Outcome::passed:
      return text + "/>\n";
    case SuiteCase::Outcome::skipped:
      return text + fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                                xml_escaped(test.text));
    case SuiteCase::Outcome::failed:
      break;
  }
  const std::string& message = test.kind.empty() ? test.text : test.kind;
  return text +
         fmt::format(
             ">\n      <failure type=\"{0}\" message=\"{0}\">{1}</failure>\n    </testcase>\n",
             xml_escaped(message), xml_escaped(test.text));
}

double whole_seconds(Duration duration) {
  return static_cast<double>(
             std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) /
         1000.0;
}

}  // namespace

std::string run_junit(const RunAccount& run, const CausesOf& causes_of) {
  std::string suites;
  int64_t all_tests = 0;
  int64_t all_failures = 0;
  for (const ReportedJob& reported : run.jobs) {
    const Job& job = *reported.job;
    const CauseGroups* causes = causes_of(job.metadata().uid());
    std::vector<SuiteCase> cases = {verdict_case(reported, run.verdict, causes)};
    add_index_cases(job, causes, cases);
    const auto count = [&cases](SuiteCase::Outcome outcome) {
      return std::count_if(cases.begin(), cases.end(),
                           [outcome](const SuiteCase& test) { return test.outcome == outcome; });
    };
    const auto failures = count(SuiteCase::Outcome::failed);
    all_tests += static_cast<int64_t>(cases.size());
    all_failures += failures;
    const std::string name =
        fmt::format("{}.{}", job.metadata().namespace_(), job.metadata().name());
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
        xml_escaped(name), cases.size(), failures, count(SuiteCase::Outcome::skipped),
        whole_seconds(reported.took.value_or(run.ended - run.started)));
    for (const SuiteCase& test : cases) {
      suites += case_text(name, test);
    }
    suites += "  </testsuite>\n";
  }
  return fmt::format(
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<testsuites name=\"windlass run\" tests=\"{}\" failures=\"{}\" time=\"{:.3f}\">\n",
             all_tests, all_failures, whole_seconds(run.ended - run.started)) +
         suites + "</testsuites>\n";
}

std::string run_annotations(const RunAccount& run, const CausesOf& causes_of) {
  std::string lines;
  for (const ReportedJob& reported : run.jobs) {
    const SuiteCase test =
        verdict_case(reported, run.verdict, causes_of(reported.job->metadata().uid()));
    if (test.outcome == SuiteCase::Outcome::failed) {
      lines += fmt::format("::error title={}::{}\n",
                           github_escaped(fmt::format("{} {}", test.name, test.kind), true),
                           github_escaped(test.text, false));
    }
  }
  return lines;
}

bool tell_pipeline(const PipelineOptions& options, const RunAccount& run, const CausesOf& causes_of,
                   env::Files& files, Output& output) {
  constexpr unsigned kReadableByAll = 0644;
  if (options.annotations) {
    output.err(run_annotations(run, causes_of));
  }
  if (options.junit.empty()) {
    return true;
  }
  const Result<void> written =
      files.write(options.junit, run_junit(run, causes_of), kReadableByAll);
  if (!written) {
    output.err(fmt::format("error: {}\n", written.error().message));
  }
  return written.has_value();
}

}  // namespace windlass::cli
