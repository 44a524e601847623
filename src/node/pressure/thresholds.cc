#include "node/pressure/thresholds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "base/quantity.h"

namespace windlass::node::pressure {
namespace {

constexpr const char* kHardFlag = "--eviction-hard";
constexpr const char* kSoftFlag = "--eviction-soft";
constexpr const char* kSoftGraceFlag = "--eviction-soft-grace-period";
constexpr const char* kReclaimFlag = "--eviction-minimum-reclaim";
constexpr const char* kMaxGraceFlag = "--eviction-max-pod-grace-period";
constexpr const char* kTransitionFlag = "--eviction-pressure-transition-period";
constexpr uint64_t kWholeMilliPercent = 100'000;

struct SignalNames {
  std::string_view signal;
  std::string_view resource;
};
constexpr std::array<SignalNames, 4> kNames = {{{"memory.available", "memory"},
                                                {"nodefs.available", "ephemeral-storage"},
                                                {"nodefs.inodesFree", "inodes"},
                                                {"pid.available", "pids"}}};

Failure invalid(const char* flag, std::string_view text, const std::string& why) {
  return fail(plain_error(fmt::format("invalid {} \"{}\": {}", flag, text, why)));
}

Result<EvictionSignal> parse_signal(const char* flag, std::string_view text) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i].signal == text) {
      return static_cast<EvictionSignal>(i);
    }
  }
  return invalid(flag, text,
                 "is not a signal; memory.available, nodefs.available, nodefs.inodesFree and "
                 "pid.available are");
}

Result<Amount> parse_amount(const char* flag, std::string_view text) {
  const bool percent = text.ends_with('%');
  const Result<Quantity> quantity =
      Quantity::parse(percent ? text.substr(0, text.size() - 1) : text);
  if (!quantity || quantity->sign() < 0) {
    return invalid(flag, text, "must be an amount such as 100Mi, or a percentage such as 10%");
  }
  Amount amount;
  amount.text = text;
  if (!percent) {
    amount.value = static_cast<uint64_t>(quantity->value());
    return amount;
  }
  amount.milli_percent = static_cast<uint64_t>(quantity->milli_value());
  if (amount.milli_percent == 0 || amount.milli_percent >= kWholeMilliPercent) {
    return invalid(flag, text, "a percentage must be above 0 and below 100");
  }
  return amount;
}

// Calls `entry(signal, value)` for every `<signal><separator><value>` between commas. None twice.
template <class Entry>
Result<void> for_each_entry(const char* flag, std::string_view text, char separator, Entry entry) {
  std::vector<EvictionSignal> seen;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const size_t at = part.find(separator);
    if (at == std::string_view::npos) {
      return invalid(flag, part, fmt::format("must be SIGNAL{}VALUE", separator));
    }
    TRY(const EvictionSignal signal, parse_signal(flag, part.substr(0, at)));
    if (std::find(seen.begin(), seen.end(), signal) != seen.end()) {
      return invalid(flag, part, "the signal is there twice");
    }
    seen.push_back(signal);
    TRY_VOID(entry(signal, part.substr(at + 1)));
  }
  return {};
}

Result<std::map<EvictionSignal, Duration>> parse_graces(const EvictionFlags& flags) {
  std::map<EvictionSignal, Duration> graces;
  TRY_VOID(for_each_entry(kSoftGraceFlag, flags.soft_grace, '=',
                          [&](EvictionSignal signal, std::string_view value) -> Result<void> {
                            const auto grace = parse_duration(value);
                            if (!grace || *grace < Duration::zero()) {
                              return invalid(kSoftGraceFlag, value,
                                             "must be a duration such as 90s or 5m");
                            }
                            graces[signal] = *grace;
                            return {};
                          }));
  return graces;
}

Result<std::map<EvictionSignal, Amount>> parse_reclaims(const EvictionFlags& flags) {
  std::map<EvictionSignal, Amount> reclaims;
  TRY_VOID(for_each_entry(kReclaimFlag, flags.minimum_reclaim, '=',
                          [&](EvictionSignal signal, std::string_view value) -> Result<void> {
                            TRY(reclaims[signal], parse_amount(kReclaimFlag, value));
                            return {};
                          }));
  return reclaims;
}

Result<void> read_periods(const EvictionFlags& flags, EvictionConfig& config) {
  int64_t grace = 0;
  const std::string& text = flags.max_pod_grace;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), grace);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || grace < 0) {
    return invalid(kMaxGraceFlag, text, "must be a number of seconds");
  }
  config.max_pod_grace = seconds(grace);
  const auto transition = parse_duration(flags.transition);
  if (!transition || *transition < Duration::zero()) {
    return invalid(kTransitionFlag, flags.transition, "must be a duration such as 30s or 5m");
  }
  config.transition = *transition;
  return {};
}

}  // namespace

std::string_view signal_name(EvictionSignal signal) {
  return kNames[static_cast<size_t>(signal)].signal;
}

std::string_view resource_name(EvictionSignal signal) {
  return kNames[static_cast<size_t>(signal)].resource;
}

uint64_t Amount::of(uint64_t capacity) const {
  if (milli_percent == 0) {
    return value;
  }
  return capacity / kWholeMilliPercent * milli_percent +
         capacity % kWholeMilliPercent * milli_percent / kWholeMilliPercent;
}

std::string Amount::shown(uint64_t capacity) const {
  return milli_percent == 0
             ? text
             : Quantity(static_cast<int64_t>(of(capacity)), Quantity::Format::binary_si)
                   .to_string();
}

Result<EvictionConfig> read_flags(const EvictionFlags& flags) {
  EvictionConfig config;
  TRY_VOID(read_periods(flags, config));
  TRY(const auto graces, parse_graces(flags));
  TRY(const auto reclaims, parse_reclaims(flags));
  const auto add = [&](const char* flag, EvictionSignal signal, std::string_view value,
                       std::optional<Duration> grace) -> Result<void> {
    Threshold threshold{signal, {}, {}, grace};
    TRY(threshold.amount, parse_amount(flag, value));
    if (const auto reclaim = reclaims.find(signal); reclaim != reclaims.end()) {
      threshold.minimum_reclaim = reclaim->second;
    }
    config.thresholds.push_back(std::move(threshold));
    return {};
  };
  TRY_VOID(for_each_entry(kHardFlag, flags.hard, '<',
                          [&](EvictionSignal signal, std::string_view value) {
                            return add(kHardFlag, signal, value, std::nullopt);
                          }));
  TRY_VOID(for_each_entry(kSoftFlag, flags.soft, '<',
                          [&](EvictionSignal signal, std::string_view value) -> Result<void> {
                            const auto grace = graces.find(signal);
                            if (grace == graces.end()) {  // K-56
                              return invalid(kSoftFlag, signal_name(signal),
                                             fmt::format("needs {}", kSoftGraceFlag));
                            }
                            return add(kSoftFlag, signal, value, grace->second);
                          }));
  // What is dealt with first comes first; of one signal, the hard one.
  std::stable_sort(config.thresholds.begin(), config.thresholds.end(),
                   [](const Threshold& a, const Threshold& b) { return a.signal < b.signal; });
  return config;
}

}  // namespace windlass::node::pressure
