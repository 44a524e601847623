#include "base/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"

namespace windlass {

namespace {

constexpr std::string_view kTooMany = "other";

void append_escaped(std::string& out, std::string_view value) {
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
    } else {
      if (c == '\\' || c == '"') {
        out += '\\';
      }
      out += c;
    }
  }
}

std::string_view type_name(MetricFamily::Type type) {
  switch (type) {
    case MetricFamily::Type::counter:
      return "counter";
    case MetricFamily::Type::gauge:
      return "gauge";
    case MetricFamily::Type::histogram:
      break;
  }
  return "histogram";
}

}  // namespace

MetricFamily::MetricFamily(std::mutex& mutex, std::string name, std::string help, Type type,
                           std::vector<std::string> labels, std::vector<double> bounds)
    : mutex_(mutex),
      name_(std::move(name)),
      help_(std::move(help)),
      type_(type),
      labels_(std::move(labels)),
      bounds_(std::move(bounds)) {
  CHECK(std::is_sorted(bounds_.begin(), bounds_.end()), "buckets grow");
  if (labels_.empty()) {
    series({});  // shows 0 before anything happened
  }
}

MetricFamily::Series& MetricFamily::series(LabelValues values) {
  CHECK(values.size() == labels_.size(), "a value for every label");
  std::vector<std::string> key(values.begin(), values.end());
  auto found = series_.find(key);
  if (found == series_.end()) {
    if (series_.size() >= kMaxSeries) {
      std::fill(key.begin(), key.end(), kTooMany);
    }
    Series fresh;
    fresh.buckets.resize(type_ == Type::histogram ? bounds_.size() + 1 : 0);
    found = series_.try_emplace(std::move(key), std::move(fresh)).first;
  }
  return found->second;
}

void MetricFamily::add(LabelValues values, double by) {
  const std::lock_guard lock(mutex_);
  series(values).value += by;
}

void MetricFamily::set(LabelValues values, double value) {
  CHECK(type_ == Type::gauge, "only a gauge is set");
  const std::lock_guard lock(mutex_);
  series(values).value = value;
}

void MetricFamily::observe(LabelValues values, double value) {
  CHECK(type_ == Type::histogram, "only a histogram observes");
  const std::lock_guard lock(mutex_);
  Series& to = series(values);
  to.value += value;
  ++to.count;
  const auto bucket = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  ++to.buckets[static_cast<size_t>(bucket)];
}

double MetricFamily::value(LabelValues values) const {
  const std::lock_guard lock(mutex_);
  const auto found = series_.find(std::vector<std::string>(values.begin(), values.end()));
  if (found == series_.end()) {
    return 0;
  }
  return type_ == Type::histogram ? static_cast<double>(found->second.count) : found->second.value;
}

std::string MetricFamily::label_text(const std::vector<std::string>& values,
                                     std::string_view le) const {
  std::string out;
  for (size_t i = 0; i < labels_.size(); ++i) {
    out += out.empty() ? "{" : ",";
    out += labels_[i] + "=\"";
    append_escaped(out, values[i]);
    out += '"';
  }
  if (!le.empty()) {
    out += out.empty() ? "{" : ",";
    out.append("le=\"").append(le).append("\"");
  }
  return out.empty() ? out : out + '}';
}

void MetricFamily::append_text(std::string& out) const {
  auto to = std::back_inserter(out);
  fmt::format_to(to, "# HELP {0} {1}\n# TYPE {0} {2}\n", name_, help_, type_name(type_));
  for (const auto& [values, one] : series_) {
    if (type_ != Type::histogram) {
      fmt::format_to(to, "{}{} {}\n", name_, label_text(values, ""), one.value);
      continue;
    }
    uint64_t below = 0;
    for (size_t i = 0; i < bounds_.size(); ++i) {
      below += one.buckets[i];
      fmt::format_to(to, "{}_bucket{} {}\n", name_,
                     label_text(values, fmt::format("{}", bounds_[i])), below);
    }
    fmt::format_to(to, "{}_bucket{} {}\n", name_, label_text(values, "+Inf"), one.count);
    fmt::format_to(to, "{}_sum{} {}\n", name_, label_text(values, ""), one.value);
    fmt::format_to(to, "{}_count{} {}\n", name_, label_text(values, ""), one.count);
  }
}

MetricFamily& MetricRegistry::family(std::string_view name, std::string_view help,
                                     MetricFamily::Type type, std::vector<std::string> labels,
                                     std::vector<double> bounds) {
  const std::lock_guard lock(mutex_);
  auto found = families_.find(name);
  if (found == families_.end()) {
    found = families_
                .emplace(std::string(name), std::make_unique<MetricFamily>(
                                                mutex_, std::string(name), std::string(help), type,
                                                std::move(labels), std::move(bounds)))
                .first;
  }
  CHECK(found->second->type() == type, "one name, one type");
  return *found->second;
}

MetricFamily& MetricRegistry::counter(std::string_view name, std::string_view help,
                                      std::vector<std::string> labels) {
  return family(name, help, MetricFamily::Type::counter, std::move(labels), {});
}

MetricFamily& MetricRegistry::gauge(std::string_view name, std::string_view help,
                                    std::vector<std::string> labels) {
  return family(name, help, MetricFamily::Type::gauge, std::move(labels), {});
}

MetricFamily& MetricRegistry::histogram(std::string_view name, std::string_view help,
                                        std::vector<double> bounds,
                                        std::vector<std::string> labels) {
  return family(name, help, MetricFamily::Type::histogram, std::move(labels), std::move(bounds));
}

std::string MetricRegistry::text() const {
  const std::lock_guard lock(mutex_);
  std::string out;
  for (const auto& [name, one] : families_) {
    one->append_text(out);
  }
  return out;
}

std::vector<double> exponential_bounds(double first, double factor, size_t count) {
  std::vector<double> bounds(count);
  for (double& bound : bounds) {
    bound = first;
    first *= factor;
  }
  return bounds;
}

}  // namespace windlass
