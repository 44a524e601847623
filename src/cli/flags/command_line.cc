#include "cli/flags/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <vector>

#include "cli/output/text.h"

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
    for (const Command& subcommand : command.subcommands) {
      add(*app, subcommand);
    }
  }

  CLI::App app_;
  bool version_ = false;
  std::map<const CLI::App*, Entry> entries_;
};

}  // namespace

ExitCode run_command_line(const std::vector<Command>& commands,
                          const std::vector<std::string>& arguments, Output& output) {
  return ArgumentParser(commands).run(arguments, output);
}

namespace {

// Where descriptions begin.
constexpr size_t kFlagColumn = 32;
constexpr size_t kNameColumn = 14;

// Those that are not for the program's own use.
std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

// `  name      Description that goes on
//                below.`
std::string entry(const std::string& name, const std::string& description, size_t column) {
  const bool fits = name.size() + 4 <= column;
  return fmt::format("  {:<{}}{}{}\n", name, fits ? column - 2 : 0,
                     fits ? "" : "\n" + std::string(column, ' '), wrapped(description, column));
}

// `-f, --filename FILE`
std::string flag_name(const CLI::Option& option) {
  std::string name;
  for (const std::string& letter : option.get_snames()) {
    name += (name.empty() ? "-" : ", -") + letter;
  }
  for (const std::string& word : option.get_lnames()) {
    name += (name.empty() ? "    --" : ", --") + word;
  }
  if (option.get_type_name().starts_with('[')) {
    return name + option.get_type_name();  // of an optional value
  }
  return option.get_type_size() == 0 ? name : name + ' ' + option.get_type_name();
}

bool takes_several(const CLI::Option& option) {
  return option.get_expected_max() > 1;
}

// `[FILE...]`
std::string argument_usage(const CLI::Option& option) {
  return fmt::format(" [{}{}]", option.get_name(true, false), takes_several(option) ? "..." : "");
}

std::string usage_line(const CLI::App& command) {
  std::string line = "Usage: " + command_words(command);
  line +=
      command.get_options([](const CLI::Option* option) { return option->nonpositional(); }).empty()
          ? ""
          : " [FLAGS]";
  for (const CLI::Option* option : command.get_options()) {
    line += option->get_positional() ? argument_usage(*option) : "";
  }
  return line + (shown_commands(command).empty() ? "\n" : " [COMMAND]\n");
}

std::string arguments_section(const CLI::App& command) {
  std::string lines;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      lines += entry(option->get_name(true, false), option->get_description(), kNameColumn);
    }
  }
  return lines.empty() ? "" : "\nArguments:\n" + lines;
}

std::string flags_section(const CLI::App& command, const std::string& heading) {
  std::string lines;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional() && option->get_group() == heading) {
      lines += entry(flag_name(*option), option->get_description(), kFlagColumn);
    }
  }
  return lines.empty() ? "" : fmt::format("\n{}:\n{}", heading, lines);
}

std::string commands_section(const CLI::App& app) {
  std::string lines;
  for (const CLI::App* command : shown_commands(app)) {
    lines += entry(command->get_name(), command->get_description(), kNameColumn);
  }
  return lines.empty() ? "" : "\nCommands:\n" + lines;
}

// Commands and flags that may follow these words.
std::string next_words(const CLI::App& app) {
  std::string words;
  for (const CLI::App* command : shown_commands(app)) {
    words += command->get_name() + ' ';
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      words += "--" + name + ' ';
    }
    for (const std::string& name : option->get_snames()) {
      words += "-" + name + ' ';
    }
  }
  return words;
}

void append_cases(const CLI::App& app, const std::string& path, std::string& script) {
  script += fmt::format("    \"{}\") words=\"{}\" ;;\n", path, next_words(app));
  for (const CLI::App* command : shown_commands(app)) {
    append_cases(*command, path + ' ' + command->get_name(), script);
  }
}

void append_paths(const CLI::App& app, const std::string& path, std::string& script) {
  for (const CLI::App* command : shown_commands(app)) {
    const std::string longer = path + ' ' + command->get_name();
    script += fmt::format("{}\"{}\"", script.ends_with('(') ? "" : " | ", longer);
    append_paths(*command, longer, script);
  }
}

}  // namespace

std::string command_words(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent == nullptr ? "" : command_words(*parent) + ' ') + command.get_name();
}

std::string help_text(const CLI::App& command) {
  std::string text = wrapped(command.get_description()) + "\n\n" + usage_line(command) +
                     commands_section(command) + arguments_section(command);
  for (const std::string& heading : command.get_groups()) {
    text += flags_section(command, heading);
  }
  return text + command.get_footer();
}

std::string bash_completion(const CLI::App& program) {
  std::string paths = "(";
  append_paths(program, "", paths);
  std::string cases;
  append_cases(program, "", cases);
  return fmt::format(R"(# bash completion for windlass: source <(windlass completion bash)
_windlass() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} path="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path="$path ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$path" in
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  if [[ $current != -* && -n $path ]]; then
    COMPREPLY+=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _windlass windlass kubectl-windlass
)",
                     paths, cases);
}

}  // namespace windlass::cli
