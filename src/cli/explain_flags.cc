#include "cli/explain_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "cli/flag_values.h"

namespace windlass::cli {
namespace {

constexpr int64_t kMaxLogLines = 10'000;

// `job/NAME` in kubectl's spellings, or the name alone.
Result<std::string> job_name(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view kind = slash == std::string_view::npos ? "job" : text.substr(0, slash);
  const std::string_view name = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const bool is_job =
      kind == "job" || kind == "jobs" || kind == "job.batch" || kind == "jobs.batch";
  if (!is_job || name.empty() || name.find('/') != std::string_view::npos) {
    return fail(plain_error(fmt::format("\"{}\" is not job/NAME", text)));
  }
  return std::string(name);
}

}  // namespace

CLI::App* add_explain(CLI::App& app, ExplainFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "explain", "Say why a Job ended as it did, or what it waits for; on any cluster");
  ExplainOptions& options = flags.options;
  command->add_option("JOB", flags.job, "job/NAME");
  command->add_option("-n,--namespace", options.ns,
                      "Namespace of the Job (default: that of the context)");
  command->add_option("--index", options.index, "Tell of this index alone")
      ->check(CLI::NonNegativeNumber);
  command->add_option("-o,--output", flags.output, "json");
  command->add_option("--tail", options.log_lines, "Lines of the deciding pod's log (10)")
      ->check(CLI::Range(int64_t{0}, kMaxLogLines));
  command->add_option("--backoff-base", flags.backoff_base,
                      "First retry delay of the Job's controller (default: asks `windlass up`; "
                      "10s on other servers)");
  command->add_option("--backoff-cap", flags.backoff_cap,
                      "Longest retry delay of the Job's controller (default: likewise; 10m)");
  command->add_option("--kubeconfig", options.cluster.kubeconfig,
                      "Kubeconfig file (default: $KUBECONFIG, the pod's own, ~/.kube/config, or "
                      "that of a running `windlass up`)");
  command->add_option("--context", options.cluster.context,
                      "Context to use (default: the kubeconfig's current context)");
  command->footer(
      "Reads only. Exit code: 0 explained, 1 no such Job or no answer, 2 wrong usage.\n\n"
      "Examples:\n"
      "  windlass explain job/nightly\n"
      "  windlass explain job/nightly --index 3\n"
      "  windlass explain job/nightly -n batch -o json");
  return command;
}

Result<ExplainOptions> read_explain_flags(const ExplainFlags& flags) {
  ExplainOptions options = flags.options;
  TRY(options.job, job_name(flags.job));
  if (!flags.backoff_base.empty()) {
    TRY(options.backoff_base, positive_duration("--backoff-base", flags.backoff_base));
  }
  if (!flags.backoff_cap.empty()) {
    TRY(options.backoff_cap, positive_duration("--backoff-cap", flags.backoff_cap));
  }
  if (!flags.output.empty() && flags.output != "json") {
    return fail(
        plain_error(fmt::format("unable to match a printer suitable for the output format \"{}\", "
                                "allowed formats are: json",
                                flags.output)));
  }
  options.json = flags.output == "json";
  return options;
}

}  // namespace windlass::cli
