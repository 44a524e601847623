#include "engine/pods/pod_factory.h"

#include <array>
#include <charconv>
#include <limits>

namespace windlass::engine {
namespace {

constexpr int32_t kMaxCount = std::numeric_limits<int32_t>::max();

// 4.3: a generateName prefix is valid when it is a DNS-1123 subdomain once a random suffix follows;
// the server accepts a Job name, so only the length can be wrong.
constexpr size_t kMaxPodName = 253;

std::optional<int64_t> parse_decimal(const std::optional<std::string>& text) {
  if (!text || text->empty()) {
    return std::nullopt;
  }
  int64_t value = 0;
  const char* begin = text->data() + (text->front() == '+' ? 1 : 0);
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || begin == end || value < 0 || value > kMaxCount) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

PodPlan plan_pod(std::string_view job_name) {
  PodPlan plan;
  plan.generate_name = generate_name(job_name, kNoIndex);
  return plan;
}

PodPlan plan_indexed_pod(std::string_view job_name, int64_t index) {
  const std::string text = std::to_string(index);
  PodPlan plan;
  plan.index = index;
  plan.generate_name = generate_name(job_name, index);
  plan.hostname.reserve(job_name.size() + 1 + text.size());
  plan.hostname.append(job_name).append(1, '-').append(text);
  plan.labels.emplace_back(kCompletionIndexKey, text);
  plan.annotations.emplace_back(kCompletionIndexKey, text);
  plan.add_index_env = true;
  return plan;
}

void annotate_failures(PodPlan& plan, IndexFailures failures) {
  plan.annotations.emplace_back(kIndexFailureCountKey, std::to_string(failures.counted));
  if (failures.ignored > 0) {
    plan.annotations.emplace_back(kIndexIgnoredFailureCountKey, std::to_string(failures.ignored));
  }
}

std::string generate_name(std::string_view job_name, int64_t index) {
  std::string name;
  if (index == kNoIndex) {
    name = job_name;
    name += job_name.size() < kMaxPodName ? "-" : "";
    return name;
  }
  std::array<char, 24> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), index).ptr;
  const std::string_view number(digits.data(), static_cast<size_t>(end - digits.data()));
  const std::string_view stem = job_name.substr(0, kMaxGenerateName - number.size() - 2);
  name.reserve(stem.size() + number.size() + 2 + kSuffixLength);
  name = stem;
  name += '-';
  name += number;
  name += '-';
  return name;
}

int64_t parse_index(const std::optional<std::string>& annotation) {
  return parse_decimal(annotation).value_or(kNoIndex);
}

int32_t parse_failure_count(const std::optional<std::string>& annotation) {
  return static_cast<int32_t>(parse_decimal(annotation).value_or(0));
}

int32_t next_count(int32_t count) {
  return count == kMaxCount ? kMaxCount : count + 1;
}

}  // namespace windlass::engine
