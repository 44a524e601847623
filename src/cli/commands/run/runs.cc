#include "cli/commands/run/runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "api/codec/json/json_text.h"
#include "base/json_writer.h"
#include "cli/flags/command_line.h"
#include "cli/flags/manifest_flags.h"
#include "cli/output/reporter.h"
#include "cli/output/text.h"
#include "cli/process.h"

namespace windlass::cli {
namespace {

constexpr size_t kMostJobs = 3;  // in a line

// `train, eval and 3 more`; of a Job that failed with its reason.
std::string jobs_text(const StoredRun& run) {
  if (!run.report) {
    return "";
  }
  std::vector<std::string> names;
  for (const ReportSummary::JobLine& job : run.report->jobs) {
    names.push_back(job.verdict == "Failed" ? fmt::format("{} ({})", job.name, job.reason)
                                            : job.name);
  }
  const size_t more = names.size() - std::min(names.size(), kMostJobs);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

Duration took(const StoredRun& run, Time now) {
  if (run.goes_on) {
    return now - run.record.started;
  }
  return run.report ? run.report->took : Duration::zero();
}

using RunRow = std::array<std::string, 5>;

std::string runs_table(const std::vector<StoredRun>& runs, Time now) {
  std::vector<RunRow> rows = {{"RUN", "STARTED", "TOOK", "VERDICT", "JOBS"}};
  for (const StoredRun& run : runs) {
    const Duration time = took(run, now);
    rows.push_back({"run/" + run.name, human_duration(now - run.record.started) + " ago",
                    time > Duration::zero() ? format_elapsed(time) : "-", run.verdict(),
                    jobs_text(run)});
  }
  std::array<size_t, 4> widths = {};
  for (const RunRow& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size());
    }
  }
  std::string text;
  for (const RunRow& row : rows) {
    for (size_t i = 0; i < widths.size(); ++i) {
      text += fmt::format("{:<{}}   ", row[i], widths[i]);
    }
    text += row.back();
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

void add_run(JsonWriter& json, const StoredRun& run, Time now) {
  json.open_object().member("run", run.name).member("verdict", run.verdict());
  json.member("startedAt", format_rfc3339(run.record.started));
  json.key("seconds").real(static_cast<double>(took(run, now) / milliseconds(1)) / 1000.0);
  if (!run.record.resumes.empty()) {
    json.member("resumes", run.record.resumes);
  }
  json.member("path", run.path).member("directory", run.record.directory);
  json.strings("files", run.record.files);
  json.key("jobs").open_list();
  if (run.report) {
    for (const ReportSummary::JobLine& job : run.report->jobs) {
      json.open_object().member("namespace", job.ns).member("name", job.name);
      json.member("verdict", job.verdict).member("reason", job.reason).close_object();
    }
  }
  json.close_list().close_object();
}

std::string runs_json(const std::vector<StoredRun>& runs, Time now) {
  std::string compact;
  JsonWriter json(compact);
  json.open_object().member("apiVersion", kReportVersion).member("kind", "RunList");
  json.key("items").open_list();
  for (const StoredRun& run : runs) {
    add_run(json, run, now);
  }
  json.close_list().close_object();
  std::string text;
  api::append_pretty_json(compact, text);
  return text + "\n";
}

Result<std::string> remove_runs(const std::vector<std::string>& names, RunStore& store) {
  std::vector<StoredRun> runs;
  for (const std::string& name : names) {
    TRY(StoredRun run, store.find(name));
    runs.push_back(std::move(run));
  }
  std::string text;
  for (const StoredRun& run : runs) {
    TRY_VOID(store.remove(run));
    text += fmt::format("run/{} removed\n", run.name);
  }
  return text;
}

Result<std::string> carry_out(const RunsOptions& options, RunStore& store, Time now) {
  if (options.action == RunsOptions::Action::remove) {
    return remove_runs(options.names, store);
  }
  if (options.action == RunsOptions::Action::prune) {
    RunLimits limits;
    limits.runs = options.keep;
    TRY(const std::vector<std::string> removed, store.prune(limits));
    return fmt::format("{} removed\n", counted(removed.size(), "run"));
  }
  TRY(const std::vector<StoredRun> runs, store.list());
  if (options.json) {
    return runs_json(runs, now);
  }
  return runs.empty()
             ? "No runs are kept. `windlass run` keeps its last ones in " + store.directory() + "\n"
             : runs_table(runs, now);
}

ExitCode manage_own_runs(const RunsOptions& options, Output& output) {
  RunStore store(runs_directory());
  posix::PosixClock clock;
  return manage_runs(options, store, clock.now(), output);
}

}  // namespace

void declare_flags(Flags& flags, RunsOptions& options) {
  switch (options.action) {
    case RunsOptions::Action::list:
      declare_json_output(flags, options.json);
      flags.paragraph(
          "Each run has its manifest and its report. `windlass run --resume=12` continues run/12, "
          "unless it is Complete.");
      flags.examples({"windlass runs", "windlass runs -o json", "windlass runs prune --keep 10"});
      return;
    case RunsOptions::Action::remove:
      flags.arguments("RUN", options.names, "Number of the run, or last");
      flags.check([&options]() -> Result<void> {
        return options.names.empty() ? fail(plain_error("must specify RUN")) : Result<void>();
      });
      return;
    case RunsOptions::Action::prune:
      flags.number("--keep NUMBER", options.keep, "Number of runs to keep, the newest ones",
                   {0, std::numeric_limits<size_t>::max()});
      return;
  }
}

Command runs_command() {
  using Action = RunsOptions::Action;
  Command command =
      make_command<RunsOptions>("runs", "List the last runs of this machine", manage_own_runs);
  command.subcommands = {make_command<RunsOptions>("remove", "Remove runs", manage_own_runs,
                                                   {.action = Action::remove}),
                         make_command<RunsOptions>("prune", "Remove all but the newest runs",
                                                   manage_own_runs, {.action = Action::prune})};
  return command;
}

ExitCode manage_runs(const RunsOptions& options, RunStore& store, Time now, Output& output) {
  const Result<std::string> done = carry_out(options, store, now);
  if (!done) {
    output.err("error: " + done.error().message + "\n");
    return ExitCode::failed;
  }
  output.out(*done);
  return ExitCode::ok;
}

}  // namespace windlass::cli
