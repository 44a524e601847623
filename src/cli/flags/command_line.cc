#include "cli/flags/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <vector>

#include "cli/flags/help_text.h"

namespace windlass::cli {

namespace {

constexpr const char* kDescription =
    "Windlass runs Kubernetes Jobs with exact control over what happens when a pod fails.";

ExitCode usage_error(const std::string& what, const CLI::App& command, Output& output) {
  output.err(fmt::format("error: {}\nRun '{} --help' for usage.\n", what, command_words(command)));
  return ExitCode::usage;
}

// The innermost command that the arguments name.
const CLI::App& chosen_command(const CLI::App& program) {
  const CLI::App* chosen = &program;
  while (!chosen->get_subcommands().empty()) {
    chosen = chosen->get_subcommands().front();
  }
  return *chosen;
}

// In kubectl's words.
std::string unexpected(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  const std::string first = words.empty() ? "" : words.front();
  if (first.starts_with('-')) {
    return "unknown flag: " + first;
  }
  return fmt::format("{} \"{}\"",
                     app.get_subcommands().empty() ? "unknown command" : "unexpected argument",
                     first);
}

void describe_help(CLI::App& command) {
  command.get_help_ptr()->description("Print this help and exit")->group("Flags");
}

// The commands as CLI11 has them, and how each is executed.
class ArgumentParser {
 public:
  explicit ArgumentParser(const std::vector<Command>& commands) : app_(kDescription, "windlass") {
    app_.require_subcommand(0, 1);
    describe_help(app_);
    app_.add_flag("--version", version_, "Print the version of this program and exit")
        ->group("Flags");
    for (const Command& command : commands) {
      add(app_, command);
    }
  }

  ExitCode run(const std::vector<std::string>& arguments, Output& output) {
    const auto wordy = arguments.empty() ? wordy_.end() : wordy_.find(arguments.front());
    if (wordy != wordy_.end()) {
      return wordy->second(app_, {arguments.begin() + 1, arguments.end()}, output);
    }
    try {
      // CLI11 takes the arguments last first.
      app_.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
      output.out(help_text(chosen_command(app_)));
      return ExitCode::ok;
    } catch (const CLI::ExtrasError&) {
      return usage_error(unexpected(app_), chosen_command(app_), output);
    } catch (const CLI::ParseError& error) {
      return usage_error(error.what(), chosen_command(app_), output);
    }
    const CLI::App& chosen = version_ ? *app_.get_subcommand("version") : chosen_command(app_);
    const auto found = entries_.find(&chosen);
    if (found == entries_.end()) {
      output.err(help_text(chosen));
      return ExitCode::usage;
    }
    if (const Result<void> read = found->second.flags->read(); !read) {
      return usage_error(read.error().message, chosen, output);
    }
    return found->second.execute(output);
  }

 private:
  struct Entry {
    std::unique_ptr<Flags> flags;
    Execute execute;
  };

  void add(CLI::App& parent, const Command& command) {
    CLI::App* app = parent.add_subcommand(command.name, command.summary);
    describe_help(*app);
    app->footer("");  // a subcommand begins with that of its parent
    app->require_subcommand(0, 1);
    if (command.hidden) {
      app->group("");
    }
    if (command.declare) {
      auto flags = std::make_unique<Flags>(*app);
      Execute execute = command.declare(*flags);
      entries_.emplace(app, Entry{std::move(flags), std::move(execute)});
    }
    if (command.execute_words) {
      wordy_.emplace(command.name, command.execute_words);
    }
    for (const Command& subcommand : command.subcommands) {
      add(*app, subcommand);
    }
  }

  CLI::App app_;
  bool version_ = false;
  std::map<const CLI::App*, Entry> entries_;
  std::map<std::string, decltype(Command::execute_words), std::less<>> wordy_;
};

}  // namespace

ExitCode run_command_line(const std::vector<Command>& commands,
                          const std::vector<std::string>& arguments, Output& output) {
  return ArgumentParser(commands).run(arguments, output);
}

}  // namespace windlass::cli
