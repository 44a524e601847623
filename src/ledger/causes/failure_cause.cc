#include "ledger/causes/failure_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <tuple>

#include "base/hash.h"
#include "base/plain_line.h"
#include "ledger/attempt_facts.h"
#include "ledger/causes/cause_key.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::ledger {
namespace {

using api::ledger::v1::Attempt;

constexpr int64_t kMinHeavyFailures = 5;
constexpr double kHeavyRate = 3;
constexpr double kHeavyDeviations = 4;
constexpr size_t kIdDigits = 10;

std::string cause_id(const CauseKey& key) {
  StableHash hash;
  const auto add_number = [&hash](const std::optional<int32_t>& number) {
    hash.add(uint64_t{number.has_value()});
    hash.add(static_cast<uint64_t>(number.value_or(0)));
  };
  hash.add(static_cast<uint64_t>(key.end));
  hash.add(uint64_t{key.ignored});
  hash.add(uint64_t{key.other_lines});
  add_number(key.rule);
  add_number(key.exit_code);
  add_number(key.signal);
  for (const std::string* text :
       {&key.rule_name, &key.action, &key.container, &key.reason, &key.line}) {
    hash.add(*text);
  }
  return fmt::format("{:016x}", hash.value()).substr(0, kIdDigits);
}

std::optional<Time> end_time(const Attempt& attempt) {
  const int64_t at = time_of(attempt);
  return at == 0 ? std::nullopt : std::optional(time_from_unix(at));
}

// Of two that ended in the same second, the one with the larger UID: any order of adding gives the
// same sample.
auto sample_order(const Attempt& attempt) {
  return std::make_tuple(time_of(attempt), std::string_view(attempt.metadata().name()));
}

void count_in(const AttemptPtr& attempt, std::string_view line, FailureCause& cause) {
  ++cause.count;
  if (attempt->has_index() && attempt->index() >= 0) {
    cause.indexes.insert(attempt->index());
  }
  if (!attempt->node_name().empty()) {
    ++cause.nodes[attempt->node_name()];
  }
  if (const auto ended = end_time(*attempt)) {
    cause.first = std::min(cause.first.value_or(*ended), *ended);
    cause.last = std::max(cause.last.value_or(*ended), *ended);
  }
  if (cause.sample == nullptr || sample_order(*cause.sample) < sample_order(*attempt)) {
    cause.sample = attempt;
    cause.sample_line = plain_line(line, CauseGroups::kMaxSampleBytes);
  }
}

}  // namespace

std::string FailureCause::full_title() const {
  return key.ignored ? title + " (ignored)" : title;
}

bool is_heavy(const HeavyNode& node) {
  const int64_t other_attempts = node.attempts_in_all - node.attempts;
  if (node.failures < kMinHeavyFailures || other_attempts <= 0) {
    return false;
  }
  const auto here = static_cast<double>(node.failures) / static_cast<double>(node.attempts);
  const auto elsewhere = static_cast<double>(node.failures_in_all - node.failures) /
                         static_cast<double>(other_attempts);
  const auto all =
      static_cast<double>(node.failures_in_all) / static_cast<double>(node.attempts_in_all);
  const double deviation =
      std::sqrt(all * (1 - all) *
                (1 / static_cast<double>(node.attempts) + 1 / static_cast<double>(other_attempts)));
  return here >= kHeavyRate * elsewhere && here - elsewhere > kHeavyDeviations * deviation;
}

CauseGroups::CauseGroups() = default;
CauseGroups::~CauseGroups() = default;
CauseGroups::CauseGroups(CauseGroups&&) noexcept = default;
CauseGroups& CauseGroups::operator=(CauseGroups&&) noexcept = default;

CauseKey CauseGroups::limited(CauseKey key) {
  if (key.line.empty() || causes_.contains(key)) {
    return key;
  }
  CauseKey without = key;
  without.line.clear();
  size_t& patterns = patterns_[without];
  if (patterns < kMaxPatternsPerEnd) {
    ++patterns;
    return key;
  }
  without.other_lines = true;
  return without;
}

const FailureCause* CauseGroups::add(const AttemptPtr& attempt) {
  ++attempts_;
  if (!attempt->node_name().empty()) {
    ++attempts_on_nodes_;
    ++attempts_by_node_[attempt->node_name()];
  }
  auto failure = cause_of(*attempt);
  if (!failure) {
    return nullptr;
  }
  ++failures_;
  const CauseKey key = limited(std::move(failure->key));
  auto& cause = causes_[key];
  if (cause == nullptr) {
    cause = std::make_unique<FailureCause>();
    cause->key = key;
    cause->id = cause_id(key);
    cause->title = cause_title(key, failure->has_other_containers);
  }
  count_in(attempt, failure->line, *cause);
  return cause.get();
}

std::vector<const FailureCause*> CauseGroups::causes() const {
  std::vector<const FailureCause*> all;
  for (const auto& [key, cause] : causes_) {
    all.push_back(cause.get());
  }
  std::stable_sort(all.begin(), all.end(), [](const FailureCause* a, const FailureCause* b) {
    return std::make_tuple(a->key.ignored, -a->count, a->first) <
           std::make_tuple(b->key.ignored, -b->count, b->first);
  });
  return all;
}

Result<const FailureCause*> CauseGroups::find(std::string_view name) const {
  const auto all = causes();
  for (const FailureCause* cause : all) {
    if (cause->id == name) {
      return cause;
    }
  }
  size_t place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (error == std::errc() && end == name.data() + name.size() && place >= 1 &&
      place <= all.size()) {
    return all[place - 1];
  }
  const std::string there = all.empty()       ? "no attempt failed"
                            : all.size() == 1 ? "the one cause is 1"
                                              : fmt::format("the causes are 1 to {}", all.size());
  return fail(plain_error(fmt::format("no cause \"{}\": {}", plain_line(name, kIdDigits), there)));
}

std::vector<HeavyNode> CauseGroups::heavy_nodes(const FailureCause& cause, size_t most) const {
  int64_t failures = 0;
  for (const auto& [node, count] : cause.nodes) {
    failures += count;
  }
  std::vector<HeavyNode> heavy;
  for (const auto& [node, count] : cause.nodes) {
    const HeavyNode each{node, count, attempts_by_node_.at(node), failures, attempts_on_nodes_};
    if (is_heavy(each)) {
      heavy.push_back(each);
    }
  }
  std::stable_sort(heavy.begin(), heavy.end(),
                   [](const HeavyNode& a, const HeavyNode& b) { return a.failures > b.failures; });
  heavy.resize(std::min(heavy.size(), most));
  return heavy;
}

}  // namespace windlass::ledger
