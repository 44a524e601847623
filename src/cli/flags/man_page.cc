#include "cli/flags/man_page.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/flags/help_text.h"

namespace windlass::cli {
namespace {

// Text that roff prints as it is.
std::string roff(std::string_view text) {
  std::string out;
  bool at_line_start = true;
  for (const char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    switch (c) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += c;
    }
    at_line_start = c == '\n';
  }
  return out;
}

std::string upper(std::string text) {
  for (char& c : text) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return text;
}

std::string section(const std::string& title, const std::string& body) {
  return body.empty() ? "" : fmt::format(".SH \"{}\"\n{}", roff(upper(title)), body);
}

std::string tagged(const std::string& name, const std::string& description) {
  return fmt::format(".TP\n.B \"{}\"\n{}\n", roff(name), roff(description));
}

std::string page_name(const CLI::App& command) {
  std::string name = command_words(command);
  for (char& c : name) {
    c = c == ' ' ? '-' : c;
  }
  return name;
}

std::string arguments_body(const CLI::App& command) {
  std::string body;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) {
      body += tagged(option->get_name(true, false), option->get_description());
    }
  }
  return body;
}

std::string flags_body(const CLI::App& command, const std::string& heading) {
  std::string body;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional() && option->get_group() == heading) {
      const std::string name = flag_name(*option);
      body += tagged(name.substr(name.find('-')), option->get_description());
    }
  }
  return body;
}

std::string commands_body(const CLI::App& command) {
  std::string body;
  for (const CLI::App* subcommand : shown_commands(command)) {
    body += tagged(page_name(*subcommand) + "(1)", subcommand->get_description());
  }
  return body;
}

// The end of the help: paragraphs, exit codes, examples, with empty lines between them.
struct Footer {
  explicit Footer(std::string_view text) {
    while (!text.empty()) {
      const size_t end = std::min(text.find("\n\n"), text.size());
      add(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      text.remove_prefix(text.starts_with('\n') ? 1 : 0);
    }
  }

  std::string paragraphs = {};
  std::string exit_codes = {};
  std::string examples = {};

 private:
  void add(std::string_view block) {
    while (block.starts_with('\n')) {
      block.remove_prefix(1);
    }
    if (const std::string_view codes = "Exit codes:\n"; block.starts_with(codes)) {
      exit_codes = ".nf\n" + roff(block.substr(codes.size())) + "\n.fi\n";
    } else if (const std::string_view shown = "Examples:\n"; block.starts_with(shown)) {
      examples = ".nf\n" + roff(block.substr(shown.size())) + "\n.fi\n";
    } else if (!block.empty()) {
      paragraphs += fmt::format("{}{}\n", paragraphs.empty() ? "" : ".PP\n", roff(block));
    }
  }
};

std::string see_also(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? "" : fmt::format(".BR {} (1)\n", roff(page_name(*parent)));
}

ManPage man_page(const CLI::App& command, const std::string& version) {
  const std::string name = page_name(command);
  const Footer footer(command.get_footer());
  std::string usage = usage_line(command);
  usage = usage.substr(usage.find(':') + 2);
  std::string text = fmt::format(".TH \"{}\" 1 \"\" \"Windlass {}\" \"Windlass\"\n",
                                 roff(upper(name)), roff(version));
  text += section("Name", fmt::format("{} \\- {}\n", roff(name), roff(command.get_description())));
  text += section("Synopsis", ".B " + roff(usage));
  text += section("Description", footer.paragraphs);
  text += section("Commands", commands_body(command));
  text += section("Arguments", arguments_body(command));
  for (const std::string& heading : command.get_groups()) {
    text += section(heading, flags_body(command, heading));
  }
  text += section("Exit status", footer.exit_codes);
  text += section("Examples", footer.examples);
  text += section("See also", see_also(command));
  return {name + ".1", text};
}

void append_pages(const CLI::App& command, const std::string& version,
                  std::vector<ManPage>& pages) {
  pages.push_back(man_page(command, version));
  for (const CLI::App* subcommand : shown_commands(command)) {
    append_pages(*subcommand, version, pages);
  }
}

}  // namespace

std::vector<ManPage> man_pages(const CLI::App& program, const std::string& version) {
  std::vector<ManPage> pages;
  append_pages(program, version, pages);
  return pages;
}

}  // namespace windlass::cli
