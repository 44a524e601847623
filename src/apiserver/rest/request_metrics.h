// Counts what was asked and how long the answers took, and writes it in the text format that
// Prometheus reads. Label values come from the tables of what is served, never from a client, so
// their number is bounded. Thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>

#include "base/time.h"

namespace windlass::apiserver {

class RequestMetrics {
 public:
  // Seconds; the last bucket is everything.
  static constexpr std::array<double, 10> kBuckets = {0.0001, 0.0005, 0.001, 0.005, 0.01,
                                                      0.05,   0.1,    0.5,   1,     5};

  // `resource` is pods, pods/status; "" for what is no resource.
  void observe(std::string_view verb, std::string_view resource, int code, Duration took);
  void append_text(std::string& out) const;

 private:
  struct Series {
    uint64_t count = 0;
    double seconds = 0;
    std::array<uint64_t, kBuckets.size()> buckets = {};
    std::map<int, uint64_t> codes = {};
  };
  using Key = std::tuple<std::string, std::string>;  // verb, resource

  mutable std::mutex mutex_;
  std::map<Key, Series, std::less<>> series_;
};

}  // namespace windlass::apiserver
