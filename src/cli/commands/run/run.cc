#include "cli/commands/run/run.h"

#include <optional>
#include <utility>

#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/manifests/run_preflight.h"
#include "cli/output/background_output.h"
#include "cli/process.h"
#include "posix/files/scratch_directory.h"
#include "posix/process/inherited.h"

namespace windlass::cli {
namespace {

std::string temporary_dir() {
  std::string named = posix::environment_variable("TMPDIR");
  while (named.size() > 1 && named.ends_with('/')) {
    named.pop_back();
  }
  return named.starts_with('/') ? named : "/tmp";
}

ExitCode run_jobs(RunOptions options, Output& output) {
  options.images.directory = image_dir_or_default(options.images.directory);
  Process process(options.verbosity);
  const auto plan = plan_run(options, process.files, output);
  if (!plan || !preflight(*plan, options.images, process.files, output)) {
    return ExitCode::usage;
  }
  const auto storage = open_storage(options, *plan, process.clock, output);
  if (!storage) {
    return ExitCode::usage;
  }
  auto scratch = posix::ScratchDirectory::make(temporary_dir(), "windlass-run-");
  if (!scratch) {
    output.err("error: " + scratch.error().message + "\n");
    return ExitCode::failed;
  }
  plane::NodeMachine machine = process.machine(options.limits, scratch->path());
  machine.scratch_dir = scratch->path();
  // Destroyed last: it may have to wait for a reader, and signals then have their default action.
  BackgroundOutput background(output, process.clock);
  return process.run_session<RunSession>(
      [&](std::optional<RunSession>& session, const OnFinished& on_finished) {
        session.emplace(process.env(),
                        plane::supervised_containers(process.loop, process.clock, process.log),
                        options, *plan, machine, *storage, background,
                        [&scratch, &background, on_finished](ExitCode code) {
                          if (const auto removed = scratch->remove(); !removed) {
                            background.err("warning: " + removed.error().message + "\n");
                          }
                          on_finished(code);
                        });
      });
}

}  // namespace

void declare_flags(Flags& flags, RunOptions& options) {
  declare_job_flags(flags, options);
  flags.duration("--timeout DURATION", options.timeout,
                 "Stop the Jobs after this time, such as 90s, 5m or 1h30m");
  declare_log_flags(flags, options.logs);
  flags.toggle("--no-record", options.no_record,
               "Keep nothing of this run for `windlass runs` and `windlass explain`");
  flags.toggle("--verbose", options.verbose,
               "Print a line for every pod that starts or ends. Without it, a terminal shows one "
               "block that is redrawn, and a pipe gets failures, retries and verdicts");
  flags.number("--nodes NUMBER", options.nodes,
               "Number of nodes to spread the pods over; each has all resources of this machine",
               {1, kMaxNodes});
  declare_image_flags(flags, options.images);
  declare_verbosity(flags, options.verbosity);
  declare_limit_flags(flags, options.limits);
  flags.paragraph("Ctrl-C stops the pods gracefully; press it again to kill them immediately.");
  flags.exit_codes({{0, "All Jobs are Complete"},
                    {1, "A Job has Failed"},
                    {2, "Wrong usage, or a manifest is invalid"},
                    {124, "Timed out"},
                    {130, "Interrupted"}});
  flags.examples(
      {"windlass run examples/first-job.yaml", "windlass run job.yaml --timeout 10m --logs"});
}

Command run_command() {
  return make_command<RunOptions>("run", "Run Jobs to completion on this machine as real processes",
                                  run_jobs);
}

}  // namespace windlass::cli
