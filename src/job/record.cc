#include "job/record.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace windlass::job {
namespace {

constexpr std::string_view kVersion = "v1";
constexpr std::string_view kSignature = ";job=";
// More than any status write adds; the annotation may come from elsewhere.
constexpr size_t kMaxListed = 10'000;
// The years 1970 to 2200: outside of them, sums with delays could overflow.
constexpr int64_t kMaxMilliseconds = 7'258'118'400'000;
constexpr int64_t kLastOfSecond = 999;
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

std::optional<Time> parse_milliseconds(std::string_view text) {
  const auto value = parse_number(text);
  if (!value || *value > kMaxMilliseconds) {
    return std::nullopt;
  }
  const Time time{milliseconds(*value)};
  return *value % 1000 == kLastOfSecond ? time + milliseconds(1) - nanoseconds(1) : time;
}

// Rounded up, so that no delay gets shorter, but not into the next second: the last millisecond
// stands for its end.
std::string format_milliseconds(Time time) {
  const Time up = std::chrono::ceil<milliseconds>(time);
  const Time last = std::chrono::floor<seconds>(time) + milliseconds(kLastOfSecond);
  return std::to_string(
      std::chrono::duration_cast<milliseconds>(std::min(up, last).time_since_epoch()).count());
}

// Calls `use` with each part of `text` between separators, at most kMaxListed times.
template <class Use>
void for_each_part(std::string_view text, char separator, Use use) {
  for (size_t n = 0; n < kMaxListed && !text.empty(); ++n) {
    const size_t end = std::min(text.find(separator), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void parse_part(std::string_view part, Record& record) {
  const size_t equals = part.find('=');
  if (equals == std::string_view::npos) {
    return;
  }
  const std::string_view key = part.substr(0, equals);
  const std::string_view value = part.substr(equals + 1);
  if (key == "success") {
    if (const auto time = parse_milliseconds(value)) {
      record.backoff.add_success(*time);
    }
  } else if (key == "failures") {
    for_each_part(value, ',', [&](std::string_view text) {
      if (const auto time = parse_milliseconds(text)) {
        record.backoff.add_failure(*time);
      }
    });
  } else if (key == "ignored") {
    for_each_part(value, ',', [&](std::string_view uid) { record.ignored.emplace_back(uid); });
  } else if (key == "baseline") {
    record.baseline = std::min(parse_number(value).value_or(0), kMaxBaseline);
  } else if (key == "suspending") {
    record.suspending = value == "1";
  }
}

template <class Items, class Print>
void append_list(std::string& out, std::string_view key, const Items& items, Print print) {
  for (size_t i = 0; i < items.size(); ++i) {
    out += i == 0 ? ";" + std::string(key) + "=" : ",";
    out += print(items[i]);
  }
}

}  // namespace

std::string format_record(const Record& record) {
  if (record == Record()) {
    return "";
  }
  std::string out(kVersion);
  if (record.backoff.last_success()) {
    out += ";success=" + format_milliseconds(*record.backoff.last_success());
  }
  append_list(out, "failures", record.backoff.failure_times(), format_milliseconds);
  append_list(out, "ignored", record.ignored, [](const std::string& uid) { return uid; });
  if (record.baseline > 0) {
    out += ";baseline=" + std::to_string(record.baseline);
  }
  if (record.suspending) {
    out += ";suspending=1";
  }
  return out;
}

Record parse_record(std::string_view text) {
  Record record;
  for_each_part(text, ';', [&](std::string_view part) { parse_part(part, record); });
  return record;
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

}  // namespace windlass::job
