// The periods of the control plane, and the flags of `windlass up` that change them (disruption.md
// M-29). The defaults are those of Kubernetes; shorter ones show in seconds what takes minutes in
// production. Plain data.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace windlass::plane {

struct PlanePeriods {
  Duration backoff_base = seconds(10);
  Duration backoff_cap = minutes(10);
  Duration node_monitor_period = seconds(5);
  Duration node_monitor_grace = seconds(50);
  Duration node_startup_grace = seconds(60);
  Duration default_toleration = minutes(5);
  Duration pod_gc_period = seconds(20);
  Duration pod_gc_quarantine = seconds(40);
  Duration stale_mark_timeout = minutes(2);
  Duration pod_eviction_timeout = {};  // above zero: instead of taint eviction (N-11)

  bool operator==(const PlanePeriods&) const = default;
};

// With the waits of controllers so many times shorter. What waits for heartbeats of nodes stays:
// they come as often as before.
PlanePeriods hastened(const PlanePeriods& periods, double times);

struct PeriodFlag {
  const char* name;
  Duration PlanePeriods::*member;
  const char* help;
};

std::span<const PeriodFlag> period_flags();

// The answer of `windlass up` on /configz: `{"windlass":{"backoff-base":"10s",...}}`, by flag.
std::string periods_json(const PlanePeriods& periods);
// The periods in such a text, and the defaults for missing ones.
PlanePeriods parse_periods(std::string_view json);
// Whether such a text is an answer of `windlass up`: the path of other servers has other texts.
bool is_windlass_answer(std::string_view json);

}  // namespace windlass::plane
