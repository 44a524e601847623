#include "verify/simulation/faults/fault_search.h"

#include <algorithm>
#include <array>
#include <utility>

namespace windlass::verify::simulation {

namespace {

class Shrinking {
 public:
  Shrinking(const Scenario& scenario, uint64_t seed, const RunResult& failed)
      : seed_(seed), broken_(failed.broken.front()) {
    best_.scenario = scenario;
    best_.strikes = failed.struck;
    best_.outcome = failed;
  }

  Shrunk result() {
    for (bool better = true; better && best_.runs < kMaxShrinkRuns;) {
      better = leave_out(best_.strikes, [this](std::vector<Strike> strikes) {
        return try_with(best_.scenario, std::move(strikes));
      });
      better = leave_out(best_.scenario.actions,
                         [this](std::vector<ScriptedAction> actions) {
                           Scenario scenario = best_.scenario;
                           scenario.actions = std::move(actions);
                           return try_with(scenario, best_.strikes);
                         }) ||
               better;
    }
    return std::move(best_);
  }

 private:
  // Halves, quarters, ... single ones; true when anything could be left out.
  template <class Item, class Try>
  bool leave_out(const std::vector<Item>& items, Try attempt) {
    bool better = false;
    for (size_t size = std::max<size_t>(1, items.size() / 2); size >= 1; size /= 2) {
      for (size_t begin = 0; begin < items.size() && best_.runs < kMaxShrinkRuns;) {
        std::vector<Item> left = items;
        const auto first = left.begin() + static_cast<long>(begin);
        left.erase(first, left.begin() + static_cast<long>(std::min(begin + size, left.size())));
        if (attempt(std::move(left))) {
          better = true;  // `items` is the shorter list now
        } else {
          begin += size;
        }
      }
    }
    return better;
  }

  bool try_with(const Scenario& scenario, std::vector<Strike> strikes) {
    ++best_.runs;
    RunResult outcome = run(scenario, {.seed = seed_, .strikes = strikes, .keep_log = true});
    const bool same = std::any_of(outcome.broken.begin(), outcome.broken.end(),
                                  [this](const Broken& broken) { return is_same(broken); });
    if (same) {
      best_.scenario = scenario;
      best_.strikes = std::move(strikes);
      best_.outcome = std::move(outcome);
    }
    return same;
  }

  // Another end than was found is another failure: a Job that is never created has none.
  bool is_same(const Broken& other) const {
    return other.rule == broken_.rule && (other.rule != "L3" || other.text == broken_.text);
  }

  uint64_t seed_;
  Broken broken_;
  Shrunk best_;
};

}  // namespace

Shrunk shrink(const Scenario& scenario, uint64_t seed, const RunResult& failed) {
  return Shrinking(scenario, seed, failed).result();
}

namespace {

constexpr std::array kOnWrites = {ClientFault::crash_before, ClientFault::crash_applied,
                                  ClientFault::crash_after,  ClientFault::lost_reply,
                                  ClientFault::lost_request, ClientFault::conflict,
                                  ClientFault::server_error};
constexpr std::array kOnReads = {ClientFault::server_error, ClientFault::slow};
constexpr std::array kOnEvents = {ClientFault::skipped, ClientFault::frozen};

// Long enough for everything else to overtake.
constexpr Duration kLong = seconds(45);

std::span<const ClientFault> faults_at(Site site) {
  switch (site) {
    case Site::write:
      return kOnWrites;
    case Site::read:
      return kOnReads;
    case Site::event:
      return kOnEvents;
    case Site::note:
      return {};  // nothing waits for it
  }
  return {};
}

}  // namespace

std::vector<Strike> single_faults(const Scenario& scenario, const RunResult& quiet,
                                  const std::vector<std::string>& about) {
  std::vector<Strike> strikes;
  for (const auto& [where, passed] : quiet.sites) {
    const auto& [component, site] = where;
    if (!about.empty() && std::find(about.begin(), about.end(), component) == about.end()) {
      continue;
    }
    for (uint64_t ordinal = 1; ordinal <= passed; ++ordinal) {
      for (const ClientFault fault : faults_at(site)) {
        if (may_strike(scenario, component, fault)) {
          strikes.push_back({component, site, ordinal, fault,
                             info_of(fault).has_amount ? kLong : Duration::zero()});
        }
      }
    }
  }
  return strikes;
}

}  // namespace windlass::verify::simulation
