#include "cli/flags/help_text.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/output/text.h"

namespace windlass::cli {
namespace {

// Where descriptions begin.
constexpr size_t kFlagColumn = 32;
constexpr size_t kNameColumn = 14;

// `  name      Description that goes on
//                below.`
std::string entry(const std::string& name, const std::string& description, size_t column) {
  const bool fits = name.size() + 4 <= column;
  return fmt::format("  {:<{}}{}{}\n", name, fits ? column - 2 : 0,
                     fits ? "" : "\n" + std::string(column, ' '), wrapped(description, column));
}

bool takes_several(const CLI::Option& option) {
  return option.get_expected_max() > 1;
}

// `[FILE...]`
std::string argument_usage(const CLI::Option& option) {
  return fmt::format(" [{}{}]", option.get_name(true, false), takes_several(option) ? "..." : "");
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

}  // namespace

std::vector<const CLI::App*> shown_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

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

}  // namespace windlass::cli
