#include <fmt/format.h>

#include "cli/flags/command_line.h"
#include "cli/flags/manifest_flags.h"
#include "plane/version.h"

namespace windlass::cli {
namespace {

std::string version_text(OutputFormat format) {
  const std::string number = plane::version_number();
  const std::string commit = plane::version_commit();
  const std::string build = plane::version_build();
  switch (format) {
    case OutputFormat::json:
      return fmt::format(
          "{{\n  \"version\": \"{}\",\n  \"commit\": \"{}\",\n  \"build\": \"{}\"\n}}\n", number,
          commit, build);
    case OutputFormat::yaml:
      return fmt::format("version: {}\ncommit: \"{}\"\nbuild: {}\n", number, commit, build);
    case OutputFormat::text:
      break;
  }
  return fmt::format("windlass {} ({}{})\n", number,
                     commit.empty() ? "" : "commit " + commit + ", ", build);
}

}  // namespace

Command version_command() {
  return {"version", "Print the version of this program", [](Flags& flags) -> Execute {
            auto format = std::make_shared<OutputFormat>(OutputFormat::text);
            declare_output_format(flags, *format, "Output format: yaml or json (default: text)");
            return [format](Output& output) {
              output.out(version_text(*format));
              return ExitCode::ok;
            };
          }};
}

}  // namespace windlass::cli
