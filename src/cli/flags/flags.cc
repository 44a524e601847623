#include "cli/flags/flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <deque>
#include <limits>

#include "cli/output/text.h"
#include "net/stream/endpoint.h"

namespace windlass::cli {

namespace {

constexpr const char* kFirstHeading = "Flags";
// What CLI11 has for a flag without its optional value.
constexpr std::string_view kFlagAlone = "true";

// `-f,--filename FILE` is `-f,--filename` and `FILE`.
struct Name {
  explicit Name(std::string_view text) {
    const size_t space = std::min(text.find(' '), text.size());
    flag = text.substr(0, space);
    placeholder = text.substr(std::min(space + 1, text.size()));
  }
  // As errors name it: the long one.
  std::string title() const {
    const size_t dashes = flag.find("--");
    return flag.substr(dashes == std::string::npos ? 0 : dashes);
  }

  std::string flag;
  std::string placeholder;
};

std::string with_default(const std::string& help, const std::string& value) {
  return value.empty() ? help : fmt::format("{} (default: {})", help, value);
}

// `10m` for `10m0s`
std::string short_duration(Duration duration) {
  std::string text = format_duration(duration);
  for (const std::string_view zero : {"m0s", "h0m"}) {
    if (text.ends_with(zero)) {
      text.resize(text.size() - zero.size() + 1);
    }
  }
  return text;
}

// Zero is mostly "none", which the help says in words.
template <class Number>
std::string default_text(Number value) {
  return value == Number{} ? "" : fmt::format("{}", value);
}

// `from 1 to 100`, `of at least 0`
template <class Number>
std::string range_text(Number lowest, Number highest) {
  return highest == std::numeric_limits<Number>::max()
             ? fmt::format("of at least {}", lowest)
             : fmt::format("from {} to {}", lowest, highest);
}

}  // namespace

struct Flags::Impl {
  explicit Impl(CLI::App& app) : command(app) {}

  CLI::Option* describe(CLI::Option* option, const Name& name) {
    if (!name.placeholder.empty()) {
      option->type_name(name.placeholder);
    }
    return option->group(heading);
  }

  void end_with(const std::string& text) { command.footer(command.get_footer() + "\n" + text); }

  CLI::App& command;
  std::string heading = kFirstHeading;
  std::deque<std::string> texts;               // what CLI11 writes into
  std::deque<std::vector<std::string>> lists;  // likewise
  std::vector<std::function<Result<void>()>> reads;
  std::vector<std::function<Result<void>()>> checks;  // after all of these
};

Flags::Flags(CLI::App& command) : impl_(std::make_unique<Impl>(command)) {}

Flags::~Flags() = default;

void Flags::text(const char* name, std::string& value, const std::string& help) {
  const Name parts(name);
  impl_->describe(impl_->command.add_option(parts.flag, value, with_default(help, value)), parts);
}

void Flags::toggle(const char* name, bool& value, const std::string& help) {
  const Name parts(name);
  impl_->describe(
      impl_->command.add_flag(parts.flag, value, with_default(help, value ? "true" : "")), parts);
}

void Flags::list(const char* name, std::vector<std::string>& values, const std::string& help) {
  const Name parts(name);
  std::vector<std::string>& given = impl_->lists.emplace_back();
  CLI::Option* option = impl_->command.add_option(parts.flag, given, help + "; repeatable");
  option->allow_extra_args(false);
  impl_->describe(option, parts);
  impl_->reads.emplace_back([&values, &given]() -> Result<void> {
    values.insert(values.end(), given.begin(), given.end());
    return {};
  });
}

void Flags::duration(const char* name, Duration& value, const std::string& help) {
  parsed(name, with_default(help, value > Duration::zero() ? short_duration(value) : ""),
         [&value, flag = Name(name).title()](const std::string& text) -> Result<void> {
           TRY(value, positive_duration(flag, text));
           return {};
         });
}

void Flags::duration(const char* name, std::optional<Duration>& value, const std::string& help) {
  parsed(name, help, [&value, flag = Name(name).title()](const std::string& text) -> Result<void> {
    if (!text.empty()) {
      TRY(value, positive_duration(flag, text));
    }
    return {};
  });
}

template <class Number, class Value>
void Flags::add_number(const char* name, Value& value, const std::string& help,
                       Range<Number> range) {
  parsed(name, help,
         [&value, range, flag = Name(name).title()](const std::string& text) -> Result<void> {
           Number number{};
           const char* end = text.data() + text.size();
           const auto parsed = std::from_chars(text.data(), end, number);
           if (parsed.ec != std::errc() || parsed.ptr != end || number < range.lowest ||
               number > range.highest) {
             return fail(plain_error(fmt::format("invalid {} \"{}\": must be a number {}", flag,
                                                 text, range_text(range.lowest, range.highest))));
           }
           value = number;
           return {};
         });
}

void Flags::number(const char* name, size_t& value, const std::string& help, Range<size_t> range) {
  add_number(name, value, with_default(help, default_text(value)), range);
}

void Flags::number(const char* name, int64_t& value, const std::string& help,
                   Range<int64_t> range) {
  add_number(name, value, with_default(help, default_text(value)), range);
}

void Flags::number(const char* name, int& value, const std::string& help, Range<int> range) {
  add_number(name, value, with_default(help, std::to_string(value)), range);
}

void Flags::number(const char* name, double& value, const std::string& help, Range<double> range) {
  add_number(name, value, with_default(help, default_text(value)), range);
}

void Flags::number(const char* name, std::optional<size_t>& value, const std::string& help,
                   Range<size_t> range) {
  add_number(name, value, help, range);
}

void Flags::number(const char* name, std::optional<int64_t>& value, const std::string& help,
                   Range<int64_t> range) {
  add_number(name, value, help, range);
}

void Flags::number(const char* name, std::optional<int>& value, const std::string& help,
                   Range<int> range) {
  add_number(name, value, help, range);
}

void Flags::parsed(const char* name, const std::string& help, Parse parse) {
  const Name parts(name);
  std::string& text = impl_->texts.emplace_back();
  CLI::Option* option = impl_->command.add_option(parts.flag, text, help);
  impl_->describe(option, parts);
  impl_->reads.emplace_back([option, &text, parse = std::move(parse)]() -> Result<void> {
    return option->count() > 0 ? parse(text) : Result<void>();
  });
}

void Flags::optional_value(const char* name, const char* placeholder, const std::string& help,
                           Parse parse) {
  std::string& text = impl_->texts.emplace_back();
  CLI::Option* option =
      impl_->command.add_flag(fmt::format("{}{{{}}}", name, kFlagAlone), text, help);
  option->type_name(placeholder)->group(impl_->heading);
  impl_->reads.emplace_back([option, &text, parse = std::move(parse)]() -> Result<void> {
    return option->count() > 0 ? parse(text == kFlagAlone ? "" : text) : Result<void>();
  });
}

void Flags::argument(const char* name, std::string& value, const std::string& help) {
  impl_->command.add_option(name, value, help);
}

void Flags::arguments(const char* name, std::vector<std::string>& values, const std::string& help) {
  std::vector<std::string>& given = impl_->lists.emplace_back();
  impl_->command.add_option(name, given, help);
  impl_->reads.emplace_back([&values, &given]() -> Result<void> {
    values.insert(values.end(), given.begin(), given.end());
    return {};
  });
}

void Flags::heading(std::string text) {
  impl_->heading = std::move(text);
}

void Flags::paragraph(const std::string& text) {
  impl_->end_with(wrapped(text) + "\n");
}

void Flags::exit_codes(const std::vector<std::pair<int, std::string>>& codes) {
  std::string lines = "Exit codes:\n";
  for (const auto& [code, meaning] : codes) {
    lines += fmt::format("  {:<5}{}\n", code, wrapped(meaning, 7));
  }
  impl_->end_with(lines);
}

void Flags::examples(const std::vector<std::string>& commands) {
  std::string lines = "Examples:\n";
  for (const std::string& command : commands) {
    lines += "  " + command + "\n";
  }
  impl_->end_with(lines);
}

void Flags::check(std::function<Result<void>()> check) {
  impl_->checks.push_back(std::move(check));
}

Result<void> Flags::read() const {
  for (const auto& read : impl_->reads) {
    TRY_VOID(read());
  }
  for (const auto& check : impl_->checks) {
    TRY_VOID(check());
  }
  return {};
}

const CLI::App& Flags::program() const {
  const CLI::App* app = &impl_->command;
  while (app->get_parent() != nullptr) {
    app = app->get_parent();
  }
  return *app;
}

std::string joined_with_or(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  }
  return text;
}

Result<Duration> positive_duration(std::string_view flag, const std::string& text) {
  const auto duration = parse_duration(text);
  if (!duration || *duration <= Duration::zero()) {
    return fail(plain_error(fmt::format(
        "invalid {} \"{}\": must be a duration above zero such as 90s, 5m or 1h30m", flag, text)));
  }
  return *duration;
}

bool is_ip_address(const std::string& text) {
  return !text.empty() && net::parse_endpoint("[" + text + "]:1").has_value();
}

std::vector<std::string_view> comma_separated(std::string_view text) {
  std::vector<std::string_view> entries;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    entries.push_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return entries;
}

Failure unknown_output_format(const std::string& text, std::string_view allowed) {
  return fail(plain_error(fmt::format(
      "unable to match a printer suitable for the output format \"{}\", allowed formats are: {}",
      text, allowed)));
}

}  // namespace windlass::cli
