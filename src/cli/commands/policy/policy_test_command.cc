#include "cli/commands/policy/policy_test_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "api/object.h"
#include "cli/manifests/policy_jobs.h"
#include "policy/report.h"

namespace windlass::cli {
namespace {

// Far above any list that a person writes.
constexpr size_t kMaxCasesBytes = 4 * 1024 * 1024;

std::string shown_name(const std::string& path) {
  return path == "-" ? "<stdin>" : path;
}

// Nothing if the file is not usable; the reason is printed.
std::optional<std::vector<policy::PolicyCase>> load_cases(const std::string& path,
                                                          env::Files& files, Output& output) {
  const auto text = files.read(path, kMaxCasesBytes);
  if (!text) {
    output.err(fmt::format("error: {}\n", text.error().message));
    return std::nullopt;
  }
  policy::CaseFile file = policy::parse_case_file(*text, shown_name(path));
  for (const std::string& error : file.errors) {
    output.err(error + "\n");
  }
  return file.errors.empty() ? std::optional(std::move(file.cases)) : std::nullopt;
}

bool has_container(const policy::Subject& subject, const std::string& name) {
  return std::any_of(subject.containers.begin(), subject.containers.end(),
                     [&](const auto& container) { return container.name == name; });
}

std::string container_names(const policy::Subject& subject) {
  std::string names;
  for (const policy::ContainerInfo& container : subject.containers) {
    names += (names.empty() ? "" : ", ") + container.name;
  }
  return names;
}

void try_case(const policy::Subject& subject, const policy::PolicyCase& wanted,
              policy::JobReport& report) {
  const std::string& container = wanted.failure.container;
  report.cases.push_back(wanted);
  if (!container.empty() && !has_container(subject, container)) {
    policy::Outlook outlook;
    outlook.failure = wanted.failure;
    report.outlooks.push_back(outlook);
    report.mismatches.push_back({{"container", container, "only " + container_names(subject)}});
    return;
  }
  report.outlooks.push_back(policy::look_ahead(subject, wanted.failure, wanted.times));
  report.mismatches.push_back(policy::compare(wanted.expect, report.outlooks.back()));
}

policy::JobReport report_on(const PolicyJob& job, const api::FeatureGates& gates,
                            const std::optional<std::vector<policy::PolicyCase>>& cases) {
  const policy::Subject subject = policy::read_subject(*job.checked.object, gates);
  policy::JobReport report;
  report.title = job.checked.title;
  report.source = job.manifest.source;
  if (!cases) {
    for (const policy::Failure& failure : policy::built_in_failures(subject)) {
      report.outlooks.push_back(policy::look_ahead(subject, failure));
    }
    return report;
  }
  for (const policy::PolicyCase& wanted : *cases) {
    if (wanted.job.empty() || wanted.job == subject.job.name) {
      try_case(subject, wanted, report);
    }
  }
  return report;
}

// A case for a Job that does not exist is an error.
bool has_strays(const std::vector<policy::PolicyCase>& cases,
                const std::vector<policy::JobReport>& reports, Output& output) {
  std::set<std::string> tried;
  for (const policy::JobReport& report : reports) {
    for (const policy::PolicyCase& found : report.cases) {
      tried.insert(found.place);
    }
  }
  bool strays = false;
  for (const policy::PolicyCase& wanted : cases) {
    if (!tried.contains(wanted.place) && !wanted.job.empty()) {
      output.err(fmt::format("{}: error: no Job is named \"{}\"\n", wanted.place, wanted.job));
      strays = true;
    }
  }
  return strays;
}

void print(const std::vector<policy::JobReport>& reports, const PolicyTestOptions& options,
           Output& output) {
  switch (options.format) {
    case PolicyFormat::json:
      output.out(policy::reports_json(reports));
      return;
    case PolicyFormat::junit:
      output.out(policy::junit_xml(reports));
      return;
    case PolicyFormat::table:
      break;
  }
  if (!options.cases.empty()) {
    output.out(policy::case_list(reports));
    return;
  }
  for (size_t i = 0; i < reports.size(); ++i) {
    output.out((i == 0 ? "" : "\n") + policy::outlook_table(reports[i]));
  }
}

bool all_as_expected(const std::vector<policy::JobReport>& reports) {
  return std::all_of(reports.begin(), reports.end(), [](const auto& report) {
    return std::all_of(report.mismatches.begin(), report.mismatches.end(),
                       [](const auto& mismatches) { return mismatches.empty(); });
  });
}

}  // namespace

ExitCode policy_test(const PolicyTestOptions& options, env::Files& files, Output& output) {
  std::optional<std::vector<policy::PolicyCase>> cases;
  if (!options.cases.empty()) {
    cases = load_cases(options.cases, files, output);
    if (!cases) {
      return ExitCode::usage;
    }
  }
  const PolicyJobs loaded = load_jobs(options.manifests, options.gates, files, output);
  ExitCode code = loaded.code;
  std::vector<policy::JobReport> reports;
  for (const PolicyJob& job : loaded.jobs) {
    for (const Diagnostic& error : job.checked.errors) {
      output.err(error.line + "\n");
    }
    if (job.checked.valid()) {
      reports.push_back(report_on(job, options.gates, cases));
    } else if (code == ExitCode::ok) {
      code = ExitCode::failed;
    }
  }
  if (!reports.empty() || options.format != PolicyFormat::table) {
    print(reports, options, output);
  }
  // Only when every Job was tried: a case may be about one that is broken.
  if (cases && code == ExitCode::ok && has_strays(*cases, reports, output)) {
    return ExitCode::usage;
  }
  return code == ExitCode::ok && !all_as_expected(reports) ? ExitCode::failed : code;
}

}  // namespace windlass::cli
