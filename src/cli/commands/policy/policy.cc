// `windlass policy`: the group of `test` and `lint`.
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/commands/policy/policy_lint.h"
#include "cli/commands/policy/policy_test_command.h"
#include "cli/flags/command_line.h"
#include "cli/flags/flags.h"
#include "cli/flags/manifest_flags.h"
#include "posix/files/posix_files.h"

namespace windlass::cli {
namespace {

using FormatNames = std::vector<std::pair<std::string_view, PolicyFormat>>;

void declare_policy_format(Flags& flags, PolicyFormat& format, FormatNames names,
                           const std::string& help) {
  flags.parsed("-o,--output FORMAT", help,
               [&format, names = std::move(names)](const std::string& text) -> Result<void> {
                 std::string allowed;
                 for (const auto& [name, value] : names) {
                   allowed += (allowed.empty() ? "" : ",") + std::string(name);
                   if (text == name) {
                     format = value;
                     return {};
                   }
                 }
                 return text.empty() ? Result<void>() : unknown_output_format(text, allowed);
               });
}

Result<void> check_test_options(const PolicyTestOptions& options) {
  const auto& paths = options.manifests.paths;
  if (options.cases == "-" && std::find(paths.begin(), paths.end(), "-") != paths.end()) {
    return fail(plain_error("standard input can be read once: for -f or for --cases"));
  }
  return {};
}

}  // namespace

void declare_flags(Flags& flags, PolicyTestOptions& options) {
  declare_manifest_flags(flags, options.manifests);
  flags.text("--cases FILE", options.cases,
             "YAML list of failures and the expected reaction to each; compare the Jobs with it "
             "(default: job.cases.yaml beside job.yaml, if it is there)");
  declare_policy_format(flags, options.format,
                        {{"table", PolicyFormat::table},
                         {"json", PolicyFormat::json},
                         {"junit", PolicyFormat::junit}},
                        "Output format: table, json, or with cases junit (default: table)");
  declare_feature_gates(flags, options.gates);
  flags.check([&options] { return check_test_options(options); });
  flags.exit_codes({{0, "All cases are as expected"},
                    {1, "A case is not as expected, or a Job is invalid"},
                    {2, "Wrong usage, or a file cannot be read"}});
  flags.examples({"windlass policy test -f job.yaml",
                  "windlass policy test -f job.yaml --cases job.policy-test.yaml",
                  "windlass policy test -f job.yaml --cases cases.yaml -o junit > report.xml"});
}

void declare_flags(Flags& flags, PolicyLintOptions& options) {
  declare_manifest_flags(flags, options.manifests);
  declare_policy_format(flags, options.format,
                        {{"table", PolicyFormat::table},
                         {"json", PolicyFormat::json},
                         {"sarif", PolicyFormat::sarif},
                         {"junit", PolicyFormat::junit},
                         {"github", PolicyFormat::github}},
                        "Output format: table, json, sarif, junit, or github for annotations "
                        "(default: table)");
  flags.choice<policy::Severity>("--fail-on SEVERITY", options.fail_on,
                                 {{"error", policy::Severity::error},
                                  {"warning", policy::Severity::warning},
                                  {"info", policy::Severity::info}},
                                 "Lowest severity of a finding that makes the command fail: error, "
                                 "warning or info (default: warning)");
  declare_feature_gates(flags, options.gates);
  flags.paragraph(
      "Prints nothing when there are no findings. To accept a finding, name it in the annotation "
      "windlass.dev/lint-ignore of the Job: never-matches,ttl-zero");
  flags.exit_codes({{0, "No findings of the severity --fail-on or above"},
                    {1, "Findings of that severity"},
                    {2, "Wrong usage, or a file cannot be read"}});
  flags.examples({"windlass policy lint -f job.yaml", "helm template . | windlass policy lint -f -",
                  "windlass policy lint -f jobs/ -R --fail-on error -o json"});
}

Command policy_command() {
  return {
      .name = "policy",
      .summary = "Test and lint the failure policies of Jobs",
      .subcommands = {make_command<PolicyTestOptions>(
                          "test", "Show which rule applies to each failure and how the Job reacts",
                          [](const PolicyTestOptions& options, Output& output) {
                            posix::PosixFiles files;
                            return policy_test(options, files, output);
                          }),
                      make_command<PolicyLintOptions>(
                          "lint", "Find mistakes in failure policies, with reasons and fixes",
                          [](const PolicyLintOptions& options, Output& output) {
                            posix::PosixFiles files;
                            return policy_lint(options, files, output);
                          })}};
}

}  // namespace windlass::cli
