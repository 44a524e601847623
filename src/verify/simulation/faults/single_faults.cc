#include "verify/simulation/faults/single_faults.h"

#include <algorithm>
#include <array>

namespace windlass::verify::simulation {
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
