#include "simulation/single_faults.h"

#include <algorithm>
#include <array>

namespace windlass::simulation {
namespace {

constexpr std::array kOnWrites = {Fault::crash_before, Fault::crash_applied, Fault::crash_after,
                                  Fault::lost_reply,   Fault::lost_request,  Fault::conflict,
                                  Fault::server_error};
constexpr std::array kOnReads = {Fault::server_error, Fault::slow};
constexpr std::array kOnEvents = {Fault::skipped, Fault::frozen};

// Long enough for everything else to overtake.
constexpr Duration kLong = seconds(45);

std::span<const Fault> faults_at(Site site) {
  switch (site) {
    case Site::write:
      return kOnWrites;
    case Site::read:
      return kOnReads;
    case Site::event:
      return kOnEvents;
    case Site::note:
      return {};  // nobody waits for it
  }
  return {};
}

}  // namespace

std::vector<Strike> single_faults(const Scenario& scenario, const Outcome& quiet,
                                  const std::vector<std::string>& about) {
  std::vector<Strike> strikes;
  for (const auto& [where, passed] : quiet.sites) {
    const auto& [component, site] = where;
    if (!about.empty() && std::find(about.begin(), about.end(), component) == about.end()) {
      continue;
    }
    for (uint64_t ordinal = 1; ordinal <= passed; ++ordinal) {
      for (const Fault fault : faults_at(site)) {
        if (may_strike(scenario, component, fault)) {
          strikes.push_back({component, site, ordinal, fault,
                             info_of(fault).has_amount ? kLong : Duration::zero()});
        }
      }
    }
  }
  return strikes;
}

}  // namespace windlass::simulation
