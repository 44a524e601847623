#include "cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace windlass::cli {
namespace {

// Commands and flags that may follow these words.
std::string next_words(const CLI::App& app) {
  std::string words;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) {
      words += command->get_name() + ' ';
    }
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
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) {
      append_cases(*command, path + ' ' + command->get_name(), script);
    }
  }
}

void append_paths(const CLI::App& app, const std::string& path, std::string& script) {
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) {
      const std::string longer = path + ' ' + command->get_name();
      script += fmt::format("{}\"{}\"", script.ends_with('(') ? "" : " | ", longer);
      append_paths(*command, longer, script);
    }
  }
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string paths = "(";
  append_paths(app, "", paths);
  std::string cases;
  append_cases(app, "", cases);
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
