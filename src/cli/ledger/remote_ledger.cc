#include "cli/ledger/remote_ledger.h"

#include <fmt/format.h>

#include <utility>

#include "api/object.h"
#include "cli/flags/ledger_flags.h"
#include "cli/ledger/ledger_address.h"
#include "postgres/attempt_database.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::cli {
namespace {

// More than a tail holds, unless lines are very short.
constexpr int kTailLines = 500;
constexpr size_t kMostTailBytes = 1024 * 1024;

// What lies in a spool has not reached its ledger, however old it is.
constexpr Duration kForever = hours(24 * 365 * 100);

Result<void> check_options(const RemoteLedgerOptions& options) {
  if (options.traces.enabled() && options.address.empty()) {
    return fail(plain_error("--otlp-endpoint needs --ledger: traces are made from its records"));
  }
  if (!is_database_address(options.address)) {
    if (!options.spool.empty()) {
      return fail(plain_error(
          "--ledger-spool is for records on their way to a database: --ledger postgresql://..."));
    }
    return options.address.empty() ? Result<void>()
                                   : ledger_file_of(options.address).map([](const auto&) {});
  }
  if (options.spool.empty() || options.spool.ends_with('/')) {
    return fail(plain_error(
        "--ledger postgresql://... needs --ledger-spool FILE, such as "
        "/var/lib/windlass/spool.db: records are durable there while the database is away"));
  }
  if (options.limits.max_bytes != plane::LedgerSettings().max_bytes) {
    return fail(
        plain_error("--ledger-max-size limits a file. Use --ledger-max-age for a database, and "
                    "--ledger-spool-size for the spool"));
  }
  return {};
}

}  // namespace

void declare_remote_ledger(Flags& flags, RemoteLedgerOptions& options) {
  flags.heading("Ledger");
  flags.text("--ledger ADDRESS", options.address,
             "Keep a record of each attempt of a Job, which outlives pod and Job: in a file, "
             "sqlite:FILE, or in a database, postgresql://USER@HOST:PORT/DATABASE");
  flags.text("--ledger-spool FILE", options.spool,
             "With a database: the file that records go to first, on a volume that outlives the "
             "process");
  flags.parsed("--ledger-spool-size SIZE",
               "Size of the spool above which its oldest records are left out (default: 256Mi)",
               [&options](const std::string& text) {
                 return parse_ledger_size("--ledger-spool-size", text, options.spool_bytes);
               });
  declare_ledger_limits(flags, options.limits);
  declare_trace_flags(flags, options.traces);
  flags.check([&options] { return check_options(options); });
}

evidence::ReadLogTail remote_log_tails(remote::RemoteClient& client) {
  return [&client](const api::ObjectPtr& pod, const std::string& container, size_t bytes,
                   const std::function<void(std::optional<evidence::LogTail>)>& done) {
    const auto& metadata = api::metadata_of(*pod);
    client.get_text(
        fmt::format("/api/v1/namespaces/{}/pods/{}/log?container={}&tailLines={}&limitBytes={}",
                    metadata.namespace_(), metadata.name(), container, kTailLines, kMostTailBytes),
        [bytes, done](const Result<std::string>& text) {
          if (!text) {
            return done(evidence::LogTail{"", false, text.error().message});
          }
          const bool is_long = text->size() > bytes;
          done(
              evidence::LogTail{is_long ? text->substr(text->size() - bytes) : *text, is_long, ""});
        });
  };
}

Result<std::unique_ptr<RemoteLedger>> RemoteLedger::open(
    env::Env env, posix::EventLoop& loop, remote::RemoteClient& client,
    const RemoteLedgerOptions& options, const std::shared_ptr<MetricRegistry>& metrics) {
  std::unique_ptr<RemoteLedger> opened(new RemoteLedger());
  opened->worker_.emplace(env.clock, "ledger");
  if (is_database_address(options.address)) {
    TRY_VOID(opened->open_database(env, options, *metrics));
  } else {
    TRY(const std::string file, ledger_file_of(options.address));
    TRY_VOID(opened->open_file(env, file, options.limits, *metrics));
  }
  evidence::AttemptRecorder::Options recorder;
  recorder.evidence = {options.limits.log_bytes, remote_log_tails(client)};
  recorder.metrics = metrics;
  ledger::Ledger* ledger = opened->file_.get();
  if (opened->spooled_ != nullptr) {
    ledger = opened->spooled_.get();
  }
  if (options.traces.enabled()) {
    opened->traces_ = TraceExport::make(env, loop, options.traces, *metrics);
    ledger = &opened->traces_->trace(*ledger);
  }
  opened->attempts_.emplace(client::ClientEnv{client, env.executor, env.clock, env.random, env.log},
                            *ledger, std::move(recorder));
  return opened;
}

Result<void> RemoteLedger::open_file(env::Env env, const std::string& file,
                                     const plane::LedgerSettings& limits, MetricRegistry& metrics) {
  const FilePlace place = split_path(file);
  TRY(file_, plane::open_ledger(env, *worker_, metrics, place.directory, place.name, limits));
  return {};
}

Result<void> RemoteLedger::open_database(env::Env env, const RemoteLedgerOptions& options,
                                         MetricRegistry& metrics) {
  TRY(auto database, postgres::AttemptDatabase::make(options.address, env.clock));
  plane::LedgerSettings spool = options.limits;
  spool.max_age = kForever;
  spool.max_bytes = options.spool_bytes;
  TRY_VOID(open_file(env, options.spool, spool, metrics));
  sender_.emplace(env.clock, "ledger-sender");
  spooled_ = std::make_unique<ledger::SpooledLedger>(
      ledger::SpooledLedger::Parts{env.executor, *sender_, env.clock, env.log, metrics},
      std::move(file_), std::move(database), options.limits.max_age);
  return {};
}

void RemoteLedger::finish(std::function<void()> done) {
  traces_ == nullptr ? done() : traces_->finish(std::move(done));
}

std::string RemoteLedger::trouble() const {
  const std::string trouble = attempts_->trouble();
  return trouble.empty() && spooled_ != nullptr ? spooled_->trouble() : trouble;
}

}  // namespace windlass::cli
