// The commands of the program, and the way from argv to one of them. Flag names, -f -, -o and exit
// codes follow kubectl.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/flags/flags.h"
#include "cli/output/output.h"

namespace CLI {
class App;
}

namespace windlass::cli {

using Execute = std::function<ExitCode(Output& output)>;

// One command, with its subcommands.
struct Command {
  std::string name;
  std::string summary;
  // Declares its flags, and answers what executes it once they are read. Empty: a group, which is
  // its subcommands.
  std::function<Execute(Flags& flags)> declare = {};
  std::vector<Command> subcommands = {};
  bool hidden = false;  // not for people
  // Instead of `declare`: gets all that follows its name as it is, flags too.
  std::function<ExitCode(const CLI::App& program, const std::vector<std::string>& words,
                         Output& output)>
      execute_words = {};
};

// A command that is executed with Options. `void declare_flags(Flags&, Options&)` declares its
// flags; `initial` has their defaults.
template <class Options>
Command make_command(std::string name, std::string summary,
                     std::function<ExitCode(const Options& options, Output& output)> execute,
                     const Options& initial = {}) {
  return {std::move(name), std::move(summary),
          [execute = std::move(execute), initial](Flags& flags) -> Execute {
            auto options = std::make_shared<Options>(initial);
            declare_flags(flags, *options);
            return [options, execute](Output& output) { return execute(*options, output); };
          }};
}

// Executes the command that `arguments`, which do not begin with the program's name, ask for; or
// prints the help, or what is wrong with the arguments.
ExitCode run_command_line(const std::vector<Command>& commands,
                          const std::vector<std::string>& arguments, Output& output);

}  // namespace windlass::cli
