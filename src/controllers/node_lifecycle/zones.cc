#include "controllers/node_lifecycle/zones.h"

namespace windlass::controllers::node_lifecycle {

ZoneState state_of(const ZoneCount& zone, const EvictionRates& rates) {
  if (zone.ready == 0 && zone.not_ready > 0) {
    return ZoneState::full;
  }
  const bool much = zone.not_ready * 100 >= rates.unhealthy_percent * zone.all();
  return zone.not_ready > 2 && much ? ZoneState::partial : ZoneState::normal;
}

double rate_of(const ZoneCount& zone, const EvictionRates& rates) {
  if (state_of(zone, rates) != ZoneState::partial) {
    return rates.normal;
  }
  return zone.all() > rates.large_zone ? rates.secondary : 0;
}

}  // namespace windlass::controllers::node_lifecycle
