// `windlass help`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/flags/command_line.h"
#include "cli/flags/help_text.h"

namespace windlass::cli {
namespace {

ExitCode print_help(const CLI::App& program, const std::vector<std::string>& words,
                    Output& output) {
  const CLI::App* topic = &program;
  for (const std::string& word : words) {
    const auto found = topic->get_subcommands(
        [&word](const CLI::App* command) { return command->get_name() == word; });
    if (found.empty()) {
      output.err(fmt::format("error: unknown command \"{}\"\nRun 'windlass --help' for usage.\n",
                             fmt::join(words, " ")));
      return ExitCode::usage;
    }
    topic = found.front();
  }
  output.out(help_text(*topic));
  return ExitCode::ok;
}

}  // namespace

Command help_command() {
  return {"help", "Print the help of the program or of a command", [](Flags& flags) -> Execute {
            auto words = std::make_shared<std::vector<std::string>>();
            flags.arguments("COMMAND", *words, "Command to describe, such as run or policy test");
            return [words, &program = flags.program()](Output& output) {
              return print_help(program, *words, output);
            };
          }};
}

}  // namespace windlass::cli
