#include "cli/commands/ledger/attempt_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/ledger/opened_ledger.h"
#include "cli/process.h"
#include "ledger/api_attempts.h"
#include "ledger/sqlite/ledger_schema.h"

namespace windlass::cli {
namespace {

using ledger::AttemptFilter;
using ledger::AttemptSource;

AttemptQueryOptions with_times(AttemptQueryOptions options, Time now) {
  if (options.since_ago) {
    options.filter.since = now - *options.since_ago;
  }
  if (options.until_ago) {
    options.filter.until = now - *options.until_ago;
  }
  return options;
}

std::string address_of(const AttemptQueryOptions& options) {
  if (!options.ledger.empty()) {
    return options.ledger;
  }
  return "sqlite:" + absolute_path(options.file.empty()
                                       ? options.data_dir + "/" + ledger::LedgerPlace().file
                                       : options.file);
}

}  // namespace

AttemptQuery::AttemptQuery(AttemptSource& source, const AttemptQueryOptions& options,
                           Output& output, std::function<void(ExitCode)> on_finished)
    : source_(source),
      options_(options),
      output_(output),
      on_finished_(std::move(on_finished)),
      writer_(options.format, options.filter.ns.empty(), output) {}

void AttemptQuery::ask(const std::string& continue_token) {
  // One more than is shown, to know whether there are more.
  const size_t wanted = options_.limit == 0
                            ? AttemptSource::kDefaultPage
                            : std::min(options_.limit - found_ + 1, AttemptSource::kDefaultPage);
  source_.find(options_.filter, wanted, continue_token, self_.bind(&AttemptQuery::take));
}

void AttemptQuery::take(const Result<ledger::AttemptPage>& page) {
  if (!page) {
    const bool none = is_not_found(page.error());
    output_.err(fmt::format("error: {}\n",
                            none ? "the server has no attempt ledger" : page.error().message));
    return finish(ExitCode::failed);
  }
  for (const ledger::AttemptPtr& attempt : page->items) {
    if (options_.limit > 0 && found_ == options_.limit) {
      writer_.finish();
      output_.err(fmt::format("There are more than these {}. Show them with --limit 0\n", found_));
      return finish(ExitCode::ok);
    }
    ++found_;
    writer_.add(*attempt);
  }
  if (!page->next.empty()) {
    return ask(page->next);
  }
  writer_.finish();
  finish(ExitCode::ok);
}

void AttemptQuery::finish(ExitCode code) {
  if (auto finished = std::exchange(on_finished_, nullptr)) {
    finished(code);
  }
}

ExitCode query_opened_ledger(const AttemptQueryOptions& options, Output& output) {
  Process process(0);
  const auto opened = OpenedLedger::open(process.loop, process.clock, address_of(options));
  if (!opened) {
    output.err(fmt::format("error: {}\n", opened.error().message));
    return ExitCode::failed;
  }
  const AttemptQueryOptions query = with_times(options, process.clock.now());
  return process.run_session<AttemptQuery>([&](auto& session, const OnFinished& on_finished) {
    session.emplace((*opened)->attempts(), query, output, on_finished);
  });
}

ExitCode query_ledger_server(const AttemptQueryOptions& options, Output& output) {
  posix::PosixFiles files;
  const auto access = open_cluster(options.cluster, LocalCluster::yes, files, output);
  if (!access) {
    return ExitCode::usage;
  }
  ClusterClient cluster(*access);
  ledger::ApiAttemptSource source(cluster.client);
  std::optional<AttemptQuery> session;
  return cluster.run([&](const OnFinished& on_finished) {
    session.emplace(source, with_times(options, cluster.clock.now()), output, on_finished);
    session->start();
  });
}

}  // namespace windlass::cli
