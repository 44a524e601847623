// Flags of `windlass explain`: what CLI11 writes into, and the options that become of it. Used
// while arguments are parsed, and not after.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "cli/explain_options.h"

namespace CLI {
class App;
}

namespace windlass::cli {

struct ExplainFlags {
  std::string job = {};  // job/NAME
  std::string output = {};
  std::string backoff_base;
  std::string backoff_cap;
  ExplainOptions options = {};  // those that need no look
};

CLI::App* add_explain(CLI::App& app, ExplainFlags& flags);
Result<ExplainOptions> read_explain_flags(const ExplainFlags& flags);

}  // namespace windlass::cli
