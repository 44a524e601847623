// The text form of label selectors (api.md M68). One pass over the text makes tokens, one pass over
// the tokens makes requirements; nothing recurses.
#include <fmt/format.h>

#include <algorithm>

#include "api/codec/json/decimal.h"
#include "api/names.h"
#include "api/select/label_selector.h"

namespace windlass::api {
namespace {

enum class TokenType { end, word, symbol };

struct Token {
  TokenType type = TokenType::end;
  std::string text;

  bool is(std::string_view symbol) const { return type == TokenType::symbol && text == symbol; }
  bool is_word() const { return type == TokenType::word; }
};

constexpr std::string_view kSymbolCharacters = "=!(),><";
constexpr std::string_view kBlanks = " \t\r\n";

// The longest symbol at the start; every symbol character is one by itself.
std::string_view take_symbol(std::string_view text) {
  const std::string_view pair = text.substr(0, 2);
  return pair == "==" || pair == "!=" ? pair : text.substr(0, 1);
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  while (true) {
    const size_t start = text.find_first_not_of(kBlanks);
    if (start == std::string_view::npos) {
      tokens.emplace_back();
      return tokens;
    }
    text.remove_prefix(start);
    std::string_view taken;
    TokenType type = TokenType::word;
    if (kSymbolCharacters.find(text[0]) != std::string_view::npos) {
      taken = take_symbol(text);
      type = TokenType::symbol;
    } else {
      taken = text.substr(0, text.find_first_of(" \t\r\n=!(),><"));
    }
    tokens.push_back({type, std::string(taken)});
    text.remove_prefix(taken.size());
  }
}

Failure parse_failure(std::string message) {
  return fail(bad_request(std::move(message)));
}

std::string joined(const NameProblems& problems) {
  return fmt::format("{}", fmt::join(problems, "; "));
}

class SelectorParser {
 public:
  explicit SelectorParser(std::string_view text) : tokens_(tokens_of(text)) {}

  Result<std::vector<LabelRequirement>> parse() {
    std::vector<LabelRequirement> requirements;
    while (peek().type != TokenType::end) {
      if (!starts_requirement(peek())) {
        return parse_failure(
            fmt::format("found '{}', expected: !, identifier, or 'end of string'", peek().text));
      }
      auto requirement = parse_requirement();
      if (!requirement) {
        return parse_failure("unable to parse requirement: " + requirement.error().message);
      }
      requirements.push_back(*std::move(requirement));
      const Token next = take();
      if (next.type == TokenType::end) {
        break;
      }
      if (!next.is(",")) {
        return parse_failure(
            fmt::format("found '{}', expected: ',' or 'end of string'", next.text));
      }
      if (!starts_requirement(peek())) {
        return parse_failure(
            fmt::format("found '{}', expected: identifier after ','", peek().text));
      }
    }
    return requirements;
  }

 private:
  static bool starts_requirement(const Token& token) { return token.is_word() || token.is("!"); }

  const Token& peek() const { return tokens_[position_]; }
  // The end is never passed.
  Token take() {
    const Token token = peek();
    if (token.type != TokenType::end) {
      ++position_;
    }
    return token;
  }

  Result<LabelRequirement> parse_requirement() {
    LabelRequirement requirement;
    Token token = take();
    const bool negated = token.is("!");
    if (negated) {
      token = take();
    }
    if (!token.is_word()) {
      return parse_failure(fmt::format("found '{}', expected: identifier", token.text));
    }
    requirement.key = token.text;
    if (const auto problems = check_qualified_name(requirement.key); !problems.empty()) {
      return parse_failure(
          fmt::format("<nil>: Invalid value: {}: {}", go_quote(requirement.key), joined(problems)));
    }
    const bool alone = peek().type == TokenType::end || peek().is(",");
    if (negated || alone) {
      requirement.op = negated ? LabelOperator::does_not_exist : LabelOperator::exists;
      return requirement;
    }
    TRY(requirement.op, parse_operator());
    if (requirement.op == LabelOperator::in || requirement.op == LabelOperator::not_in) {
      TRY(requirement.values, parse_values());
    } else {
      TRY(std::string value, parse_exact_value());
      requirement.values.push_back(std::move(value));
    }
    TRY_VOID(check_values(requirement));
    return requirement;
  }

  Result<LabelOperator> parse_operator() {
    struct Spelling {
      std::string_view text;
      LabelOperator op;
    };
    static constexpr Spelling kSpellings[] = {
        {"in", LabelOperator::in},         {"notin", LabelOperator::not_in},
        {"=", LabelOperator::equals},      {"==", LabelOperator::double_equals},
        {"!=", LabelOperator::not_equals}, {">", LabelOperator::greater_than},
        {"<", LabelOperator::less_than},
    };
    const Token token = take();
    for (const Spelling& spelling : kSpellings) {
      if (token.type != TokenType::end && token.text == spelling.text) {
        return spelling.op;
      }
    }
    return parse_failure(
        fmt::format("found '{}', expected: in, notin, =, ==, !=, gt, lt", token.text));
  }

  Result<std::vector<std::string>> parse_values() {
    if (const Token open = take(); !open.is("(")) {
      return parse_failure(fmt::format("found '{}' expected: '('", open.text));
    }
    if (peek().is(")")) {
      take();
      return std::vector<std::string>{""};
    }
    if (!peek().is_word() && !peek().is(",")) {
      return parse_failure(
          fmt::format("found '{}', expected: ',', ')' or identifier", peek().text));
    }
    return parse_value_list();
  }

  // Up to and including the closing parenthesis. A place between commas without a word is the
  // empty value.
  Result<std::vector<std::string>> parse_value_list() {
    std::vector<std::string> values;
    bool word_expected = true;
    while (true) {
      const Token token = take();
      if (token.is_word()) {
        if (!word_expected) {
          return parse_failure(fmt::format("found '{}', expected: ',' or ')'", token.text));
        }
        values.push_back(token.text);
        word_expected = false;
      } else if (token.is(",") || token.is(")")) {
        if (word_expected) {
          values.emplace_back();
        }
        word_expected = true;
        if (token.is(")")) {
          std::sort(values.begin(), values.end());
          values.erase(std::unique(values.begin(), values.end()), values.end());
          return values;
        }
      } else if (word_expected) {
        return parse_failure(fmt::format("found '{}', expected: ',', or identifier", token.text));
      } else {
        return parse_failure(fmt::format("found '{}', expected: ',' or ')'", token.text));
      }
    }
  }

  Result<std::string> parse_exact_value() {
    if (peek().type == TokenType::end || peek().is(",")) {
      return std::string();
    }
    const Token token = take();
    if (!token.is_word()) {
      return parse_failure(fmt::format("found '{}', expected: identifier", token.text));
    }
    return token.text;
  }

  static Result<void> check_values(const LabelRequirement& requirement) {
    FieldErrors errors;
    const FieldPath path("values");
    const bool compares =
        requirement.op == LabelOperator::greater_than || requirement.op == LabelOperator::less_than;
    if (compares && !parse_decimal(requirement.values[0])) {
      errors.invalid(path.index(0), requirement.values[0],
                     "for 'Gt', 'Lt' operators, the value must be an integer");
    }
    for (size_t i = 0; i < requirement.values.size(); ++i) {
      if (const auto problems = check_label_value(requirement.values[i]); !problems.empty()) {
        errors.invalid(path.index(i).key(requirement.key), requirement.values[i], joined(problems));
      }
    }
    if (errors.empty()) {
      return {};
    }
    if (errors.size() == 1) {
      return parse_failure(errors.all()[0].text());
    }
    std::string texts;
    for (const FieldError& error : errors.all()) {
      texts += (texts.empty() ? "" : ", ") + error.text();
    }
    return parse_failure(fmt::format("[{}]", texts));
  }

  std::vector<Token> tokens_;
  size_t position_ = 0;
};

}  // namespace

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  TRY(auto requirements, SelectorParser(text).parse());
  LabelSelector selector;
  selector.requirements_ = std::move(requirements);
  std::stable_sort(selector.requirements_.begin(), selector.requirements_.end(),
                   [](const auto& a, const auto& b) { return a.key < b.key; });
  selector.index_rules();
  return selector;
}

}  // namespace windlass::api
