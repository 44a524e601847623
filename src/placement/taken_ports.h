// The host ports that pods have on one node. A question costs one look-up, however many ports there
// are: a pod may ask for tens of thousands. A value.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "placement/needs.h"

namespace windlass::placement {

class TakenPorts {
 public:
  void add(const std::vector<HostPort>& ports);
  // Ports that were added.
  void remove(const std::vector<HostPort>& ports);

  // The first of these that is taken: a port of the same protocol and number, on the same address
  // or when one of the two means all. Null when all are free.
  const HostPort* first_taken(const std::vector<HostPort>& wanted) const;
  bool operator==(const TakenPorts&) const = default;

 private:
  using Addresses = std::map<std::string, int>;                     // how many pods have each
  std::map<std::pair<int32_t, std::string>, Addresses> by_number_;  // and protocol; none is empty
};

}  // namespace windlass::placement
