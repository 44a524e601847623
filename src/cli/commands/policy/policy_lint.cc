#include "cli/commands/policy/policy_lint.h"

#include <fmt/format.h>

#include "base/json_writer.h"

#include <algorithm>
#include <tuple>

#include "api/codec/json/json_text.h"
#include "api/object.h"
#include "cli/manifests/policy_jobs.h"
#include "cli/output/findings.h"

namespace windlass::cli {
namespace {

struct PlacedFinding {
  std::string source;
  std::string job;
  api::SourcePosition position;
  policy::LintFinding finding;
};

std::vector<PlacedFinding> lint_job(const PolicyJob& job, const api::FeatureGates& gates) {
  std::vector<policy::Refusal> refusals;
  for (const Diagnostic& error : job.checked.errors) {
    refusals.emplace_back(error.path, error.text);
  }
  const bool readable = job.checked.object != nullptr && job.checked.kind == &api::kinds::job();
  const std::vector<policy::LintFinding> findings =
      readable ? policy::lint(policy::read_subject(*job.checked.object, gates), refusals)
               : policy::lint_refusals(refusals);
  std::vector<PlacedFinding> placed;
  for (const policy::LintFinding& finding : findings) {
    placed.push_back({job.manifest.source, job.checked.title,
                      job.manifest.document.find(finding.path), finding});
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
    return std::tie(a.position.line, a.position.column) <
           std::tie(b.position.line, b.position.column);
  });
  return placed;
}

std::string as_text(const PlacedFinding& placed) {
  const policy::LintFinding& finding = placed.finding;
  // Errors of validation begin with the path already.
  const bool named = finding.path.empty() || finding.what.find(finding.path) != std::string::npos;
  std::string text = fmt::format("{}:{}:{}: {}: {}{} [{}]\n", placed.source, placed.position.line,
                                 placed.position.column, policy::severity_name(finding.severity),
                                 named ? "" : finding.path + ": ", finding.what, finding.id);
  text += fmt::format("    why: {}\n", finding.why);
  return finding.fix.empty() ? text : text + fmt::format("    fix: {}\n", finding.fix);
}

std::string as_json(const std::vector<PlacedFinding>& all) {
  std::string compact;
  JsonWriter json(compact);
  json.open_object().key("findings").open_list();
  for (const PlacedFinding& placed : all) {
    const policy::LintFinding& finding = placed.finding;
    json.open_object().member("source", placed.source);
    json.key("line").number(static_cast<int64_t>(placed.position.line));
    json.key("column").number(static_cast<int64_t>(placed.position.column));
    json.member("job", placed.job).member("severity", policy::severity_name(finding.severity));
    json.member("id", finding.id).member("path", finding.path).member("what", finding.what);
    json.member("why", finding.why).member("fix", finding.fix).close_object();
  }
  json.close_list().close_object();
  std::string text;
  api::append_pretty_json(compact, text);
  return text + "\n";
}

FileFinding as_finding(const PlacedFinding& placed, policy::Severity fail_on) {
  const policy::LintFinding& finding = placed.finding;
  FileFinding found;
  found.file = placed.source;
  found.line = static_cast<int64_t>(placed.position.line);
  found.column = static_cast<int64_t>(placed.position.column);
  found.level = finding.severity == policy::Severity::error     ? FileFinding::Level::error
                : finding.severity == policy::Severity::warning ? FileFinding::Level::warning
                                                                : FileFinding::Level::note;
  found.rule = finding.id;
  found.text = finding.what;
  found.object = placed.job;
  found.help = "why: " + finding.why + (finding.fix.empty() ? "" : "\nfix: " + finding.fix);
  found.fails = finding.severity >= fail_on;
  return found;
}

void print_for_pipeline(FindingFormat format, const std::vector<PlacedFinding>& all,
                        const std::vector<PolicyJob>& jobs, const PolicyLintOptions& options,
                        Output& output) {
  std::vector<FileFinding> findings;
  std::vector<Examined> examined;
  for (const PlacedFinding& placed : all) {
    findings.push_back(as_finding(placed, options.fail_on));
  }
  for (const PolicyJob& job : jobs) {
    examined.push_back({job.manifest.source, job.checked.title});
  }
  output.out(findings_text(format, "policy lint", findings, examined));
}

void print_findings(const std::vector<PlacedFinding>& all, const std::vector<PolicyJob>& jobs,
                    const PolicyLintOptions& options, Output& output) {
  switch (options.format) {
    case PolicyFormat::json:
      return output.out(as_json(all));
    case PolicyFormat::sarif:
      return print_for_pipeline(FindingFormat::sarif, all, jobs, options, output);
    case PolicyFormat::junit:
      return print_for_pipeline(FindingFormat::junit, all, jobs, options, output);
    case PolicyFormat::github:
      return print_for_pipeline(FindingFormat::github, all, jobs, options, output);
    case PolicyFormat::table:
      break;
  }
  for (const PlacedFinding& placed : all) {
    output.out(as_text(placed));
  }
}

}  // namespace

ExitCode policy_lint(const PolicyLintOptions& options, env::Files& files, Output& output) {
  const PolicyJobs loaded = load_jobs(options.manifests, options.gates, files, output);
  std::vector<PlacedFinding> all;
  for (const PolicyJob& job : loaded.jobs) {
    const auto findings = lint_job(job, options.gates);
    all.insert(all.end(), findings.begin(), findings.end());
  }
  print_findings(all, loaded.jobs, options, output);
  if (loaded.code != ExitCode::ok) {
    return loaded.code;
  }
  const bool bad = std::any_of(all.begin(), all.end(), [&](const PlacedFinding& placed) {
    return placed.finding.severity >= options.fail_on;
  });
  return bad ? ExitCode::failed : ExitCode::ok;
}

}  // namespace windlass::cli
