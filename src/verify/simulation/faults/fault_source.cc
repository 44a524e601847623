#include "verify/simulation/faults/fault_source.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"

namespace windlass::verify::simulation {

std::optional<Strike> FaultSource::at(const std::string& component, Site site) {
  const uint64_t ordinal = ++passed_[{component, site}];
  if (healed_) {
    return std::nullopt;
  }
  std::optional<Strike> strike = choose(component, site, ordinal);
  if (strike) {
    struck_.push_back(*strike);
  }
  return strike;
}

uint64_t FaultSource::passed(const std::string& component, Site site) const {
  const auto found = passed_.find({component, site});
  return found == passed_.end() ? 0 : found->second;
}

std::optional<Strike> ScriptedFaults::choose(const std::string& component, Site site,
                                             uint64_t ordinal) {
  const auto found = std::find_if(strikes_.begin(), strikes_.end(), [&](const Strike& strike) {
    return strike.ordinal == ordinal && strike.site == site && strike.component == component;
  });
  return found == strikes_.end() ? std::nullopt : std::optional<Strike>(*found);
}

SeededFaults::SeededFaults(uint64_t seed, Allowed allowed)
    : generator_(seed), allowed_(std::move(allowed)) {
  // Swarm testing: a run with few kinds of faults goes deeper into those than one with all.
  const double kept = generator_.chance(0.3) ? 1.0 : generator_.chance(0.5) ? 0.5 : 0.2;
  for (const FaultInfo& info : all_faults()) {
    if (generator_.chance(kept)) {
      enabled_.push_back(info.fault);
    }
  }
  const auto rate = [this] {
    constexpr std::array<double, 5> kRates = {0.0, 0.01, 0.03, 0.1, 0.3};
    return kRates[generator_.uniform(kRates.size())];
  };
  write_rate_ = rate();
  read_rate_ = rate();
  event_rate_ = rate();
  favourite_ = generator_.uniform(5);
  constexpr std::array<int64_t, 4> kLongest = {1, 10, 60, 400};
  longest_ = seconds(kLongest[generator_.uniform(kLongest.size())]);
}

std::optional<Strike> SeededFaults::choose(const std::string& component, Site site,
                                           uint64_t ordinal) {
  const double rate = site == Site::event  ? event_rate_
                      : site == Site::read ? read_rate_
                                           : write_rate_;
  const bool favoured = favourite_ == 0 || stable_hash(component) % 5 == favourite_;
  if (strikes_ >= kMaxStrikes || !generator_.chance(favoured ? rate : rate / 5)) {
    return std::nullopt;
  }
  std::vector<ClientFault> possible;
  std::copy_if(
      enabled_.begin(), enabled_.end(), std::back_inserter(possible),
      [&](ClientFault fault) { return can_strike(fault, site) && allowed_(component, fault); });
  if (possible.empty()) {
    return std::nullopt;
  }
  ++strikes_;
  Strike strike{component, site, ordinal, possible[generator_.uniform(possible.size())]};
  if (info_of(strike.fault).has_amount) {
    strike.amount = milliseconds(generator_.between(1, longest_ / milliseconds(1)));
  }
  return strike;
}

}  // namespace windlass::verify::simulation
