#include "explain/verdict_text.h"

#include <charconv>

namespace windlass::explain {
namespace {

// Takes what is before `mark`, and the mark, off the text; nothing without the mark.
std::optional<std::string_view> take_until(std::string_view& text, std::string_view mark) {
  const size_t at = text.find(mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at + mark.size());
  return before;
}

std::optional<int32_t> number(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(value) : std::nullopt;
}

// `ns/name` gives name.
std::string pod_name(std::string_view key) {
  return std::string(key.substr(key.find('/') + 1));
}

// `FailJob rule at index 1`
bool read_rule(std::string_view text, VerdictText& out) {
  const auto action = take_until(text, " rule at index ");
  const auto rule = number(text);
  if (!action || !rule) {
    return false;
  }
  out.action = *action;
  out.rule = *rule;
  return true;
}

std::optional<VerdictText> parse_container(std::string_view text) {
  VerdictText out;
  const auto container = take_until(text, " for pod ");
  const auto pod = take_until(text, " failed with exit code ");
  const auto code = take_until(text, " matching ");
  if (!container || !pod || !code || !number(*code) || !read_rule(text, out)) {
    return std::nullopt;
  }
  out.container = *container;
  out.pod = pod_name(*pod);
  out.exit_code = number(*code);
  return out;
}

std::optional<VerdictText> parse_condition(std::string_view text) {
  VerdictText out;
  const auto pod = take_until(text, " has condition ");
  const auto condition = take_until(text, " matching ");
  if (!pod || !condition || !read_rule(text, out)) {
    return std::nullopt;
  }
  out.pod = pod_name(*pod);
  out.condition = *condition;
  return out;
}

}  // namespace

std::optional<VerdictText> parse_verdict(std::string_view message) {
  constexpr std::string_view kContainer = "Container ";
  constexpr std::string_view kPod = "Pod ";
  if (message.starts_with(kContainer)) {
    return parse_container(message.substr(kContainer.size()));
  }
  return message.starts_with(kPod) ? parse_condition(message.substr(kPod.size())) : std::nullopt;
}

}  // namespace windlass::explain
