// The flags of one command. A command declares each flag once: its name with a placeholder for the
// value (`--timeout DURATION`), the member of its options that the value goes into, and its help.
// The initial value of that member is the default, which the help shows. The help, the completion
// script and the parser all read these declarations.
//
// Errors are found in the order of the declarations, those of checks last. Lives as long
// as the command line is parsed and executed; what is declared outlives it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace CLI {
class App;
}

namespace windlass::cli {

class Flags {
 public:
  explicit Flags(CLI::App& command);
  ~Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  void text(const char* name, std::string& value, const std::string& help);
  void toggle(const char* name, bool& value, const std::string& help);
  // May be given several times; the values are appended.
  void list(const char* name, std::vector<std::string>& values, const std::string& help);
  void duration(const char* name, Duration& value, const std::string& help);
  // "" leaves it unset.
  void duration(const char* name, std::optional<Duration>& value, const std::string& help);
  // Whole numbers, and fractions where Number is double.
  template <class Number>
  struct Range {
    Number lowest;
    Number highest;
  };
  void number(const char* name, size_t& value, const std::string& help, Range<size_t> range);
  void number(const char* name, int64_t& value, const std::string& help, Range<int64_t> range);
  void number(const char* name, int& value, const std::string& help, Range<int> range);
  void number(const char* name, double& value, const std::string& help, Range<double> range);
  void number(const char* name, std::optional<size_t>& value, const std::string& help,
              Range<size_t> range);
  void number(const char* name, std::optional<int64_t>& value, const std::string& help,
              Range<int64_t> range);
  void number(const char* name, std::optional<int>& value, const std::string& help,
              Range<int> range);

  // Any other type: `parse` gets the text of a flag that was given.
  using Parse = std::function<Result<void>(const std::string& text)>;
  void parsed(const char* name, const std::string& help, Parse parse);
  // A flag that may have a value, always after a `=`: `--logs` and `--logs=failed`. `parse` gets ""
  // for the flag alone. `placeholder` is `[=failed]`.
  void optional_value(const char* name, const char* placeholder, const std::string& help,
                      Parse parse);
  // One of a few words. The value is the one that `choices` has beside the word.
  template <class Value>
  void choice(const char* name, Value& value, std::vector<std::pair<std::string, Value>> choices,
              const std::string& help);

  // Arguments without a flag: `NAME`.
  void argument(const char* name, std::string& value, const std::string& help);
  void arguments(const char* name, std::vector<std::string>& values, const std::string& help);

  // Flags that follow stand under this heading of the help.
  void heading(std::string text);
  // The end of the help, in this order: paragraphs, exit codes, examples.
  void paragraph(const std::string& text);
  void exit_codes(const std::vector<std::pair<int, std::string>>& codes);
  void examples(const std::vector<std::string>& commands);

  // Runs after all flags are read, to compare them with each other.
  void check(std::function<Result<void>()> check);

  // Turns the texts into values. Once, after the arguments are parsed.
  Result<void> read() const;

  // The whole program, for help and completion.
  const CLI::App& program() const;

 private:
  template <class Number, class Value>
  void add_number(const char* name, Value& value, const std::string& help, Range<Number> range);

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// `strict, warn or ignore`
std::string joined_with_or(const std::vector<std::string>& words);

template <class Value>
void Flags::choice(const char* name, Value& value,
                   std::vector<std::pair<std::string, Value>> choices, const std::string& help) {
  const std::string flag = name;
  parsed(name, help,
         [&value, choices = std::move(choices),
          flag = flag.substr(0, flag.find(' '))](const std::string& text) -> Result<void> {
           std::vector<std::string> words;
           for (const auto& [word, meaning] : choices) {
             if (word == text) {
               value = meaning;
               return {};
             }
             words.push_back(word);
           }
           return fail(plain_error("invalid " + flag + " \"" + text + "\": must be " +
                                   joined_with_or(words)));
         });
}

// Values of flags that several commands take. Errors name the flag.

// A duration above zero.
Result<Duration> positive_duration(std::string_view flag, const std::string& text);

// IPv4 or IPv6; a host name is not one.
bool is_ip_address(const std::string& text);

// The entries of a comma-separated list; none for "".
std::vector<std::string_view> comma_separated(std::string_view text);

// `unable to match a printer suitable for the output format "xml", allowed formats are: json,yaml`
Failure unknown_output_format(const std::string& text, std::string_view allowed);

}  // namespace windlass::cli
