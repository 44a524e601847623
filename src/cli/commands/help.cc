// `windlass help` and `windlass completion`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/flags/command_line.h"

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

Command completion_command() {
  return {"completion", "Print a script that completes commands and flags in bash",
          [](Flags& flags) -> Execute {
            auto shell = std::make_shared<std::string>();
            flags.argument("SHELL", *shell, "Shell to complete in: bash");
            flags.check([shell]() -> Result<void> {
              if (*shell != "bash") {
                return fail(plain_error(
                    fmt::format("unsupported shell \"{}\": windlass completion bash", *shell)));
              }
              return {};
            });
            flags.examples({"source <(windlass completion bash)"});
            return [&program = flags.program()](Output& output) {
              output.out(bash_completion(program));
              return ExitCode::ok;
            };
          }};
}

}  // namespace windlass::cli
