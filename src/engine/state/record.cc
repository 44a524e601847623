#include "engine/state/record.h"

#include <algorithm>
#include <charconv>
#include <optional>

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
  return key == "counts" && record.counts.empty() && record.counts.read(value);
}

template <class Items, class Print>
void append_list(std::string& out, std::string_view key, const Items& items, Print print) {
  for (size_t i = 0; i < items.size(); ++i) {
    out += i == 0 ? ";" + std::string(key) + "=" : ",";
    out += print(items[i]);
  }
}

}  // namespace

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
