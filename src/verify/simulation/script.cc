#include "verify/simulation/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace windlass::verify::simulation {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) {
      return parts;
    }
    text.remove_prefix(at + 1);
  }
}

Result<int> parse_number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    return fail(bad_request(fmt::format("not a number in a script: {}", text)));
  }
  return number;
}

Result<virtual_world::VirtualProcess> parse_attempt(std::string_view text) {
  virtual_world::VirtualProcess process;
  if (text == "never") {
    process.duration = virtual_world::VirtualProcess::kForever;
    return process;
  }
  const size_t slash = text.find('/');
  if (slash != text.npos) {
    const std::string_view on_term = text.substr(slash + 1);
    if (on_term == "-") {
      process.term_delay = virtual_world::VirtualProcess::kForever;
    } else {
      const size_t colon = on_term.find(':');
      TRY(const int delay, parse_number(on_term.substr(0, colon)));
      TRY(const int code, parse_number(colon == on_term.npos ? "143" : on_term.substr(colon + 1)));
      process.term_delay = seconds(delay);
      process.exit_on_term = {code, 0};
    }
    text = text.substr(0, slash);
  }
  const size_t at = text.find('@');
  TRY(process.exit.code, parse_number(text.substr(0, at)));
  TRY(const int duration, parse_number(at == text.npos ? "1" : text.substr(at + 1)));
  process.duration = seconds(duration);
  return process;
}

}  // namespace

Result<std::vector<virtual_world::VirtualProcess>> parse_script(std::string_view script,
                                                                std::optional<int32_t> index) {
  std::string_view chosen;
  for (std::string_view part : split(script, ';')) {
    const size_t equals = part.find('=');
    const std::string_view whose = equals == part.npos ? "*" : part.substr(0, equals);
    if (whose == (index ? std::to_string(*index) : "*") || (whose == "*" && chosen.empty())) {
      chosen = equals == part.npos ? part : part.substr(equals + 1);
    }
  }
  std::vector<virtual_world::VirtualProcess> attempts;
  for (const std::string_view attempt : split(chosen, ',')) {
    TRY(virtual_world::VirtualProcess process, parse_attempt(attempt));
    attempts.push_back(process);
  }
  return attempts;
}

Result<virtual_world::VirtualProcess> ProcessScripts::next(const std::string& job,
                                                           std::optional<int32_t> index,
                                                           std::string_view script) {
  TRY(const std::vector<virtual_world::VirtualProcess> attempts, parse_script(script, index));
  const size_t attempt = attempts_[{job, index.value_or(-1)}]++;
  return attempts[std::min(attempt, attempts.size() - 1)];
}

Result<virtual_world::VirtualProcess> ProcessScripts::of_pod(const std::string& uid,
                                                             const std::string& job,
                                                             std::optional<int32_t> index,
                                                             std::string_view script) {
  auto known = of_pods_.find(uid);
  if (known == of_pods_.end()) {
    TRY(virtual_world::VirtualProcess process, next(job, index, script));
    known = of_pods_.emplace(uid, process).first;
  }
  return known->second;
}

}  // namespace windlass::verify::simulation
