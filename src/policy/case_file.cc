#include "policy/case_file.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>

#include "api/codec/yaml/yaml.h"
#include "base/nearest.h"

namespace windlass::policy {
namespace {

namespace dom = simdjson::dom;
using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 5> kCaseKeys = {"name", "job", "failure", "times", "expect"};
constexpr std::array<std::string_view, 5> kFailureKeys = {"exitCode", "signal", "container",
                                                          "cause", "conditions"};
constexpr std::array<std::string_view, 8> kExpectKeys = {
    "rule", "action", "outcome", "reason", "message", "counted", "retryAfter", "endsAfter"};
constexpr std::array<std::string_view, 2> kConditionKeys = {"type", "status"};
constexpr std::array<std::string_view, 5> kActions = {"FailJob", "FailIndex", "Ignore", "Count",
                                                      "none"};
constexpr std::array<std::string_view, 3> kStatuses = {"True", "False", "Unknown"};

struct SignalName {
  std::string_view name;
  int32_t number;
};
constexpr std::array kSignals = {
    SignalName{"SIGHUP", 1},   SignalName{"SIGINT", 2},   SignalName{"SIGQUIT", 3},
    SignalName{"SIGILL", 4},   SignalName{"SIGTRAP", 5},  SignalName{"SIGABRT", 6},
    SignalName{"SIGBUS", 7},   SignalName{"SIGFPE", 8},   SignalName{"SIGKILL", 9},
    SignalName{"SIGUSR1", 10}, SignalName{"SIGSEGV", 11}, SignalName{"SIGUSR2", 12},
    SignalName{"SIGPIPE", 13}, SignalName{"SIGALRM", 14}, SignalName{"SIGTERM", 15},
};
constexpr int32_t kSignalBase = 128;

std::string listed(Names names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string_view type_name(const dom::element& value) {
  switch (value.type()) {
    case dom::element_type::ARRAY:
      return "a list";
    case dom::element_type::OBJECT:
      return "a mapping";
    case dom::element_type::STRING:
      return "a text";
    case dom::element_type::BOOL:
      return "true or false";
    case dom::element_type::NULL_VALUE:
      return "nothing";
    default:
      return "a number";
  }
}

// Reads one document. Every value is looked at; what is wrong is noted and left out.
class Reader {
 public:
  Reader(const api::YamlDocument& document, const std::string& source, CaseFile& out)
      : document_(document), source_(source), out_(out) {}

  void read(const dom::element& root) {
    dom::array items;
    if (root.get_array().get(items) != simdjson::SUCCESS) {
      error("", fmt::format("must be a list of cases, not {}", type_name(root)));
      return;
    }
    size_t index = 0;
    for (const dom::element item : items) {
      if (out_.cases.size() == kMaxCases) {
        error("", fmt::format("more than {} cases", kMaxCases));
        return;
      }
      read_case(item, fmt::format("[{}]", index++));
    }
  }

 private:
  void error(const std::string& path, std::string_view text) {
    out_.errors.push_back(fmt::format("{}: error: {}", place(path), text));
  }
  std::string place(const std::string& path) const {
    const api::SourcePosition position = document_.find(path);
    return fmt::format("{}:{}:{}", source_, position.line, position.column);
  }

  // The mapping at `path`, with its unknown keys reported.
  bool open(const dom::element& value, const std::string& path, Names keys, dom::object& out) {
    if (value.get_object().get(out) != simdjson::SUCCESS) {
      error(path, fmt::format("must be a mapping, not {}", type_name(value)));
      return false;
    }
    for (const auto field : out) {
      if (std::find(keys.begin(), keys.end(), field.key) == keys.end()) {
        const auto nearest = nearest_name(field.key, keys);
        error(path + "." + std::string(field.key),
              nearest
                  ? fmt::format("unknown key \"{}\", did you mean \"{}\"?", field.key, *nearest)
                  : fmt::format("unknown key \"{}\": must be one of {}", field.key, listed(keys)));
      }
    }
    return true;
  }

  std::optional<std::string> text(const dom::object& object, const char* key,
                                  const std::string& path) {
    dom::element value;
    if (object[key].get(value) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    std::string_view found;
    if (value.get_string().get(found) != simdjson::SUCCESS) {
      error(path + "." + key, fmt::format("{} must be a text, not {}", key, type_name(value)));
      return std::nullopt;
    }
    return std::string(found);
  }

  std::optional<std::string> choice(const dom::object& object, const char* key,
                                    const std::string& path, Names allowed) {
    auto found = text(object, key, path);
    if (!found || std::find(allowed.begin(), allowed.end(), *found) != allowed.end()) {
      return found;
    }
    const auto nearest = nearest_name(*found, allowed);
    error(path + "." + key,
          nearest
              ? fmt::format("unknown {} \"{}\", did you mean \"{}\"?", key, *found, *nearest)
              : fmt::format("unknown {} \"{}\": must be one of {}", key, *found, listed(allowed)));
    return std::nullopt;
  }

  std::optional<int32_t> number(const dom::object& object, const char* key, const std::string& path,
                                int64_t lowest, int64_t highest) {
    dom::element value;
    if (object[key].get(value) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    int64_t found = 0;
    if (value.get_int64().get(found) != simdjson::SUCCESS || found < lowest || found > highest) {
      error(path + "." + key,
            fmt::format("{} must be a whole number from {} to {}", key, lowest, highest));
      return std::nullopt;
    }
    return static_cast<int32_t>(found);
  }

  void read_case(const dom::element& item, const std::string& path) {
    dom::object object;
    if (!open(item, path, kCaseKeys, object)) {
      return;
    }
    PolicyCase found;
    found.place = place(path);
    found.name = text(object, "name", path).value_or("");
    found.job = text(object, "job", path).value_or("");
    found.times = number(object, "times", path, 1, kMaxTimes).value_or(1);
    dom::element part;
    if (object["failure"].get(part) == simdjson::SUCCESS) {
      found.failure = read_failure(part, path + ".failure");
    } else {
      error(path, "a case needs a failure");
    }
    if (object["expect"].get(part) == simdjson::SUCCESS) {
      found.expect = read_expect(part, path + ".expect");
    } else {
      error(path, "a case needs expect: the expected reaction to the failure");
    }
    out_.cases.push_back(std::move(found));
  }

  Failure read_failure(const dom::element& value, const std::string& path) {
    Failure failure;
    dom::object object;
    if (!open(value, path, kFailureKeys, object)) {
      return failure;
    }
    failure.container = text(object, "container", path).value_or("");
    failure.exit_code = number(object, "exitCode", path, INT32_MIN, INT32_MAX);
    failure.conditions = read_conditions(object, path);
    const bool by_signal = read_signal(object, path, failure);
    const auto cause = choice(object, "cause", path, cause_names());
    if (by_signal && failure.exit_code && has(object, "exitCode")) {
      error(path + ".signal", "signal and exitCode cannot be combined");
    } else if (cause && by_signal) {
      error(path + ".signal", "signal and cause cannot be combined: give the exitCode");
    } else if (cause) {
      failure.cause = find_cause(*cause)->cause;
      set_usual_exit_code(failure);
    } else if (!failure.exit_code && !failure.conditions.empty()) {
      failure.cause = Failure::Cause::condition;
    } else if (!failure.exit_code && !has(object, "cause") && !has(object, "signal") &&
               !has(object, "exitCode")) {
      error(path, "a failure needs an exitCode, a signal, a cause or conditions");
    }
    return failure;
  }

  static bool has(const dom::object& object, const char* key) {
    return object[key].error() == simdjson::SUCCESS;
  }

  static void set_usual_exit_code(Failure& failure) {
    using enum Failure::Cause;
    const bool no_status = failure.cause == node_lost || failure.cause == admission ||
                           failure.cause == deleted_while_pending;
    if (!failure.exit_code && !no_status) {
      failure.exit_code = kSigkillCode;
    }
  }

  bool read_signal(const dom::object& object, const std::string& path, Failure& failure) {
    const auto name = text(object, "signal", path);
    if (!name) {
      return false;
    }
    std::vector<std::string_view> names;
    for (const SignalName& known : kSignals) {
      names.push_back(known.name);
      if (known.name == *name) {
        failure.cause = Failure::Cause::signal;
        failure.exit_code = kSignalBase + known.number;
        return true;
      }
    }
    const auto nearest = nearest_name(*name, names);
    error(path + ".signal",
          fmt::format("unknown signal \"{}\"{}", *name,
                      nearest ? fmt::format(", did you mean \"{}\"?", *nearest)
                              : ": give the exitCode instead, 128 and the signal's number"));
    return false;
  }

  std::vector<engine::ConditionPattern> read_conditions(const dom::object& object,
                                                        const std::string& path) {
    std::vector<engine::ConditionPattern> patterns;
    dom::element value;
    if (object["conditions"].get(value) != simdjson::SUCCESS) {
      return patterns;
    }
    const std::string list_path = path + ".conditions";
    dom::array items;
    if (value.get_array().get(items) != simdjson::SUCCESS) {
      error(list_path, fmt::format("conditions must be a list, not {}", type_name(value)));
      return patterns;
    }
    size_t index = 0;
    for (const dom::element item : items) {
      const std::string item_path = fmt::format("{}[{}]", list_path, index++);
      dom::object fields;
      if (!open(item, item_path, kConditionKeys, fields)) {
        continue;
      }
      const auto type = text(fields, "type", item_path);
      const auto status = choice(fields, "status", item_path, kStatuses).value_or("True");
      if (!type) {
        error(item_path, "a condition needs a type");
        continue;
      }
      patterns.push_back({*type, status == "True"    ? engine::ConditionStatus::is_true
                                 : status == "False" ? engine::ConditionStatus::is_false
                                                     : engine::ConditionStatus::unknown});
    }
    return patterns;
  }

  Expectation read_expect(const dom::element& value, const std::string& path) {
    Expectation expect;
    dom::object object;
    if (!open(value, path, kExpectKeys, object)) {
      return expect;
    }
    expect.rule = read_rule(object, path);
    expect.action = choice(object, "action", path, kActions);
    expect.outcome = choice(object, "outcome", path, outcome_names());
    expect.reason = text(object, "reason", path);
    expect.message = text(object, "message", path);
    dom::element part;
    if (object["counted"].get(part) == simdjson::SUCCESS) {
      bool counted = false;
      if (part.get_bool().get(counted) == simdjson::SUCCESS) {
        expect.counted = counted;
      } else {
        error(path + ".counted", "counted must be true or false");
      }
    }
    if (const auto delay = text(object, "retryAfter", path)) {
      const auto parsed = parse_duration(*delay);
      if (parsed) {
        expect.retry_after = *parsed;
      } else {
        error(path + ".retryAfter", fmt::format("retryAfter must be a duration such as 10s or "
                                                "1m20s, not \"{}\"",
                                                *delay));
      }
    }
    expect.ends_after = read_ends_after(object, path);
    if (object.size() == 0) {
      error(path, fmt::format("expect needs at least one of {}", listed(kExpectKeys)));
    }
    return expect;
  }

  // A rule goes by its index or its name.
  std::optional<std::string> read_rule(const dom::object& object, const std::string& path) {
    dom::element value;
    if (object["rule"].get(value) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    if (value.is_int64()) {
      const auto index = number(object, "rule", path, 0, INT32_MAX);
      return index ? std::optional(std::to_string(*index)) : std::nullopt;
    }
    return value.is_null() ? std::optional<std::string>("none") : text(object, "rule", path);
  }

  std::optional<int> read_ends_after(const dom::object& object, const std::string& path) {
    dom::element value;
    if (object["endsAfter"].get(value) != simdjson::SUCCESS) {
      return std::nullopt;
    }
    std::string_view word;
    if (value.get_string().get(word) == simdjson::SUCCESS && word == "never") {
      return 0;
    }
    if (value.is_int64()) {
      return number(object, "endsAfter", path, 1, kMaxTimes);
    }
    error(path + ".endsAfter", "endsAfter must be a number of failures, or never");
    return std::nullopt;
  }

  const api::YamlDocument& document_;
  const std::string& source_;
  CaseFile& out_;
};

}  // namespace

std::string PolicyCase::title() const {
  const std::string what = name.empty() ? failure_text(failure) : name;
  return times == 1 || !name.empty() ? what : fmt::format("{}, {} times", what, times);
}

CaseFile parse_case_file(std::string_view text, const std::string& source) {
  CaseFile out;
  const auto documents = api::parse_yaml(text);
  if (!documents) {
    out.errors.push_back(fmt::format("{}: error: {}", source, documents.error().message));
    return out;
  }
  simdjson::dom::parser parser;
  for (const api::YamlDocument& document : *documents) {
    for (const std::string& path : document.duplicate_keys) {
      const auto position = document.find(path);
      out.errors.push_back(fmt::format("{}:{}:{}: error: duplicate key \"{}\"", source,
                                       position.line, position.column, path));
    }
    dom::element root;
    if (parser.parse(document.json).get(root) == simdjson::SUCCESS) {
      Reader(document, source, out).read(root);
    }
  }
  if (out.cases.empty() && out.errors.empty()) {
    out.errors.push_back(fmt::format("{}: error: no case in this file", source));
  }
  return out;
}

}  // namespace windlass::policy
