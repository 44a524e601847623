#include "apiserver/rest/request_metrics.h"

#include <fmt/format.h>

#include <iterator>

namespace windlass::apiserver {

void RequestMetrics::observe(std::string_view verb, std::string_view resource, int code,
                             Duration took) {
  const double seconds = std::chrono::duration<double>(took).count();
  const std::lock_guard lock(mutex_);
  auto found = series_.find(Key<std::string_view>{verb, resource});
  if (found == series_.end()) {
    found =
        series_.emplace(Key<std::string>{std::string(verb), std::string(resource)}, Series()).first;
  }
  Series& series = found->second;
  ++series.codes[code];
  ++series.count;
  series.seconds += seconds;
  for (size_t i = 0; i < kBuckets.size(); ++i) {
    if (seconds <= kBuckets[i]) {
      ++series.buckets[i];
    }
  }
}

void RequestMetrics::append_text(std::string& out) const {
  const std::lock_guard lock(mutex_);
  auto to = std::back_inserter(out);
  fmt::format_to(to,
                 "# HELP windlass_apiserver_requests_total Requests answered.\n"
                 "# TYPE windlass_apiserver_requests_total counter\n");
  for (const auto& [key, series] : series_) {
    for (const auto& [code, count] : series.codes) {
      fmt::format_to(
          to, "windlass_apiserver_requests_total{{verb=\"{}\",resource=\"{}\",code=\"{}\"}} {}\n",
          key.verb, key.resource, code, count);
    }
  }
  constexpr const char* kName = "windlass_apiserver_request_duration_seconds";
  fmt::format_to(to,
                 "# HELP {0} Time from the whole request to the answer; watches are left out.\n"
                 "# TYPE {0} histogram\n",
                 kName);
  for (const auto& [key, series] : series_) {
    const std::string labels = fmt::format("verb=\"{}\",resource=\"{}\"", key.verb, key.resource);
    for (size_t i = 0; i < kBuckets.size(); ++i) {
      fmt::format_to(to, "{}_bucket{{{},le=\"{}\"}} {}\n", kName, labels, kBuckets[i],
                     series.buckets[i]);
    }
    fmt::format_to(to, "{}_bucket{{{},le=\"+Inf\"}} {}\n", kName, labels, series.count);
    fmt::format_to(to, "{}_sum{{{}}} {}\n", kName, labels, series.seconds);
    fmt::format_to(to, "{}_count{{{}}} {}\n", kName, labels, series.count);
  }
}

}  // namespace windlass::apiserver
