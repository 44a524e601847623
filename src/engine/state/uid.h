// Pod UIDs in 16 bytes. Canonical UUIDs are kept as their bits; any other text (hand-made objects,
// tests) gets a number of its own from UidNames. Equal texts have equal Uids within one UidNames.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace windlass::engine {

struct Uid {
  uint64_t high = 0;
  uint64_t low = 0;

  auto operator<=>(const Uid&) const = default;
};

class UidNames {
 public:
  Uid intern(std::string_view text);
  std::optional<Uid> find(std::string_view text) const;
  std::string text(Uid uid) const;
  // For a UID that no longer matters; only odd ones take memory.
  void forget(Uid uid);

 private:
  std::unordered_map<std::string, uint64_t> odd_;       // looked up only, never iterated
  std::unordered_map<uint64_t, std::string> odd_text_;  // likewise
  uint64_t next_odd_ = 1;
};

}  // namespace windlass::engine
