#include "cli/flags/ledger_flags.h"

#include <fmt/format.h>

#include "base/quantity.h"

namespace windlass::cli {
namespace {

constexpr int64_t kLeastSize = 1024 * 1024;
constexpr size_t kMostLogBytes = 1024 * 1024;

}  // namespace

Result<void> parse_ledger_size(const char* flag, const std::string& text, uint64_t& bytes) {
  const Result<Quantity> quantity = Quantity::parse(text);
  if (!quantity || quantity->value() < kLeastSize) {
    return fail(plain_error(
        fmt::format("invalid {} \"{}\": must be at least 1Mi, such as 500Mi or 2Gi", flag, text)));
  }
  bytes = static_cast<uint64_t>(quantity->value());
  return {};
}

void declare_ledger_limits(Flags& flags, plane::LedgerSettings& settings) {
  flags.parsed("--ledger-max-age DURATION",
               "How long records are kept after they were made, as long as there is room "
               "(default: 2160h)",
               [&settings](const std::string& text) -> Result<void> {
                 TRY(settings.max_age, positive_duration("--ledger-max-age", text));
                 return {};
               });
  flags.parsed(
      "--ledger-max-size SIZE",
      "Size of the ledger above which the oldest records go. Example: 500Mi (default: 1Gi)",
      [&settings](const std::string& text) {
        return parse_ledger_size("--ledger-max-size", text, settings.max_bytes);
      });
  flags.number("--ledger-log-bytes NUMBER", settings.log_bytes,
               "How much of the end of a failed container's log is kept with its record; 0 keeps "
               "none",
               {0, kMostLogBytes});
}

void declare_ledger_flags(Flags& flags, plane::LedgerSettings& settings) {
  flags.heading("Ledger");
  flags.choice("--ledger on|off", settings.enabled, {{"on", true}, {"off", false}},
               "Whether each attempt of a Job leaves a record, which outlives pod and Job "
               "(default: on)");
  declare_ledger_limits(flags, settings);
}

}  // namespace windlass::cli
