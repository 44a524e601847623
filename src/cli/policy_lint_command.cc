#include "cli/policy_lint_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/codec/json_text.h"
#include "api/object.h"
#include "cli/policy_jobs.h"
#include "policy/json_object.h"

namespace windlass::cli {
namespace {

struct PlacedFinding {
  std::string source;
  std::string job;
  api::SourcePosition position;
  policy::Finding finding;
};

std::vector<PlacedFinding> lint_job(const PolicyJob& job, const api::FeatureGates& gates) {
  std::vector<policy::Refusal> refusals;
  for (const Diagnostic& error : job.checked.errors) {
    refusals.emplace_back(error.path, error.text);
  }
  const bool readable = job.checked.object != nullptr && job.checked.kind == &api::kinds::job();
  const std::vector<policy::Finding> findings =
      readable ? policy::lint(policy::read_subject(*job.checked.object, gates), refusals)
               : policy::lint_refusals(refusals);
  std::vector<PlacedFinding> placed;
  for (const policy::Finding& finding : findings) {
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
  const policy::Finding& finding = placed.finding;
  // What validation says begins with the path already.
  const bool named = finding.path.empty() || finding.what.find(finding.path) != std::string::npos;
  std::string text = fmt::format("{}:{}:{}: {}: {}{} [{}]\n", placed.source, placed.position.line,
                                 placed.position.column, policy::severity_name(finding.severity),
                                 named ? "" : finding.path + ": ", finding.what, finding.id);
  text += fmt::format("    why: {}\n", finding.why);
  return finding.fix.empty() ? text : text + fmt::format("    fix: {}\n", finding.fix);
}

std::string as_json(const std::vector<PlacedFinding>& all) {
  std::vector<std::string> items;
  for (const PlacedFinding& placed : all) {
    policy::JsonObject item;
    item.add_text("source", placed.source);
    item.add_number("line", static_cast<int64_t>(placed.position.line));
    item.add_number("column", static_cast<int64_t>(placed.position.column));
    item.add_text("job", placed.job);
    item.add_text("severity", policy::severity_name(placed.finding.severity));
    item.add_text("id", placed.finding.id);
    item.add_text("path", placed.finding.path);
    item.add_text("what", placed.finding.what);
    item.add_text("why", placed.finding.why);
    item.add_text("fix", placed.finding.fix);
    items.push_back(item.text());
  }
  policy::JsonObject root;
  root.add_raw("findings", policy::json_list(items));
  std::string text;
  api::append_pretty_json(root.text(), text);
  return text + "\n";
}

}  // namespace

ExitCode policy_lint(const PolicyLintOptions& options, env::Files& files, Output& output) {
  const PolicyJobs loaded = load_jobs(options.manifests, options.gates, files, output);
  std::vector<PlacedFinding> all;
  for (const PolicyJob& job : loaded.jobs) {
    const auto findings = lint_job(job, options.gates);
    all.insert(all.end(), findings.begin(), findings.end());
  }
  if (options.format == PolicyFormat::json) {
    output.out(as_json(all));
  } else {
    for (const PlacedFinding& placed : all) {
      output.out(as_text(placed));
    }
  }
  if (loaded.code != ExitCode::ok) {
    return loaded.code;
  }
  const bool bad = std::any_of(all.begin(), all.end(), [&](const PlacedFinding& placed) {
    return placed.finding.severity >= options.fail_on;
  });
  return bad ? ExitCode::failed : ExitCode::ok;
}

}  // namespace windlass::cli
