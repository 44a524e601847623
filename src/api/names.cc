#include "api/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ascii.h"

namespace windlass::api {

namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;
constexpr size_t kMaxPortName = 15;

constexpr bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
constexpr bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}
constexpr bool is_lower_alnum(char c) {
  return is_lower(c) || is_digit(c);
}
constexpr bool is_alnum(char c) {
  return is_lower_alnum(c) || is_upper(c);
}
constexpr bool is_key_character(char c) {
  return is_alnum(c) || c == '-' || c == '_' || c == '.';
}

template <class Predicate>
bool all(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

bool has_label_form(std::string_view text) {
  return !text.empty() && is_lower_alnum(text.front()) && is_lower_alnum(text.back()) &&
         all(text, [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool has_subdomain_form(std::string_view text) {
  while (true) {
    const size_t dot = text.find('.');
    if (!has_label_form(text.substr(0, dot))) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    text.remove_prefix(dot + 1);
  }
}

bool has_key_form(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) &&
         all(text, is_key_character);
}

std::string no_more_characters(size_t limit) {
  return fmt::format("must be no more than {} characters", limit);
}

// Label keys and values count bytes, and say so.
std::string no_more_bytes(size_t limit) {
  return fmt::format("must be no more than {} bytes", limit);
}

constexpr std::string_view kLabelText =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must "
    "start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kSubdomainText =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', "
    "and must start and end with an alphanumeric character (e.g. 'example.com', regex used for "
    "validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kDns1035Text =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kKeyText =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation "
    "is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelValueText =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kConfigMapKeyText =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

void check_parent_directory(std::string_view text, NameProblems& problems) {
  if (text == ".") {
    problems.emplace_back("must not be '.'");
  } else if (text == "..") {
    problems.emplace_back("must not be '..'");
  } else if (text.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
}

void check_key_prefix(std::string_view prefix, NameProblems& problems) {
  if (prefix.empty()) {
    problems.emplace_back("prefix part must be non-empty");
    return;
  }
  if (prefix.size() > kMaxSubdomain) {
    problems.push_back("prefix part " + no_more_bytes(kMaxSubdomain));
  }
  if (!has_subdomain_form(prefix)) {
    problems.push_back(fmt::format("prefix part {}", kSubdomainText));
  }
}

}  // namespace

NameProblems check_dns1123_label(std::string_view text) {
  NameProblems problems;
  if (text.size() > kMaxLabel) {
    problems.push_back(no_more_characters(kMaxLabel));
  }
  if (!has_label_form(text)) {
    problems.emplace_back(has_subdomain_form(text) ? "must not contain dots" : kLabelText);
  }
  return problems;
}

NameProblems check_dns1123_subdomain(std::string_view text) {
  NameProblems problems;
  if (text.size() > kMaxSubdomain) {
    problems.push_back(no_more_characters(kMaxSubdomain));
  }
  if (!has_subdomain_form(text)) {
    problems.emplace_back(kSubdomainText);
  }
  return problems;
}

NameProblems check_path_segment(std::string_view text) {
  if (text == "." || text == "..") {
    return {fmt::format("may not be '{}'", text)};
  }
  NameProblems problems;
  for (const char c : {'/', '%'}) {
    if (text.find(c) != std::string_view::npos) {
      problems.push_back(fmt::format("may not contain '{}'", c));
    }
  }
  return problems;
}

NameProblems check_dns1035_label(std::string_view text) {
  NameProblems problems;
  if (text.size() > kMaxLabel) {
    problems.push_back(no_more_characters(kMaxLabel));
  }
  if (!has_label_form(text) || is_digit(text.front())) {
    problems.emplace_back(kDns1035Text);
  }
  return problems;
}

NameProblems check_qualified_name(std::string_view text) {
  NameProblems problems;
  const size_t slash = text.find('/');
  std::string_view name = text;
  if (slash != std::string_view::npos) {
    name = text.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      problems.push_back(
          fmt::format("a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. "
                      "'example.com/MyName')",
                      kKeyText));
      return problems;
    }
    check_key_prefix(text.substr(0, slash), problems);
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > kMaxLabel) {
    problems.push_back("name part " + no_more_bytes(kMaxLabel));
  }
  if (!has_key_form(name)) {
    problems.push_back(fmt::format("name part {}", kKeyText));
  }
  return problems;
}

NameProblems check_annotation_key(std::string_view text) {
  if (std::none_of(text.begin(), text.end(), is_upper)) {
    return check_qualified_name(text);
  }
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; });
  return check_qualified_name(lower);
}

NameProblems check_label_value(std::string_view text) {
  NameProblems problems;
  if (text.size() > kMaxLabel) {
    problems.push_back(no_more_bytes(kMaxLabel));
  }
  if (!text.empty() && !has_key_form(text)) {
    problems.emplace_back(kLabelValueText);
  }
  return problems;
}

NameProblems check_env_var_name(std::string_view text) {
  NameProblems problems;
  if (text.empty()) {
    problems.emplace_back("environment variable name must be non-empty");
  }
  if (!all(text, [](char c) { return c >= ' ' && c <= '~' && c != '='; })) {
    problems.emplace_back(
        "a valid environment variable name must consist only of printable ASCII characters other "
        "than '='");
  }
  return problems;
}

NameProblems check_c_identifier(std::string_view text) {
  const auto letter = [](char c) { return is_lower(c) || is_upper(c) || c == '_'; };
  if (!text.empty() && letter(text.front()) &&
      all(text, [&](char c) { return letter(c) || is_digit(c); })) {
    return {};
  }
  return {
      "a valid C identifier must start with alphabetic character or '_', followed by a string of "
      "alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for "
      "validation is '[A-Za-z_][A-Za-z0-9_]*')"};
}

NameProblems check_config_map_key(std::string_view text) {
  NameProblems problems;
  if (text.size() > kMaxSubdomain) {
    problems.push_back(no_more_characters(kMaxSubdomain));
  }
  if (text.empty() || !all(text, is_key_character)) {
    problems.emplace_back(kConfigMapKeyText);
  }
  check_parent_directory(text, problems);
  return problems;
}

NameProblems check_port_name(std::string_view text) {
  NameProblems problems;
  if (text.size() > kMaxPortName) {
    problems.push_back(no_more_characters(kMaxPortName));
  }
  if (text.empty() || !all(text, [](char c) { return is_lower_alnum(c) || c == '-'; })) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::none_of(text.begin(), text.end(), is_lower)) {
    problems.emplace_back("must contain at least one letter (a-z)");
  }
  if (text.find("--") != std::string_view::npos) {
    problems.emplace_back("must not contain consecutive hyphens");
  }
  if (text.starts_with('-') || text.ends_with('-')) {
    problems.emplace_back("must not begin or end with a hyphen");
  }
  return problems;
}

NameProblems check_http_header_name(std::string_view text) {
  if (!text.empty() && all(text, [](char c) { return is_alnum(c) || c == '-'; })) {
    return {};
  }
  return {
      "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', "
      "regex used for validation is '[-A-Za-z0-9]+')"};
}

NameProblems check_percent(std::string_view text) {
  if (text.size() > 1 && text.back() == '%' && all(text.substr(0, text.size() - 1), is_digit)) {
    return {};
  }
  return {
      "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or "
      "'93%', regex used for validation is '[0-9]+%')"};
}

void add_problems(FieldErrors& errors, const FieldPath& path, std::string_view value,
                  const NameProblems& problems) {
  for (const std::string& problem : problems) {
    errors.invalid(path, value, problem);
  }
}

void validate_domain_prefixed_path(FieldErrors& errors, const FieldPath& path,
                                   std::string_view value) {
  if (value.empty()) {
    errors.required(path);
    return;
  }
  const size_t slash = value.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash + 1 == value.size()) {
    errors.invalid(path, value, "must be a domain-prefixed path (such as \"acme.io/foo\")");
    return;
  }
  const std::string_view host = value.substr(0, slash);
  add_problems(errors, path, host, check_dns1123_subdomain(host));
  const std::string_view tail = value.substr(slash + 1);
  constexpr std::string_view kPunctuation = "/-._~%!$&'()*+,;=:";
  if (!all(tail,
           [&](char c) { return is_alnum(c) || kPunctuation.find(c) != std::string_view::npos; })) {
    errors.invalid(path, tail,
                   "Invalid path (regex used for validation is "
                   "'[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')");
  }
}

namespace {

constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
constexpr size_t kSuffixBytes = 5;

}  // namespace

std::string generate_name(std::string_view base, env::Random& random) {
  std::string name(base.substr(0, kMaxGeneratedBaseBytes));
  for (size_t i = 0; i < kSuffixBytes; ++i) {
    name += kAlphabet[random.next() % kAlphabet.size()];
  }
  return name;
}

}  // namespace windlass::api
