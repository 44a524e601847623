#include "cli/commands/run/run.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/manifests/run_preflight.h"
#include "cli/output/background_output.h"
#include "cli/process.h"
#include "cli/runs/run_ledger.h"
#include "posix/files/scratch_directory.h"
#include "posix/process/find_program.h"
#include "posix/process/inherited.h"

namespace windlass::cli {
namespace {

Failure no_plan() {
  return fail(plain_error(""));  // the errors are on the output already
}

// All that the manifests ask for, and what is left of it.
struct PlannedRun {
  RunPlan all;
  RunPlan left;
  std::string resumes = {};
  std::vector<RunRecord::DoneJob> done = {};
};

Result<PlannedRun> plan_all(const RunOptions& options, env::Files& files, Output& output) {
  auto plan = plan_run(options, files, output);
  const bool can_pull = posix::find_program({"skopeo"}, {}).has_value();
  if (!plan || !preflight(*plan, options.images, can_pull, files, output)) {
    return no_plan();
  }
  return PlannedRun{*plan, *plan};
}

// A plan without Jobs when nothing is left.
Result<PlannedRun> plan_rest(RunOptions& options, env::Files& files, Output& output) {
  const RunStore store(runs_directory());
  TRY(Resume resume, Resume::find(store, *options.resume.run, files, options));
  if (resume.is_over()) {
    output.err(fmt::format("run/{} is Complete: nothing is left to run\n", resume.run().name));
    return PlannedRun{};
  }
  TRY(PlannedRun planned, plan_all(options, files, output));
  TRY(RestOfPlan rest, resume.rest_of(planned.all, options.resume.force, output));
  output.err(fmt::format("resuming run/{} ({})\n", resume.run().name, resume.run().verdict()));
  for (const std::string& note : rest.notes) {
    output.err(note + "\n");
  }
  planned.left = std::move(rest.plan);
  planned.resumes = resume.run().name;
  planned.done = resume.done();
  return planned;
}

// A terminal on a desktop has a browser beside it.
RunPageTools page_tools(Process& process, const RunStorage& storage, const std::string& directory,
                        const Output& output) {
  RunPageTools tools;
  tools.open = [&process, folder = storage.folder](plane::EmbeddedCluster& cluster,
                                                   const FindNodeDirectory& find_node) {
    return open_run_page(process.env(), process.loop, cluster, find_node, folder.get());
  };
  if (output.is_terminal(Output::Stream::err)) {
    tools.browser = desktop_browser(directory);
  }
  return tools;
}

ExitCode run_jobs(RunOptions options, Output& output) {
  options.images.directory = image_dir_or_default(options.images.directory);
  options.pipeline.annotations = posix::environment_variable("GITHUB_ACTIONS") == "true";
  Process process(options.verbosity);
  const auto planned = options.resume.run ? plan_rest(options, process.files, output)
                                          : plan_all(options, process.files, output);
  if (!planned) {
    if (!planned.error().message.empty()) {
      output.err(fmt::format("error: {}\n", planned.error().message));
    }
    return ExitCode::usage;
  }
  if (planned->left.jobs == 0) {
    return ExitCode::ok;
  }
  output.err(host_root_note(options.images));
  auto scratch = posix::ScratchDirectory::make(temporary_dir(), "windlass-run-");
  if (!scratch) {
    output.err("error: " + scratch.error().message + "\n");
    return ExitCode::failed;
  }
  auto storage =
      open_storage(options, {planned->all, planned->resumes, planned->done}, process.clock, output);
  if (!storage) {
    static_cast<void>(scratch->remove());
    return ExitCode::usage;
  }
  plane::NodeMachine machine = process.machine(options.limits, scratch->path());
  machine.scratch_dir = scratch->path();
  // Destroyed last: it may have to wait for a reader, and signals then have their default action.
  BackgroundOutput background(output, process.clock);
  std::optional<RunLedgerFile> ledger;
  std::optional<images::BackgroundPulls> pulls;
  return process.run_session<RunSession>(
      [&](std::optional<RunSession>& session, const OnFinished& on_finished) {
        if (storage->folder && options.ledger.enabled) {
          storage->ledger =
              ledger.emplace(process.env()).open(*storage->folder, options.ledger, background);
        }
        machine.image_puller =
            &pulls.emplace(process.loop, process.clock, pull_options(options.images.directory));
        session.emplace(
            process.env(), plane::supervised_containers(process.loop, process.clock, process.log),
            options, planned->left, machine, *storage, background,
            [&scratch, &background, on_finished](ExitCode code) {
              if (const auto removed = scratch->remove(); !removed) {
                background.err("warning: " + removed.error().message + "\n");
              }
              on_finished(code);
            },
            page_tools(process, *storage, scratch->path(), background));
      });
}

}  // namespace

namespace {

void declare_resume_flags(Flags& flags, RunOptions& options) {
  flags.optional_value(
      "--resume", "[=RUN]",
      "Continue an interrupted or failed run, by its number in `windlass runs` (default: the "
      "last one). What succeeded is not run again. FILE may be left out",
      [&options](const std::string& text) -> Result<void> {
        options.resume.run = text;
        options.manifests.may_be_missing = true;
        return {};
      });
  flags.toggle("--force", options.resume.force,
               "With --resume: continue although the manifest has changed");
  flags.check([&options]() -> Result<void> {
    if (options.resume.force && !options.resume.run) {
      return fail(plain_error("--force needs --resume"));
    }
    return {};
  });
}

void declare_pipeline_flags(Flags& flags, RunOptions& options) {
  flags.text("--junit FILE", options.pipeline.junit,
             "Write the verdicts as a JUnit report, with a test case for each index");
  flags.toggle("--quiet", options.quiet, "Print verdicts, causes and errors only");
  flags.check([&options]() -> Result<void> {
    if (options.quiet && options.verbose) {
      return fail(plain_error("--quiet and --verbose exclude each other"));
    }
    return {};
  });
}

}  // namespace

void declare_flags(Flags& flags, RunOptions& options) {
  declare_job_flags(flags, options, "Print a report of the run as json or yaml at its end");
  flags.duration("--timeout DURATION", options.timeout,
                 "Stop the Jobs after this time, such as 90s, 5m or 1h30m");
  declare_log_flags(flags, options.logs);
  declare_resume_flags(flags, options);
  flags.choice("--ledger on|off", options.ledger.enabled, {{"on", true}, {"off", false}},
               "Whether each attempt leaves a record with the run, from which --resume and the "
               "causes of failures come (default: on)");
  flags.toggle("--no-record", options.no_record,
               "Keep nothing of this run for `windlass runs` and --resume");
  flags.toggle("--dashboard", options.dashboard,
               "Serve a page about the run on this machine while it lasts, and print its address; "
               "on a desktop, open it");
  declare_pipeline_flags(flags, options);
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
  flags.examples({"windlass run examples/first-job.yaml",
                  "windlass run job.yaml --timeout 10m --logs",
                  "windlass run job.yaml --log-dir logs -o json",
                  "windlass run job.yaml --dashboard", "windlass run --resume"});
}

Command run_command() {
  return make_command<RunOptions>("run", "Run Jobs to completion on this machine as real processes",
                                  run_jobs);
}

}  // namespace windlass::cli
