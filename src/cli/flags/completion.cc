#include "cli/flags/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "cli/flags/flags.h"
#include "cli/flags/help_text.h"

namespace windlass::cli {
namespace {

constexpr std::string_view kHelp = "help";
// What -o takes stands in its help.
constexpr const char* kFormats[] = {"csv", "github", "json", "jsonl", "junit", "sarif", "yaml"};

bool has_word(std::string_view text, std::string_view word) {
  const auto is_letter = [&text](size_t i) {
    return i < text.size() && std::isalnum(static_cast<unsigned char>(text[i])) != 0;
  };
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + word.size())) {
      return true;
    }
  }
  return false;
}

// `on|off` is a choice of words, `FILE|DIR` is not.
std::vector<std::string> choices_of(std::string_view placeholder) {
  std::vector<std::string> choices;
  if (placeholder.find('|') == std::string_view::npos ||
      std::any_of(placeholder.begin(), placeholder.end(),
                  [](char c) { return c >= 'A' && c <= 'Z'; })) {
    return choices;
  }
  while (!placeholder.empty()) {
    const size_t end = std::min(placeholder.find('|'), placeholder.size());
    choices.emplace_back(placeholder.substr(0, end));
    placeholder.remove_prefix(std::min(end + 1, placeholder.size()));
  }
  return choices;
}

NameSource source_of(std::string_view flag, std::string_view placeholder) {
  if (flag == "--job") {
    return NameSource::job_names;
  }
  if (placeholder == "JOB") {
    return NameSource::jobs;
  }
  if (flag == "--namespace") {
    return NameSource::namespaces;
  }
  if (flag == "--node" || placeholder == "NODE") {
    return NameSource::nodes;
  }
  return placeholder == "RUN" || placeholder == "[=RUN]" ? NameSource::runs : NameSource::none;
}

// The values of a flag, or of an argument, which has the name "".
void complete_value(const std::string& flag, const std::string& placeholder,
                    const std::string& about, Completion& completion) {
  for (const std::string& choice : choices_of(placeholder)) {
    completion.add(choice);
  }
  if (placeholder == "FORMAT") {
    for (const char* format : kFormats) {
      if (has_word(about, format)) {
        completion.add(format);
      }
    }
  }
  completion.names = source_of(flag, placeholder);
  completion.files =
      placeholder.find("FILE") != std::string::npos || placeholder.find("DIR") != std::string::npos;
}

std::string long_name(const CLI::Option& option) {
  return option.get_lnames().empty() ? "" : "--" + option.get_lnames().front();
}

// The options and arguments of a command, by what is typed.
class Walk {
 public:
  explicit Walk(const CLI::App& program) : program_(program), command_(&program) {}

  // Goes past a word that is complete.
  void pass(const std::string& word, Completion& completion) {
    if (awaits_ != nullptr) {
      completion.values[long_name(*awaits_)] = word;
      awaits_ = nullptr;
      return;
    }
    if (word.starts_with('-') && word.size() > 1) {
      const size_t equals = std::min(word.find('='), word.size());
      const CLI::Option* option = find_option(word.substr(0, equals));
      if (option == nullptr || option->get_expected_max() == 0) {
        return;
      }
      if (equals < word.size()) {
        completion.values[long_name(*option)] = word.substr(equals + 1);
      } else if (!is_optional_value(*option)) {
        awaits_ = option;
      }
      return;
    }
    for (const CLI::App* subcommand : shown_commands(*command_)) {
      if (subcommand->get_name() == word) {
        const bool describes = command_ == &program_ && word == kHelp;
        command_ = describes ? &program_ : subcommand;
        for_help_ = for_help_ || describes;
        return;
      }
    }
    ++arguments_;
  }

  void complete_word(Completion& completion) const {
    if (awaits_ != nullptr) {
      return complete_value(long_name(*awaits_), awaits_->get_type_name(),
                            awaits_->get_description(), completion);
    }
    const size_t equals = completion.current.find('=');
    if (completion.current.starts_with("--") && equals != std::string::npos) {
      return complete_after_equals(equals, completion);
    }
    if (completion.current.starts_with('-')) {
      return complete_flag(completion);
    }
    for (const CLI::App* subcommand : shown_commands(*command_)) {
      completion.add(subcommand->get_name(), subcommand->get_description());
    }
    if (!for_help_) {
      complete_argument(completion);
    }
  }

 private:
  const CLI::Option* find_option(const std::string& name) const {
    return command_->get_option_no_throw(name);
  }

  static bool is_optional_value(const CLI::Option& option) {
    return option.get_type_name().starts_with('[') || option.get_type_size() == 0;
  }

  void complete_after_equals(size_t equals, Completion& completion) const {
    const CLI::Option* option = find_option(completion.current.substr(0, equals));
    completion.prefix = completion.current.substr(0, equals + 1);
    completion.current.erase(0, equals + 1);
    if (option != nullptr) {
      complete_value(long_name(*option), option->get_type_name(), option->get_description(),
                     completion);
    }
  }

  void complete_flag(Completion& completion) const {
    for (const CLI::Option* option : command_->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        completion.add("--" + name, option->get_description());
      }
      for (const std::string& name : option->get_snames()) {
        completion.add("-" + name, option->get_description());
      }
    }
  }

  void complete_argument(Completion& completion) const {
    size_t number = 0;
    for (const CLI::Option* option : command_->get_options()) {
      if (!option->get_positional() || option->get_name(true, false).starts_with('-')) {
        continue;
      }
      const bool several = option->get_expected_max() > 1;
      if (number++ == arguments_ || (several && arguments_ >= number)) {
        return complete_value("", option->get_name(true, false), option->get_description(),
                              completion);
      }
    }
  }

  const CLI::App& program_;
  const CLI::App* command_;
  const CLI::Option* awaits_ = nullptr;  // its value
  size_t arguments_ = 0;                 // so far
  bool for_help_ = false;                // only commands follow
};

// Descriptions are one line for a shell.
std::string first_sentence(const std::string& text) {
  const size_t end = std::min({text.find(". "), text.find("; "), text.find('\n'), text.size()});
  return text.substr(0, end);
}

constexpr const char* kBash = R"(# bash completion for windlass: source <(windlass completion bash)
_windlass() {
  local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]} word typed
  local -a words lines
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  # Bash takes = and : for ends of words.
  [[ $current == [=:] ]] && current=""
  typed=${words[-1]}
  mapfile -t lines < <("${words[0]}" __complete "${words[@]:1}" 2>/dev/null)
  COMPREPLY=()
  for word in "${lines[@]::${#lines[@]}-1}"; do
    word=${word%%$'\t'*}
    COMPREPLY+=("${word#"${typed%"$current"}"}")
  done
  if [[ ${lines[-1]:-} == :0 ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -F _windlass windlass kubectl-windlass
)";

constexpr const char* kZsh = R"(#compdef windlass kubectl-windlass
# zsh completion for windlass: source <(windlass completion zsh)
_windlass() {
  local -a lines described
  local line
  lines=("${(@f)$(${words[1]} __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "${(@)lines[1,-2]}"; do
    described+=("${${line%%$'\t'*}//:/\\:}${${(M)line%$'\t'*}:+:${line#*$'\t'}}")
  done
  (( ${#described} )) && _describe windlass described
  [[ ${lines[-1]} == :0 ]] && _files
}
if [[ ${funcstack[1]} == _windlass ]]; then
  _windlass "$@"
else
  compdef _windlass windlass kubectl-windlass
fi
)";

constexpr const char* kFish = R"(# fish completion for windlass: windlass completion fish | source
function __windlass_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    test (count $lines) -gt 1; and printf '%s\n' $lines[1..-2]
    test "$lines[-1]" = :0; and __fish_complete_path "$current"
end
complete -c windlass -f -a '(__windlass_complete)'
complete -c kubectl-windlass -f -a '(__windlass_complete)'
)";

}  // namespace

void Completion::add(const std::string& word, const std::string& about) {
  if (word.starts_with(current)) {
    candidates.push_back({word, about});
  }
}

std::string Completion::text() const {
  std::string text;
  for (const CompletionCandidate& candidate : candidates) {
    const std::string about = first_sentence(candidate.about);
    text += prefix + candidate.word + (about.empty() ? "" : "\t" + about) + "\n";
  }
  return text + (files ? ":0\n" : ":4\n");
}

Completion complete(const CLI::App& program, const std::vector<std::string>& words) {
  Completion completion;
  Walk walk(program);
  for (size_t i = 0; i + 1 < words.size(); ++i) {
    walk.pass(words[i], completion);
  }
  completion.current = words.empty() ? "" : words.back();
  walk.complete_word(completion);
  return completion;
}

std::string completion_script(Shell shell) {
  switch (shell) {
    case Shell::zsh:
      return kZsh;
    case Shell::fish:
      return kFish;
    case Shell::bash:
      break;
  }
  return kBash;
}

}  // namespace windlass::cli
