// How long the control plane waits for things, and the flags of `windlass up` that change it
// (disruption.md M-29). The defaults are Kubernetes'; shorter ones let people see in seconds what
// takes minutes in production. Plain data.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace windlass::cli {

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
  Duration pod_eviction_timeout = {};  // not zero: instead of taint eviction (N-11)

  bool operator==(const PlanePeriods&) const = default;
};

struct PeriodFlag {
  const char* name;
  Duration PlanePeriods::*member;
  const char* help;
};

std::span<const PeriodFlag> period_flags();

// What `windlass up` answers on /configz: `{"windlass":{"backoff-base":"10s",...}}`, by flag.
std::string periods_json(const PlanePeriods& periods);
// The periods of such a text; the defaults for those that it does not have.
PlanePeriods parse_periods(std::string_view json);

}  // namespace windlass::cli
