// `windlass ledger`: the group of `query`, `export` and `record`.
#include <charconv>
#include <limits>

#include "cli/commands/ledger/attempt_query.h"
#include "cli/commands/ledger/ledger_record.h"
#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/ledger/opened_ledger.h"

namespace windlass::cli {
namespace {

constexpr size_t kMaxShown = 1'000'000'000;

Result<int32_t> whole_number(std::string_view flag, const std::string& text) {
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail(plain_error(std::string(flag) + " \"" + text + "\": must be a number"));
  }
  return number;
}

// `2h` is so long ago, anything else a time.
Result<void> read_when(std::string_view flag, const std::string& text, std::optional<Time>& time,
                       std::optional<Duration>& ago) {
  if (const auto duration = parse_duration(text)) {
    ago = *duration;
    return {};
  }
  if (const auto parsed = parse_rfc3339(text)) {
    time = *parsed;
    return {};
  }
  return fail(plain_error("invalid " + std::string(flag) + " \"" + text +
                          "\": must be a time like 2006-01-02T15:04:05Z, or a duration like 2h "
                          "before now"));
}

void declare_job_filters(Flags& flags, ledger::AttemptFilter& filter) {
  flags.text("-n,--namespace NAMESPACE", filter.ns, "Only this namespace (default: all)");
  flags.parsed("--job NAME", "Only attempts of this Job: NAME or job/NAME",
               [&filter](const std::string& text) -> Result<void> {
                 filter.job = text.starts_with("job/") ? text.substr(4) : text;
                 return {};
               });
  flags.text("--job-uid UID", filter.job_uid, "Only attempts of the Job with this UID");
  flags.parsed(
      "--index LIST", "Only these indexes: 3,7-9",
      [&filter](const std::string& text) -> Result<void> {
        auto indexes = IndexSet::parse(text, std::numeric_limits<int32_t>::max());
        if (!indexes || indexes->empty()) {
          return fail(plain_error("invalid --index \"" + text + "\": " +
                                  (indexes ? "must not be empty" : indexes.error().message)));
        }
        filter.indexes = *std::move(indexes);
        return {};
      });
}

void declare_end_filters(Flags& flags, ledger::AttemptFilter& filter) {
  flags.parsed("--rule RULE", "Only where this rule of the failure policy matched: name or place",
               [&filter](const std::string& text) -> Result<void> {
                 if (const auto place = whole_number("--rule", text)) {
                   filter.rule = *place;
                 } else {
                   filter.rule_name = text;
                 }
                 return {};
               });
  flags.parsed("--exit-code CODE", "Only where the container that decided ended with this code",
               [&filter](const std::string& text) -> Result<void> {
                 TRY(filter.exit_code, whole_number("invalid --exit-code", text));
                 return {};
               });
  flags.text("--node NAME", filter.node, "Only pods of this node");
  flags.choice<std::string>(
      "--counted HOW", filter.counted,
      {{"Succeeded", "Succeeded"}, {"Failed", "Failed"}, {"Ignored", "Ignored"}, {"None", "None"}},
      "Only those that counted as Succeeded, Failed, Ignored or None");
}

void declare_filters(Flags& flags, AttemptQueryOptions& options) {
  ledger::AttemptFilter& filter = options.filter;
  declare_job_filters(flags, filter);
  declare_end_filters(flags, filter);
  flags.parsed("--since WHEN", "Only those that ended at this time or later, or so long ago: 2h",
               [&options](const std::string& text) {
                 return read_when("--since", text, options.filter.since, options.since_ago);
               });
  flags.parsed("--until WHEN", "Only those that ended before this time, or longer ago",
               [&options](const std::string& text) {
                 return read_when("--until", text, options.filter.until, options.until_ago);
               });
}

void declare_place(Flags& flags, AttemptQueryOptions& options) {
  flags.heading("Where the ledger is");
  flags.text("--data-dir DIR", options.data_dir,
             "Read the ledger of a `windlass up` with this data directory, running or not");
  flags.text("--file FILE", options.file, "Read this file of a ledger");
  declare_ledger_source(flags, options.ledger);
  declare_cluster_flags(flags, options.cluster, LocalCluster::yes);
  flags.check([&options]() -> Result<void> {
    const bool cluster = !options.cluster.kubeconfig.empty() || !options.cluster.context.empty();
    if (static_cast<int>(!options.file.empty()) + static_cast<int>(!options.data_dir.empty()) +
            static_cast<int>(!options.ledger.empty()) + static_cast<int>(cluster) >
        1) {
      return fail(
          plain_error("--file, --data-dir, --ledger and --kubeconfig or --context name different "
                      "ledgers: give one"));
    }
    return {};
  });
}

ExitCode query(const AttemptQueryOptions& options, Output& output) {
  const bool asks_server =
      options.file.empty() && options.data_dir.empty() && options.ledger.empty();
  return asks_server ? query_ledger_server(options, output) : query_opened_ledger(options, output);
}

}  // namespace

void declare_flags(Flags& flags, AttemptQueryOptions& options) {
  declare_filters(flags, options);
  flags.number("--limit NUMBER", options.limit, "Number of attempts to show; 0 for all",
               {0, kMaxShown});
  flags.choice<AttemptFormat>(
      "-o,--output FORMAT", options.format,
      {{"table", AttemptFormat::table}, {"json", AttemptFormat::json}, {"csv", AttemptFormat::csv}},
      "Output format: table, json or csv (default: table)");
  declare_place(flags, options);
  flags.paragraph("Attempts are shown oldest first.");
  flags.exit_codes({{0, "Shown"}, {1, "The ledger cannot be read"}, {2, "Wrong usage"}});
  flags.examples({"windlass ledger query --job nightly --counted Failed",
                  "windlass ledger query --since 24h --exit-code 137 -o csv",
                  "windlass ledger query --data-dir ./state --job nightly --index 3,7-9",
                  "windlass ledger query --ledger postgresql://reader@db/windlass --since 1h"});
}

void declare_flags(Flags& flags, AttemptExportOptions& options) {
  declare_filters(flags, options.query);
  declare_place(flags, options.query);
  flags.paragraph("Prints one Attempt as JSON on each line, oldest first.");
  flags.exit_codes({{0, "Printed"}, {1, "The ledger cannot be read"}, {2, "Wrong usage"}});
  flags.examples({"windlass ledger export --since 168h > week.jsonl",
                  "windlass ledger export --file ledger.db.damaged-1 > rest.jsonl"});
}

Command ledger_command() {
  return {.name = "ledger",
          .summary = "Search or keep the lasting record of every attempt of every Job",
          .subcommands = {
              make_command<AttemptQueryOptions>("query", "Show attempts that match", query),
              make_command<AttemptExportOptions>(
                  "export", "Print attempts as JSON lines",
                  [](const AttemptExportOptions& options, Output& output) {
                    return query(options.query, output);
                  }),
              make_command<LedgerRecordOptions>(
                  "record", "Record attempts of Jobs that the cluster's own controller runs",
                  record_cluster)}};
}

}  // namespace windlass::cli
