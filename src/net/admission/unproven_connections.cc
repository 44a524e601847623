#include "net/admission/unproven_connections.h"

namespace windlass::net {

void UnprovenConnections::add(uint64_t id, const std::string& network) {
  Ids& ids = ids_[network];
  if (!ids.empty()) {
    ranked_.erase(rank_of(ids));
  }
  ids.insert(id);
  ranked_.emplace(rank_of(ids), network);
  networks_.emplace(id, network);
}

void UnprovenConnections::remove(uint64_t id) {
  const auto found = networks_.find(id);
  if (found == networks_.end()) {
    return;
  }
  const auto entry = ids_.find(found->second);
  Ids& ids = entry->second;
  ranked_.erase(rank_of(ids));
  ids.erase(id);
  if (ids.empty()) {
    ids_.erase(entry);
  } else {
    ranked_.emplace(rank_of(ids), found->second);
  }
  networks_.erase(found);
}

size_t UnprovenConnections::count(const std::string& network) const {
  const auto found = ids_.find(network);
  return found == ids_.end() ? 0 : found->second.size();
}

std::optional<uint64_t> UnprovenConnections::oldest_of(const std::string& network) const {
  const auto found = ids_.find(network);
  return found == ids_.end() ? std::nullopt : std::optional(*found->second.begin());
}

std::optional<uint64_t> UnprovenConnections::oldest_of_largest() const {
  return ranked_.empty() ? std::nullopt : oldest_of(ranked_.rbegin()->second);
}

}  // namespace windlass::net
