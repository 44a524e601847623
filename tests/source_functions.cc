#include "source_functions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace windlass::house {
namespace {

// Where the literal or comment that begins at `at` ends; `at` where there is none.
size_t end_of_literal(const std::string& text, size_t at) {
  if (text.compare(at, 2, "//") == 0) {
    return std::min(text.find('\n', at), text.size());
  }
  if (text.compare(at, 2, "R\"") == 0) {
    const size_t open = text.find('(', at);
    const std::string close = ')' + text.substr(at + 2, open - at - 2) + '"';
    return std::min(text.find(close, open), text.size() - close.size()) + close.size();
  }
  const bool digit_separator = text[at] == '\'' && at > 0 && std::isalnum(text[at - 1]) != 0;
  if ((text[at] != '"' && text[at] != '\'') || digit_separator) {
    return at;
  }
  size_t end = at + 1;
  while (end < text.size() && text[end] != text[at]) {
    end += text[end] == '\\' ? 2U : 1U;
  }
  return std::min(end + 1, text.size());
}

// The same lines without literals and comments.
std::string code_without_literals(const std::string& text) {
  std::string code;
  for (size_t at = 0; at < text.size();) {
    const size_t end = end_of_literal(text, at);
    if (end == at) {
      code += text[at++];
      continue;
    }
    code.append(
        static_cast<size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                                       text.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
        '\n');
    at = end;
  }
  return code;
}

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \n");
  return begin == std::string_view::npos
             ? ""
             : text.substr(begin, text.find_last_not_of(" \n") - begin + 1);
}

// Without what may stand between the parameters and the body.
std::string_view without_qualifiers(std::string_view head) {
  constexpr std::array<std::string_view, 4> kQualifiers = {"const", "noexcept", "override",
                                                           "final"};
  for (bool changed = true; changed;) {
    changed = false;
    head = trimmed(head);
    for (const std::string_view word : kQualifiers) {
      if (head.ends_with(word)) {
        head.remove_suffix(word.size());
        changed = true;
      }
    }
  }
  const size_t arrow = head.rfind(") ->");
  return arrow == std::string_view::npos ? head : head.substr(0, arrow + 1);
}

bool is_access(std::string_view head) {
  return head == "public" || head == "private" || head == "protected";
}

// Whether the text before an opening brace is the signature of a function: it ends with its
// parameters or with its constructor's initializers, and is neither a statement nor a lambda.
bool is_signature(std::string_view text) {
  constexpr std::array<std::string_view, 8> kStatements = {"if",    "for",  "while",  "switch",
                                                           "catch", "else", "return", "case"};
  const std::string_view head = trimmed(text);
  const std::string_view word = head.substr(0, head.find_first_of(" (\n"));
  if (std::find(kStatements.begin(), kStatements.end(), word) != kStatements.end()) {
    return false;
  }
  const std::string_view before_parameters = head.substr(0, head.find('('));
  return before_parameters.size() < head.size() && without_qualifiers(head).ends_with(')') &&
         before_parameters.find_first_of("=[") == std::string_view::npos;
}

}  // namespace

std::vector<SourceFunction> functions_of(const std::string& text) {
  struct Block {
    bool is_function;
    size_t line;
  };
  std::vector<SourceFunction> functions;
  std::vector<Block> open;
  std::string head;
  size_t line = 1;
  size_t head_line = 1;
  for (const char c : code_without_literals(text)) {
    line += c == '\n' ? 1 : 0;
    if (c == '{') {
      open.push_back({is_signature(head), head_line});
    } else if (c == '}' && !open.empty()) {
      if (open.back().is_function) {
        functions.push_back({open.back().line, line - open.back().line + 1});
      }
      open.pop_back();
    } else if (c != ';' && c != '}' && !(c == ':' && is_access(head))) {
      if (head.empty() && (c == ' ' || c == '\n')) {
        continue;
      }
      head_line = head.empty() ? line : head_line;
      head += c;
      continue;
    }
    head.clear();
  }
  return functions;
}

}  // namespace windlass::house
