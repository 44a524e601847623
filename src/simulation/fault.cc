#include "simulation/fault.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/check.h"

namespace windlass::simulation {
namespace {

constexpr std::array<FaultInfo, 20> kFaults = {{
    {Fault::crash_before, "crash-before", "1", true, false, false, false},
    {Fault::crash_applied, "crash-applied", "2", true, false, false, false},
    {Fault::crash_after, "crash-after", "2", true, false, false, false},
    {Fault::lost_request, "lost-request", "4", true, true, false, true},
    {Fault::lost_reply, "lost-reply", "3, 10", true, false, false, true},
    {Fault::conflict, "conflict", "5", true, false, false, false},
    {Fault::invalid, "invalid", "7", true, false, false, false},
    {Fault::throttled, "throttled", "8", true, true, false, false},
    {Fault::server_error, "server-error", "9", true, true, false, false},
    {Fault::unavailable, "unavailable", "9", true, true, false, false},
    {Fault::forbidden, "forbidden", "13", true, false, false, false},
    {Fault::namespace_terminating, "namespace-terminating", "14", true, false, false, false},
    {Fault::duplicated, "duplicated", "12", true, false, false, false},
    {Fault::slow, "slow", "11, 17", true, true, false, true},
    {Fault::frozen, "frozen", "15, 16, 21", false, false, true, true},
    {Fault::skipped, "skipped", "18, 19, 25", false, false, true, true},
    {Fault::broken, "broken", "10", false, false, true, false},
    {Fault::gone, "gone", "22", false, false, true, false},
    {Fault::repeated, "repeated", "20", false, false, true, false},
    {Fault::bookmark, "bookmark", "23", false, false, true, false},
}};

constexpr std::array<std::string_view, 4> kSites = {"write", "note", "read", "event"};

}  // namespace

std::span<const FaultInfo> all_faults() {
  return kFaults;
}

const FaultInfo& info_of(Fault fault) {
  const FaultInfo& info = kFaults[static_cast<size_t>(fault)];
  CHECK(info.fault == fault, "the table is in the order of the enum");
  return info;
}

bool can_strike(Fault fault, Site site) {
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

}  // namespace windlass::simulation
