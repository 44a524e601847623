#include "cli/commands/policy/policy_test_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

using Cases = std::optional<std::vector<policy::PolicyCase>>;

// The cases of each Job: those of --cases, or those of the file beside its own.
class CaseBook {
 public:
  CaseBook(const PolicyTestOptions& options, env::Files& files, Output& output)
      : options_(options), files_(files), output_(output) {}

  // Nothing without a file; the cases of a file that is not usable make ok() false.
  const Cases& of(const std::string& manifest) {
    const std::string path = options_.cases.empty() ? cases_beside(manifest) : options_.cases;
    const auto known = files_of_cases_.find(path);
    if (known != files_of_cases_.end()) {
      return known->second;
    }
    Cases& cases = files_of_cases_[path];
    if (!path.empty()) {
      cases = load_cases(path, files_, output_);
      ok_ = ok_ && cases.has_value();
      any_ = true;
    }
    return cases;
  }

  bool ok() const { return ok_; }
  bool any() const { return any_; }
  const std::map<std::string, Cases>& all() const { return files_of_cases_; }

 private:
  // job.yaml has job.cases.yaml; "" where there is none.
  std::string cases_beside(const std::string& manifest) const {
    const size_t dot = manifest.rfind('.');
    if (dot == std::string::npos || manifest.find('/', dot) != std::string::npos) {
      return "";
    }
    const std::string path = manifest.substr(0, dot) + ".cases" + manifest.substr(dot);
    return files_.type(path) ? path : "";
  }

  const PolicyTestOptions& options_;
  env::Files& files_;
  Output& output_;
  std::map<std::string, Cases> files_of_cases_;  // by path
  bool ok_ = true;
  bool any_ = false;
};

policy::JobReport report_on(const PolicyJob& job, const api::FeatureGates& gates,
                            const Cases& cases) {
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

// Jobs with cases as lists, then the others as tables.
void print_tables(const std::vector<policy::JobReport>& reports, Output& output) {
  std::vector<policy::JobReport> compared;
  std::vector<policy::JobReport> shown;
  for (const policy::JobReport& report : reports) {
    (report.cases.empty() ? shown : compared).push_back(report);
  }
  if (!compared.empty()) {
    output.out(policy::case_list(compared));
  }
  for (size_t i = 0; i < shown.size(); ++i) {
    output.out((i == 0 && compared.empty() ? "" : "\n") + policy::outlook_table(shown[i]));
  }
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
    case PolicyFormat::sarif:
    case PolicyFormat::github:
      break;
  }
  options.cases.empty() ? print_tables(reports, output) : output.out(policy::case_list(reports));
}

bool all_as_expected(const std::vector<policy::JobReport>& reports) {
  return std::all_of(reports.begin(), reports.end(), [](const auto& report) {
    return std::all_of(report.mismatches.begin(), report.mismatches.end(),
                       [](const auto& mismatches) { return mismatches.empty(); });
  });
}

}  // namespace

ExitCode policy_test(const PolicyTestOptions& options, env::Files& files, Output& output) {
  CaseBook book(options, files, output);
  if (!options.cases.empty()) {
    book.of("");
  }
  if (!book.ok()) {
    return ExitCode::usage;
  }
  const PolicyJobs loaded = load_jobs(options.manifests, options.gates, files, output);
  ExitCode code = loaded.code;
  std::vector<policy::JobReport> reports;
  for (const PolicyJob& job : loaded.jobs) {
    for (const Diagnostic& error : job.checked.errors) {
      output.err(error.line + "\n");
    }
    if (job.checked.valid()) {
      reports.push_back(report_on(job, options.gates, book.of(job.manifest.source)));
    } else if (code == ExitCode::ok) {
      code = ExitCode::failed;
    }
  }
  if (!book.ok()) {
    return ExitCode::usage;
  }
  if (options.format == PolicyFormat::junit && !book.any() && code == ExitCode::ok) {
    output.err(
        "error: -o junit needs cases: without expectations nothing can fail. Give a file with "
        "--cases, or name it job.cases.yaml beside job.yaml\n");
    return ExitCode::usage;
  }
  if (!reports.empty() || options.format != PolicyFormat::table) {
    print(reports, options, output);
  }
  // Only when every Job was tried: a case may be about one that is broken.
  for (const auto& [path, cases] : book.all()) {
    if (cases && code == ExitCode::ok && has_strays(*cases, reports, output)) {
      code = ExitCode::usage;
    }
  }
  return code == ExitCode::ok && !all_as_expected(reports) ? ExitCode::failed : code;
}

}  // namespace windlass::cli
