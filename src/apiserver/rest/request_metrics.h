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
  template <class Text>
  struct Key {
    Text verb;
    Text resource;
  };
  struct Before {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const Key<A>& a, const Key<B>& b) const {
      const std::string_view verb = a.verb;
      const int order = verb.compare(b.verb);
      return order != 0 ? order < 0 : std::string_view(a.resource) < std::string_view(b.resource);
    }
  };

  mutable std::mutex mutex_;
  std::map<Key<std::string>, Series, Before> series_;
};

}  // namespace windlass::apiserver
