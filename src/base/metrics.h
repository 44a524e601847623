// Counters, gauges and histograms with labels, and their text form for Prometheus. One registry
// serves a whole process; a component gets it by constructor, asks for a family once and keeps
// the reference. Families live as long as their registry.
//
// Thread-safe: one lock, held for one change or one page of text. Label values must come from a
// bounded set; should they not, what is too much is counted under `other`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace windlass {

using LabelValues = std::initializer_list<std::string_view>;

class MetricFamily {
 public:
  enum class Type { counter, gauge, histogram };
  static constexpr size_t kMaxSeries = 1'000;

  MetricFamily(std::mutex& mutex, std::string name, std::string help, Type type,
               std::vector<std::string> labels, std::vector<double> buckets);

  // As many values as the family has labels, in that order.
  void add(LabelValues values, double by = 1);     // counter, gauge
  void set(LabelValues values, double value);      // gauge
  void observe(LabelValues values, double value);  // histogram

  // 0 for a series that was never touched; of a histogram the number of observations.
  double value(LabelValues values) const;

  Type type() const { return type_; }
  void append_text(std::string& out) const;  // with the lock held

 private:
  struct Series {
    double value = 0;  // of a histogram the sum
    uint64_t count = 0;
    std::vector<uint64_t> buckets;  // of what fell into each, not cumulated
  };

  Series& series(LabelValues values);
  std::string label_text(const std::vector<std::string>& values, std::string_view le) const;

  std::mutex& mutex_;
  std::string name_;
  std::string help_;
  Type type_;
  std::vector<std::string> labels_;
  std::vector<double> bounds_;  // upper, growing; the last bucket is everything
  std::map<std::vector<std::string>, Series> series_;
};

class MetricRegistry {
 public:
  // The same name gives the same family; it must be of the same type.
  MetricFamily& counter(std::string_view name, std::string_view help,
                        std::vector<std::string> labels = {});
  MetricFamily& gauge(std::string_view name, std::string_view help,
                      std::vector<std::string> labels = {});
  MetricFamily& histogram(std::string_view name, std::string_view help, std::vector<double> bounds,
                          std::vector<std::string> labels = {});

  // All families, by name.
  std::string text() const;

 private:
  MetricFamily& family(std::string_view name, std::string_view help, MetricFamily::Type type,
                       std::vector<std::string> labels, std::vector<double> bounds);

  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<MetricFamily>, std::less<>> families_;
};

// first, first * factor, and so on.
std::vector<double> exponential_bounds(double first, double factor, size_t count);

}  // namespace windlass
