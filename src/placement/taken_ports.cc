#include "placement/taken_ports.h"

#include <algorithm>

namespace windlass::placement {
namespace {

constexpr const char* kEveryAddress = "0.0.0.0";

}  // namespace

void TakenPorts::add(const std::vector<HostPort>& ports) {
  for (const HostPort& port : ports) {
    ++by_number_[{port.port, port.protocol}][port.ip];
  }
}

void TakenPorts::remove(const std::vector<HostPort>& ports) {
  for (const HostPort& port : ports) {
    const auto addresses = by_number_.find({port.port, port.protocol});
    if (--addresses->second[port.ip] == 0) {
      addresses->second.erase(port.ip);
    }
    if (addresses->second.empty()) {
      by_number_.erase(addresses);
    }
  }
}

const HostPort* TakenPorts::first_taken(const std::vector<HostPort>& wanted) const {
  const auto found = std::find_if(wanted.begin(), wanted.end(), [this](const HostPort& port) {
    const auto addresses = by_number_.find({port.port, port.protocol});
    return addresses != by_number_.end() &&
           (port.ip == kEveryAddress || addresses->second.contains(port.ip) ||
            addresses->second.contains(kEveryAddress));
  });
  return found == wanted.end() ? nullptr : &*found;
}

}  // namespace windlass::placement
