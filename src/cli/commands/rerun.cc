#include "cli/commands/rerun.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "api/job/completed_indexes.h"
#include "api/job/job_constants.h"
#include "cli/flags/command_line.h"
#include "cli/flags/job_argument.h"
#include "cli/flags/manifest_flags.h"
#include "cli/ledger/opened_ledger.h"
#include "cli/manifests/attempt_collector.h"
#include "cli/manifests/rerun_job.h"
#include "cli/output/text.h"
#include "cli/process.h"
#include "explain/job_pods.h"
#include "plane/plane_periods.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;

// spec.managedBy of Jobs for `windlass controller`, by convention.
constexpr std::string_view kWindlassDomain = "windlass.dev/";

ExitCode rerun_job(RerunOptions options, Output& output) {
  posix::PosixFiles files;
  const auto access = open_cluster(options.cluster, LocalCluster::yes, files, output);
  if (!access) {
    return ExitCode::usage;
  }
  options.ns = options.ns.empty() ? access->ns : options.ns;
  ClusterClient cluster(*access);
  const auto attempts =
      JobAttempts::open(cluster.client, cluster.loop, cluster.clock, options.ledger);
  if (!attempts) {
    output.err(fmt::format("error: {}\n", attempts.error().message));
    return ExitCode::failed;
  }
  std::optional<RerunSession> session;
  return cluster.run([&](const OnFinished& on_finished) {
    session.emplace(cluster.client, (*attempts)->source(), cluster.text_reader(), options, output,
                    on_finished);
    session->start();
  });
}

// Whether a controller that knows the annotation runs the new Job.
bool is_windlass_job(const Job& made, const RerunOptions& options, const std::string& settings) {
  const std::string& manager = made.spec().managed_by();
  const bool is_built_in = manager.empty() || manager == api::kBuiltInJobController;
  return !options.managed_by.empty() || manager.starts_with(kWindlassDomain) ||
         (is_built_in && plane::is_windlass_answer(settings));
}

std::string ignored_text(const Job& made) {
  const std::string& manager = made.spec().managed_by();
  return fmt::format(
      "the Job controller {}would run all {} indexes: only Windlass reads annotation {}. Name the "
      "`windlass controller` that is to run the new Job: --managed-by windlass.dev/job-controller, "
      "or --managed-by {} if it runs with --replace-builtin",
      manager.empty() ? "of this cluster " : manager + " ", made.spec().completions(),
      api::kCompletedIndexesAnnotation, api::kBuiltInJobController);
}

// `Runs 3 of 10 indexes: 3,7,9`
std::string runs_line(const IndexSet& indexes, int32_t completions) {
  constexpr std::string_view kMore = "...";
  const std::string line = fmt::format("Runs {} of {} indexes: {}", grouped(indexes.size()),
                                       grouped(completions), indexes.to_string());
  return line.size() <= kTextColumns
             ? line
             : cut_to_columns(line, kTextColumns - kMore.size()).append(kMore);
}

Result<void> check_choice(const RerunOptions& options) {
  const int chosen = int{options.failed} + int{options.unfinished} +
                     int{options.indexes.has_value()} + int{!options.cause.empty()};
  if (chosen != 1) {
    return fail(plain_error("must specify one of --failed, --unfinished, --indexes and --cause"));
  }
  return {};
}

// The indexes that failed for this cause and are not completed since.
Result<IndexSet> indexes_of_cause(const Job& job, const explain::AttemptDigest* digest,
                                  const std::string& name) {
  if (digest == nullptr) {
    return fail(plain_error(fmt::format("no attempt of job/{} is known", job.metadata().name())));
  }
  TRY(const ledger::FailureCause* cause, digest->groups().find(name));
  const IndexSet completed =
      IndexSet::parse_stored(job.status().completed_indexes(), job.spec().completions()).set;
  IndexSet indexes;
  cause->indexes.for_each([&](int32_t index) {
    if (index < job.spec().completions() && !completed.contains(index)) {
      indexes.insert(index);
    }
  });
  if (indexes.empty()) {
    return fail(plain_error(
        fmt::format("every index that failed with {} is completed now", cause->full_title())));
  }
  return indexes;
}

}  // namespace

void declare_flags(Flags& flags, RerunOptions& options) {
  declare_job_argument(flags, options.job, options.ns, "rerun");
  flags.toggle("--failed", options.failed,
               "Run the failed indexes (of Jobs with backoffLimitPerIndex)");
  flags.toggle("--unfinished", options.unfinished, "Run all indexes that are not completed");
  flags.parsed("--indexes LIST", "Run these indexes, such as 3,7-9",
               [&options](const std::string& text) -> Result<void> {
                 const auto indexes = IndexSet::parse(text, std::numeric_limits<int32_t>::max());
                 if (!indexes || indexes->empty()) {
                   return fail(plain_error(
                       fmt::format("invalid --indexes \"{}\": must list ascending indexes, such "
                                   "as 3,7-9",
                                   text)));
                 }
                 options.indexes = *indexes;
                 return {};
               });
  flags.text("--cause CAUSE", options.cause,
             "Run the indexes that failed for one cause: its number in `windlass explain`, or its "
             "id. Indexes that are completed now are left out");
  flags.check([&options] { return check_choice(options); });
  flags.text("--name NAME", options.name, "Name of the new Job (default: JOB-rerun-xxxxx)");
  flags.toggle("--keep-counts", options.keep_counts,
               "Start each index with its failures so far, as backoffLimitPerIndex counts them "
               "(default: at zero)");
  flags.text("--managed-by NAME", options.managed_by,
             "spec.managedBy of the new Job: the `windlass controller` that runs it (default: as "
             "in the old Job)");
  flags.toggle("--dry-run", options.dry_run, "Print the new Job and do not create it");
  declare_output_format(flags, options.format,
                        "Print the new Job: yaml or json (default: yaml with --dry-run)");
  declare_ledger_source(flags, options.ledger);
  declare_cluster_flags(flags, options.cluster, LocalCluster::yes);
  flags.paragraph(
      "The Job must be Indexed and finished. The new Job has the same spec, and its pods have the "
      "same JOB_COMPLETION_INDEX. All other indexes count as completed from the start.");
  flags.exit_codes({{0, "The new Job is created, or printed"},
                    {1, "The Job cannot be rerun, or no answer"},
                    {2, "Wrong usage"}});
  flags.examples({"windlass rerun job/sweep --failed", "windlass rerun job/sweep --cause 1",
                  "windlass rerun job/sweep --indexes 3,7-9",
                  "windlass rerun job/sweep --unfinished --dry-run"});
}

Command rerun_command() {
  return make_command<RerunOptions>(
      "rerun", "Run the failed or other indexes of a finished Indexed Job again, in a new Job",
      rerun_job);
}

class RerunSession::Impl {
 public:
  Impl(client::ApiClient& api, ledger::AttemptSource& attempts, ReadText read_text,
       RerunOptions options, Output& output, std::function<void(ExitCode)> on_finished)
      : api_(api),
        collector_(api, attempts, {}),
        read_text_(std::move(read_text)),
        options_(std::move(options)),
        output_(output),
        on_finished_(std::move(on_finished)) {}

  void start() {
    api_.get({&api::kinds::job(), options_.ns, options_.job},
             [this](const Result<client::ObjectPtr>& job) {
               if (!job) {
                 return fail_with(job.error());
               }
               object_ = *job;
               job_ = api::object_as<Job>(*job);
               choose_indexes();
             });
  }

 private:
  Result<IndexSet> chosen() const {
    TRY_VOID(check_rerunnable(*job_));
    if (options_.keep_counts && !job_->spec().has_backoff_limit_per_index()) {
      return fail(plain_error(
          fmt::format("--keep-counts needs spec.backoffLimitPerIndex, which job/{} does not have",
                      options_.job)));
    }
    return options_.failed       ? failed_indexes(*job_)
           : options_.unfinished ? unfinished_indexes(*job_)
           : options_.indexes    ? Result<IndexSet>(*options_.indexes)
                                 : indexes_of_cause(*job_, collector_.digest(), options_.cause);
  }

  void choose_indexes() {
    if (options_.cause.empty() || !check_rerunnable(*job_)) {
      return prepare();
    }
    collector_.collect(object_, [this](const Result<void>& read) {
      if (!read) {
        return fail_with(read.error());
      }
      prepare();
    });
  }

  void prepare() {
    auto indexes = chosen();
    if (!indexes) {
      return fail_with(indexes.error());
    }
    request_ = {*std::move(indexes), options_.name, options_.managed_by};
    if (!options_.keep_counts) {
      return make();
    }
    explain::list_job_pods(api_, object_,
                           [this](const Result<std::vector<client::ObjectPtr>>& pods) {
                             if (!pods) {
                               return fail_with(pods.error());
                             }
                             request_.counts = kept_counts(*job_, *pods, request_.indexes);
                             make();
                           });
  }

  void make() {
    auto made = make_rerun(*job_, request_);
    if (!made) {
      return fail_with(made.error());
    }
    made_ = std::make_shared<const Job>(*std::move(made));
    const auto& annotations = made_->metadata().annotations();
    if (!annotations.contains(std::string(api::kCompletedIndexesAnnotation))) {
      return create();  // it runs all indexes, and any controller does that
    }
    // Other servers do not have the path.
    read_text_("/configz", [this](const Result<std::string>& settings) {
      if (!is_windlass_job(*made_, options_, settings.value_or(""))) {
        return fail_with(plain_error(ignored_text(*made_)));
      }
      create();
    });
  }

  void create() {
    if (options_.dry_run) {
      return print(made_);
    }
    api_.create({&api::kinds::job(), options_.ns, options_.name}, made_,
                [this](const Result<client::ObjectPtr>& created) {
                  if (!created) {
                    return fail_with(created.error());
                  }
                  print(*created);
                });
  }

  void print(const client::ObjectPtr& job) {
    if (options_.dry_run || options_.format != OutputFormat::text) {
      const OutputFormat format =
          options_.format == OutputFormat::text ? OutputFormat::yaml : options_.format;
      output_.out(print_objects({{&api::kinds::job(), job}}, format));
    } else {
      output_.out(fmt::format("job/{} created\n{}\n", api::metadata_of(*job).name(),
                              runs_line(request_.indexes, made_->spec().completions())));
    }
    on_finished_(ExitCode::ok);
  }

  void fail_with(const Status& status) {
    output_.err(fmt::format("error: {}\n", status.message));
    on_finished_(ExitCode::failed);
  }

  client::ApiClient& api_;
  AttemptCollector collector_;
  ReadText read_text_;
  const RerunOptions options_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  client::ObjectPtr object_;
  std::shared_ptr<const Job> job_;
  RerunRequest request_;
  std::shared_ptr<const Job> made_;
};

RerunSession::RerunSession(client::ApiClient& api, ledger::AttemptSource& attempts,
                           ReadText read_text, RerunOptions options, Output& output,
                           std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(api, attempts, std::move(read_text), std::move(options), output,
                                   std::move(on_finished))) {}

RerunSession::~RerunSession() = default;

void RerunSession::start() {
  impl_->start();
}

}  // namespace windlass::cli
