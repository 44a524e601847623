#include "verify/simulation/faults/fault.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/check.h"

namespace windlass::verify::simulation {
namespace {

constexpr std::array<FaultInfo, 20> kFaults = {{
    {ClientFault::crash_before, "crash-before", true, false, false, false},    // I1
    {ClientFault::crash_applied, "crash-applied", true, false, false, false},  // I2
    {ClientFault::crash_after, "crash-after", true, false, false, false},      // I2
    {ClientFault::lost_request, "lost-request", true, true, false, true},      // I4
    {ClientFault::lost_reply, "lost-reply", true, false, false, true},         // I3, I10
    {ClientFault::conflict, "conflict", true, false, false, false},            // I5
    {ClientFault::invalid, "invalid", true, false, false, false},              // I7
    {ClientFault::throttled, "throttled", true, true, false, false},           // I8
    {ClientFault::server_error, "server-error", true, true, false, false},     // I9
    {ClientFault::unavailable, "unavailable", true, true, false, false},       // I9
    {ClientFault::forbidden, "forbidden", true, false, false, false},          // I13
    {ClientFault::namespace_terminating, "namespace-terminating", true, false, false,
     false},                                                             // I14
    {ClientFault::duplicated, "duplicated", true, false, false, false},  // I12
    {ClientFault::slow, "slow", true, true, false, true},                // I11, I17
    {ClientFault::frozen, "frozen", false, false, true, true},           // I15, I16, I21
    {ClientFault::skipped, "skipped", false, false, true, true},         // I18, I19, I25
    {ClientFault::broken, "broken", false, false, true, false},          // I10
    {ClientFault::gone, "gone", false, false, true, false},              // I22
    {ClientFault::repeated, "repeated", false, false, true, false},      // I20
    {ClientFault::bookmark, "bookmark", false, false, true, false},      // I23
}};

constexpr std::array<std::string_view, 4> kSites = {"write", "note", "read", "event"};

}  // namespace

std::span<const FaultInfo> all_faults() {
  return kFaults;
}

const FaultInfo& info_of(ClientFault fault) {
  const FaultInfo& info = kFaults[static_cast<size_t>(fault)];
  CHECK(info.fault == fault, "the table is in the order of the enum");
  return info;
}

bool can_strike(ClientFault fault, Site site) {
  const FaultInfo& info = info_of(fault);
  switch (site) {
    case Site::write:
    case Site::note:
      return info.on_write;
    case Site::read:
      return info.on_read;
    case Site::event:
      return info.on_event;
  }
  return false;
}

std::string_view site_name(Site site) {
  return kSites[static_cast<size_t>(site)];
}

std::string text_of(const Strike& strike) {
  std::string text = fmt::format("{}/{}#{}={}", strike.component, site_name(strike.site),
                                 strike.ordinal, info_of(strike.fault).name);
  if (info_of(strike.fault).has_amount) {
    text += ':' + format_duration(strike.amount);
  }
  return text;
}

Result<Strike> parse_strike(std::string_view text) {
  const auto wrong = [text] {
    return fail(
        bad_request(fmt::format("not a fault: {} (as in job-controller/write#3=slow:5s)", text)));
  };
  const size_t slash = text.find('/');
  const size_t hash = text.find('#');
  const size_t equals = text.find('=');
  if (slash == text.npos || hash == text.npos || equals == text.npos || slash > hash ||
      hash > equals) {
    return wrong();
  }
  Strike strike;
  strike.component = text.substr(0, slash);
  const std::string_view site = text.substr(slash + 1, hash - slash - 1);
  const std::string_view number = text.substr(hash + 1, equals - hash - 1);
  std::string_view name = text.substr(equals + 1);
  if (const size_t colon = name.find(':'); colon != name.npos) {
    TRY(strike.amount, parse_duration(name.substr(colon + 1)));
    name = name.substr(0, colon);
  }
  bool known = false;
  for (size_t i = 0; i < kSites.size(); ++i) {
    if (kSites[i] == site) {
      strike.site = static_cast<Site>(i);
      known = true;
    }
  }
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), strike.ordinal);
  if (!known || error != std::errc() || end != number.data() + number.size()) {
    return wrong();
  }
  for (const FaultInfo& info : kFaults) {
    if (info.name == name && can_strike(info.fault, strike.site)) {
      strike.fault = info.fault;
      return strike;
    }
  }
  return wrong();
}

}  // namespace windlass::verify::simulation
