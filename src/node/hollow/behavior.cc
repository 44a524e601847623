#include "node/hollow/behavior.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <utility>

#include "base/ascii.h"
#include "base/generator.h"
#include "base/hash.h"

namespace windlass::node::hollow {

namespace {

constexpr int kMaxExitCode = 255;
constexpr size_t kMaxListItems = 64;

Failure unreadable(std::string_view what, std::string_view text) {
  return fail(plain_error(fmt::format("{}: cannot read \"{}\"", what, text)));
}

Result<int> parse_number(std::string_view what, std::string_view text, int most) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > most) {
    return unreadable(what, text);
  }
  return value;
}

Result<Duration> parse_positive(std::string_view what, std::string_view text) {
  const Result<Duration> duration = parse_duration(text);
  if (!duration || *duration < Duration::zero()) {
    return unreadable(what, text);
  }
  return *duration;
}

// A duration, or the word that stands for none.
Result<std::optional<Duration>> parse_optional(std::string_view what, std::string_view text,
                                               std::string_view none) {
  if (text == none) {
    return std::nullopt;
  }
  TRY(const Duration duration, parse_positive(what, text));
  return duration;
}

std::pair<std::string_view, std::string_view> split(std::string_view text, char at) {
  const size_t place = text.find(at);
  if (place == std::string_view::npos) {
    return {text, {}};
  }
  return {text.substr(0, place), text.substr(place + 1)};
}

Result<std::vector<std::string_view>> parse_list(std::string_view what, std::string_view text) {
  std::vector<std::string_view> items;
  for (std::string_view rest = text; !rest.empty();) {
    const auto [item, after] = split(rest, ',');
    items.push_back(trimmed(item));
    if (items.back().empty() || items.size() > kMaxListItems) {
      return unreadable(what, text);
    }
    rest = after;
  }
  return items;
}

Result<void> read_exit_codes(std::string_view what, std::string_view text, Behavior& out) {
  TRY(const auto items, parse_list(what, text));
  for (const std::string_view item : items) {
    const auto [name, code] = split(item, '=');
    if (code.empty()) {
      TRY(out.exit_code, parse_number(what, item, kMaxExitCode));
    } else {
      TRY(const int number, parse_number(what, code, kMaxExitCode));
      out.exit_codes.insert_or_assign(std::string(name), number);
    }
  }
  return {};
}

Result<void> read_conditions(std::string_view what, std::string_view text, Behavior& out) {
  TRY(const auto items, parse_list(what, text));
  for (const std::string_view item : items) {
    const auto [type, status] = split(item, '=');
    if (status != "" && status != "True" && status != "False") {
      return unreadable(what, item);
    }
    out.conditions.push_back({std::string(type), status != "False", "HollowNode",
                              "the pod asked for this condition by annotation"});
  }
  return {};
}

Result<End> parse_end(std::string_view what, std::string_view text) {
  constexpr std::pair<std::string_view, End> kEnds[] = {
      {"exit", End::exit},         {"oom", End::oom},
      {"evicted", End::evicted},   {"local-storage", End::local_storage},
      {"shutdown", End::shutdown}, {"preempted", End::preempted},
  };
  for (const auto& [name, end] : kEnds) {
    if (text == name) {
      return end;
    }
  }
  return unreadable(what, text);
}

Result<void> read_annotation(std::string_view name, std::string_view value, Behavior& out) {
  const std::string what = fmt::format("annotation {}{}", kAnnotationPrefix, name);
  if (name == "start-delay") {
    TRY(out.start_delay, parse_optional(what, value, "never"));
  } else if (name == "duration") {
    TRY(out.duration, parse_optional(what, value, "forever"));
  } else if (name == "exit-code") {
    out.exit_code = 0;
    return read_exit_codes(what, value, out);
  } else if (name == "term-delay") {
    TRY(out.term_delay, parse_optional(what, value, "never"));
  } else if (name == "term-exit-code") {
    TRY(out.term_exit_code, parse_number(what, value, kMaxExitCode));
  } else if (name == "end") {
    TRY(out.end, parse_end(what, value));
  } else if (name == "condition") {
    return read_conditions(what, value, out);
  } else {
    return fail(plain_error(what + ": not known"));
  }
  return {};
}

Behavior from_mix(const PodSpec& pod, const Mix& mix) {
  StableHash hash;
  hash.add(mix.seed);
  hash.add(pod.uid);
  Generator draw(hash.value());
  Behavior behavior;
  behavior.duration = Duration(draw.between(mix.shortest.count(), mix.longest.count()));
  if (draw.uniform(100) < static_cast<uint64_t>(mix.percent_failing)) {
    behavior.exit_code = mix.exit_code;
  }
  return behavior;
}

Result<void> read_mix_item(std::string_view item, Mix& mix) {
  const auto [name, value] = split(item, '=');
  if (name == "duration") {
    const size_t dots = value.find("..");
    const bool range = dots != std::string_view::npos;
    TRY(mix.shortest, parse_positive(name, range ? value.substr(0, dots) : value));
    TRY(mix.longest, parse_positive(name, range ? value.substr(dots + 2) : value));
    if (mix.longest < mix.shortest) {
      return unreadable(name, value);
    }
  } else if (name == "fail") {
    const std::string_view number = value.ends_with('%') ? value.substr(0, value.size() - 1) : "";
    TRY(mix.percent_failing, parse_number(name, number, 100));
  } else if (name == "exit-code") {
    TRY(mix.exit_code, parse_number(name, value, kMaxExitCode));
  } else if (name == "seed") {
    TRY(const int seed, parse_number(name, value, std::numeric_limits<int>::max()));
    mix.seed = static_cast<uint64_t>(seed);
  } else {
    return unreadable("hollow mix", item);
  }
  return {};
}

}  // namespace

Result<Mix> parse_mix(std::string_view text) {
  Mix mix;
  TRY(const auto items, parse_list("hollow mix", text));
  for (const std::string_view item : items) {
    TRY_VOID(read_mix_item(item, mix));
  }
  return mix;
}

Behavior behavior_of(const PodSpec& pod, const Mix& mix) {
  Behavior behavior = from_mix(pod, mix);
  for (const auto& [name, value] : pod.told) {
    if (const Result<void> read = read_annotation(name, value, behavior); !read) {
      behavior.error = read.error().message;
    }
  }
  return behavior;
}

std::optional<ForcedEnd> forced_end(End end) {
  switch (end) {
    case End::exit:
    case End::oom:
      break;
    case End::evicted:  // K-60, R-4
      return ForcedEnd{"Evicted",
                       "The node was low on resource: memory. Threshold quantity: 100Mi, "
                       "available: 99Mi. ",
                       ForcedEnd::Kind::disruption};
    case End::local_storage:  // K-62, R-7
      return ForcedEnd{"Evicted",
                       "Pod ephemeral local storage usage exceeds the total limit of containers "
                       "1Gi. ",
                       ForcedEnd::Kind::failure};
    case End::shutdown:  // K-74, R-8
      return ForcedEnd{"Terminated", "Pod was terminated in response to imminent node shutdown.",
                       ForcedEnd::Kind::disruption};
    case End::preempted:  // K-81
      return ForcedEnd{"Preempting", "Preempted in order to admit critical pod",
                       ForcedEnd::Kind::disruption,
                       "Pod was preempted by Kubelet to accommodate a critical pod."};
  }
  return std::nullopt;
}

}  // namespace windlass::node::hollow
