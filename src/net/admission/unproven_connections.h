// The connections of one I/O thread that have not proven who they are, by the network they come
// from: the first to be closed when there is no room. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace windlass::net {

class UnprovenConnections {
 public:
  // Ids grow with time.
  void add(uint64_t id, const std::string& network);
  // Unknown ones do nothing.
  void remove(uint64_t id);

  size_t count(const std::string& network) const;
  std::optional<uint64_t> oldest_of(const std::string& network) const;
  // Of the network that has most of them; of several, the one with the oldest connection.
  std::optional<uint64_t> oldest_of_largest() const;

 private:
  using Ids = std::set<uint64_t>;
  static std::pair<size_t, uint64_t> rank_of(const Ids& ids) { return {ids.size(), ~*ids.begin()}; }

  std::map<uint64_t, std::string> networks_;                   // by connection
  std::map<std::string, Ids> ids_;                             // by network, none of them empty
  std::map<std::pair<size_t, uint64_t>, std::string> ranked_;  // the largest last
};

}  // namespace windlass::net
