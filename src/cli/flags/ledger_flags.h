// Flags of the commands that record attempts of Jobs.
#pragma once

#include "cli/flags/flags.h"
#include "plane/attempt_ledger.h"

namespace windlass::cli {

// Of a file of a ledger.
Result<void> parse_ledger_size(const char* flag, const std::string& text, uint64_t& bytes);

// --ledger-max-age, --ledger-max-size, --ledger-log-bytes
void declare_ledger_limits(Flags& flags, plane::LedgerSettings& settings);
// These, and --ledger=on|off.
void declare_ledger_flags(Flags& flags, plane::LedgerSettings& settings);

}  // namespace windlass::cli
