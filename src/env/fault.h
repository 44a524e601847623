// Named places where the simulation may make things go wrong. Production code asks at the site what
// an outside failure would do there anyway:
//
//   if (env.faults.fires("journal.reply_lost")) { return fail(...); }
//
// In production nothing ever fires. A name is `folder.what_goes_wrong`, and used at one site only.
#pragma once

#include <string_view>

namespace windlass::env {

class Faults {
 public:
  virtual ~Faults() = default;
  virtual bool fires(std::string_view point) = 0;
};

class NoFaults final : public Faults {
 public:
  bool fires(std::string_view /*point*/) override { return false; }
};

// Stateless, so one serves every thread.
inline Faults& no_faults() {
  static NoFaults none;
  return none;
}

}  // namespace windlass::env
