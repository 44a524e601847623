#include "cli/commands/report.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <utility>

#include "base/json_writer.h"
#include "cli/flags/command_line.h"
#include "cli/flags/job_argument.h"
#include "cli/flags/manifest_flags.h"
#include "cli/process.h"
#include "explain/job_pods.h"
#include "ledger/api_attempts.h"
#include "posix/files/posix_files.h"
#include "web/job_page.h"
#include "web/report.h"

namespace windlass::cli {
namespace {

constexpr int64_t kMaxLogMebibytes = 1024;
constexpr size_t kMaxDocumentBytes = size_t{2} << 30;
constexpr int64_t kBytesPerMebibyte = int64_t{1} << 20;

ExitCode report_file(const ReportOptions& options, Output& output) {
  posix::PosixFiles files;
  const auto report = [&]() -> Result<std::string> {
    TRY(const std::string text, files.read(options.from, kMaxDocumentBytes));
    return report_of_document(text);
  }();
  if (!report) {
    output.err(fmt::format("error: {}: {}\n", options.from, report.error().message));
    return ExitCode::usage;
  }
  output.out(*report);
  return ExitCode::ok;
}

ExitCode report_job(ReportOptions options, Output& output) {
  if (!options.from.empty()) {
    return report_file(options, output);
  }
  return run_job_session<ReportSession>(
      options, output, [&](auto& session, ClusterClient& cluster, const OnFinished& on_finished) {
        session.emplace(cluster.client, cluster.clock, options, output, on_finished);
      });
}

}  // namespace

void declare_flags(Flags& flags, ReportOptions& options) {
  declare_job_argument(flags, options.job, options.ns, "report", &options.from);
  flags.text("--from FILE", options.from,
             "Make the report from a file that `windlass report -o json` has written");
  flags.number("--log-mebibytes NUMBER", options.log_mebibytes,
               "Size of all logs in the report; those of the latest failures go first",
               {0, kMaxLogMebibytes});
  declare_json_output(flags, options.json);
  declare_cluster_flags(flags, options.cluster, LocalCluster::yes);
  flags.paragraph(
      "Writes the file to standard output. It needs no server and no network: attach it to a "
      "ticket, or keep it with the results of a pipeline. Works with any Kubernetes cluster, and "
      "changes nothing. It shows names, messages and logs of the Job to everyone who opens it.");
  flags.exit_codes({{0, "Written"}, {1, "No such Job, or no answer"}, {2, "Wrong usage"}});
  flags.examples({"windlass report job/nightly > nightly.html",
                  "windlass report job/nightly -o json > nightly.json",
                  "windlass report --from nightly.json > nightly.html"});
}

Result<std::string> report_of_document(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  int64_t version = 0;
  std::string_view name;
  if (parser.parse(text.data(), text.size()).get(document) != simdjson::SUCCESS ||
      document["version"].get(version) != simdjson::SUCCESS ||
      document["job"]["name"].get(name) != simdjson::SUCCESS) {
    return fail(plain_error("not a document of `windlass report -o json`"));
  }
  if (version != web::kJobPageVersion) {
    return fail(plain_error(fmt::format("version {} is not known; this program reads version {}",
                                        version, web::kJobPageVersion)));
  }
  std::string page;
  append_html_safe(simdjson::minify(document), page);
  return web::report_html(name, page);
}

Command report_command() {
  return make_command<ReportOptions>("report", "Write one HTML file that shows a Job", report_job);
}

class ReportSession::Impl {
 public:
  Impl(client::ApiClient& api, env::Clock& clock, ReportOptions options, Output& output,
       std::function<void(ExitCode)> on_finished)
      : api_(api),
        attempts_(api),
        clock_(clock),
        options_(std::move(options)),
        output_(output),
        on_finished_(std::move(on_finished)) {}

  void start() {
    api_.get({&api::kinds::job(), options_.ns, options_.job},
             [this](Result<client::ObjectPtr> job) {
               if (!job) {
                 return fail_with(job.error());
               }
               page_.evidence.job = *std::move(job);
               read_pods();
             });
  }

 private:
  void read_pods() {
    explain::list_job_pods(api_, page_.evidence.job,
                           [this](Result<std::vector<client::ObjectPtr>> pods) {
                             if (!pods) {
                               return fail_with(pods.error());
                             }
                             page_.evidence.pods = *std::move(pods);
                             read_attempts("");
                           });
  }

  // A server without a ledger, and a user without the right to read it, get the rest.
  void read_attempts(const std::string& continue_token) {
    const ledger::AttemptFilter filter{.ns = options_.ns,
                                       .job_uid = api::metadata_of(*page_.evidence.job).uid()};
    attempts_.find(filter, ledger::AttemptSource::kMaxPage, continue_token,
                   [this](const Result<ledger::AttemptPage>& page) {
                     if (!page) {
                       return print();
                     }
                     page_.has_ledger = true;
                     page_.attempts.insert(page_.attempts.end(), page->items.begin(),
                                           page->items.end());
                     page->next.empty() ? print() : read_attempts(page->next);
                   });
  }

  void print() {
    page_.evidence.now = clock_.now();
    page_.log_bytes = static_cast<size_t>(options_.log_mebibytes * kBytesPerMebibyte);
    const std::string page = web::job_page_json(page_);
    output_.out(options_.json ? page + "\n" : web::report_html(options_.job, page));
    on_finished_(ExitCode::ok);
  }

  void fail_with(const Status& status) {
    output_.err(fmt::format("error: {}\n", status.message));
    on_finished_(ExitCode::failed);
  }

  client::ApiClient& api_;
  ledger::ApiAttemptSource attempts_;
  env::Clock& clock_;
  const ReportOptions options_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  web::JobPageInput page_;
};

ReportSession::ReportSession(client::ApiClient& api, env::Clock& clock, ReportOptions options,
                             Output& output, std::function<void(ExitCode)> on_finished)
    : impl_(
          std::make_unique<Impl>(api, clock, std::move(options), output, std::move(on_finished))) {}

ReportSession::~ReportSession() = default;

void ReportSession::start() {
  impl_->start();
}

}  // namespace windlass::cli
