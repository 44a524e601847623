#include "engine/state/record.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "engine/state/record_time.h"

namespace windlass::engine {
namespace {

constexpr std::string_view kVersion = "v1";
constexpr std::string_view kSignature = ";job=";
// More than any status write adds; the annotation may come from elsewhere.
constexpr size_t kMaxListed = 10'000;
// As many as a counter of the status can hold.
constexpr int64_t kMaxBaseline = 2'147'483'647;

std::optional<int64_t> parse_number(std::string_view text) {
  int64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

// Whether `use` could read each part of `text` between separators, and there were at most
// kMaxListed: no more are looked at.
template <class Use>
bool for_each_part(std::string_view text, char separator, Use use) {
  bool readable = true;
  for (size_t n = 0; n < kMaxListed && !text.empty(); ++n) {
    const size_t end = std::min(text.find(separator), text.size());
    readable = use(text.substr(0, end)) && readable;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return readable && text.empty();
}

// <rule>:<failures>[@<ms>/<ms>]
bool parse_rule(std::string_view text, RuleLedger& ledger) {
  const size_t colon = text.find(':');
  const size_t at = std::min(text.find('@'), text.size());
  if (colon == std::string_view::npos || colon > at) {
    return false;
  }
  const auto rule = parse_number(text.substr(0, colon));
  const auto failures = parse_number(text.substr(colon + 1, at - colon - 1));
  if (!rule || *rule >= kMaxFailureRules || !failures || *failures == 0) {
    return false;
  }
  RuleFailures& known = ledger[static_cast<int32_t>(*rule)];
  known = {std::min(*failures, kMaxBaseline), {}};
  return for_each_part(text.substr(std::min(at + 1, text.size())), '/',
                       [&known](std::string_view each) {
                         const auto time = parse_record_time(each);
                         if (time) {
                           known.recent.add_failure(*time);
                         }
                         return time.has_value();
                       });
}

bool parse_part(std::string_view part, JobRecord& record) {
  const size_t equals = part.find('=');
  if (equals == std::string_view::npos) {
    return part == kVersion;
  }
  const std::string_view key = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  if (key == "success") {
    const auto time = parse_record_time(value);
    if (time) {
      record.backoff.add_success(*time);
    }
    return time.has_value();
  }
  if (key == "failures") {
    return for_each_part(value, ',', [&](std::string_view text) {
      const auto time = parse_record_time(text);
      if (time) {
        record.backoff.add_failure(*time);
      }
      return time.has_value();
    });
  }
  if (key == "ignored") {
    return for_each_part(value, ',', [&](std::string_view uid) {
      if (!uid.empty()) {
        record.ignored.emplace_back(uid);
      }
      return !uid.empty();
    });
  }
  if (key == "baseline") {
    const auto baseline = parse_number(value);
    record.baseline = std::min(baseline.value_or(0), kMaxBaseline);
    return baseline.has_value();
  }
  if (key == "suspending") {
    record.suspending = value == "1";
    return record.suspending;
  }
  // Once: each part alone is bounded, and many of them together would not be.
  if (key == "rules") {
    return record.rules.empty() && for_each_part(value, ',', [&record](std::string_view text) {
             return parse_rule(text, record.rules);
           });
  }
  return key == "counts" && record.counts.empty() && record.counts.read(value);
}

template <class Items, class Print>
void append_list(std::string& out, std::string_view key, const Items& items, Print print) {
  for (size_t i = 0; i < items.size(); ++i) {
    out += i == 0 ? ";" + std::string(key) + "=" : ",";
    out += print(items[i]);
  }
}

std::string format_rules(const RuleLedger& ledger) {
  std::string out;
  for (const auto& [rule, known] : ledger) {
    out += out.empty() ? ";rules=" : ",";
    out += std::to_string(rule) + ":" + std::to_string(known.failures);
    char separator = '@';
    for (const Time time : known.recent.failure_times()) {
      out += std::exchange(separator, '/') + format_record_time(time);
    }
  }
  return out;
}

}  // namespace

void JobRecord::add_failure(const JobSpec& spec, int32_t rule, Time finished) {
  add_rule_failure(rules, spec, rule, finished);
  if (!has_own_backoff(spec, rule)) {
    backoff.add_failure(finished);
  }
}

RetryDelay JobRecord::delay(const JobSpec& spec, const Options& options) const {
  const RetryDelay by_job{backoff.ready_at(options), backoff.failures()};
  const RetryDelay by_rule = rules_delay(spec, rules, backoff.last_success());
  return by_rule.at > by_job.at ? by_rule : by_job;
}

std::string format_record(const JobRecord& record) {
  if (record == JobRecord()) {
    return "";
  }
  std::string out(kVersion);
  if (record.backoff.last_success()) {
    out += ";success=" + format_record_time(*record.backoff.last_success());
  }
  append_list(out, "failures", record.backoff.failure_times(), format_record_time);
  append_list(out, "ignored", record.ignored, [](const std::string& uid) { return uid; });
  if (record.baseline > 0) {
    out += ";baseline=" + std::to_string(record.baseline);
  }
  if (record.suspending) {
    out += ";suspending=1";
  }
  if (!record.counts.empty()) {
    out += ";counts=" + record.counts.text();
  }
  out += format_rules(record.rules);
  return out;
}

JobRecord parse_record(std::string_view text, bool* readable) {
  JobRecord record;
  const bool all =
      for_each_part(text, ';', [&](std::string_view part) { return parse_part(part, record); });
  if (readable != nullptr) {
    *readable = all;
  }
  return record;
}

JobRecord merge_record(const JobRecord& known, const JobRecord& annotation, bool is_finer) {
  JobRecord merged = known;
  merged.backoff.add_failures(annotation.backoff, is_finer);
  for (const std::string& uid : annotation.ignored) {
    if (std::find(known.ignored.begin(), known.ignored.end(), uid) == known.ignored.end()) {
      merged.ignored.push_back(uid);
    }
  }
  merged.baseline = std::max(known.baseline, annotation.baseline);
  merged.suspending = annotation.suspending;
  merged.counts.raise(annotation.counts);
  add_rule_failures(merged.rules, annotation.rules, is_finer);
  return merged;
}

std::string sign_record(std::string_view text, std::string_view job_uid) {
  std::string out(text);
  return text.empty() ? out : out.append(kSignature).append(job_uid);
}

std::string own_record(std::string_view annotation, std::string_view job_uid) {
  const size_t at = annotation.rfind(kSignature);
  if (at == std::string_view::npos) {
    return std::string(annotation);
  }
  const bool own = annotation.substr(at + kSignature.size()) == job_uid;
  return std::string(own ? annotation.substr(0, at) : "");
}

}  // namespace windlass::engine
