// Who decides which call or event goes wrong. The seeded source draws, differently for each seed:
// some seeds know only one kind of fault, some strike one component only. The scripted source does
// what a list says, and is how a failing run is replayed and made shorter. Both count the sites and
// keep what they did. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/generator.h"
#include "verify/simulation/faults/fault.h"

namespace windlass::verify::simulation {

class FaultSource {
 public:
  virtual ~FaultSource() = default;

  // Asked once for every call and event of a component.
  std::optional<Strike> at(const std::string& component, Site site);
  // From now on nothing goes wrong.
  void heal() { healed_ = true; }

  // What has struck so far, in order.
  const std::vector<Strike>& struck() const { return struck_; }
  // How many sites a component has come by.
  uint64_t passed(const std::string& component, Site site) const;
  const std::map<std::pair<std::string, Site>, uint64_t>& all_passed() const { return passed_; }

 protected:
  virtual std::optional<Strike> choose(const std::string& component, Site site,
                                       uint64_t ordinal) = 0;

 private:
  bool healed_ = false;
  std::map<std::pair<std::string, Site>, uint64_t> passed_;
  std::vector<Strike> struck_;
};

class NoFaultSource final : public FaultSource {
 private:
  std::optional<Strike> choose(const std::string&, Site, uint64_t) override { return {}; }
};

class ScriptedFaults final : public FaultSource {
 public:
  explicit ScriptedFaults(std::vector<Strike> strikes) : strikes_(std::move(strikes)) {}

 private:
  std::optional<Strike> choose(const std::string& component, Site site, uint64_t ordinal) override;

  std::vector<Strike> strikes_;
};

class SeededFaults final : public FaultSource {
 public:
  using Allowed = std::function<bool(const std::string& component, ClientFault fault)>;

  SeededFaults(uint64_t seed, Allowed allowed);

 private:
  static constexpr size_t kMaxStrikes = 200;  // of one run; then it is left alone

  std::optional<Strike> choose(const std::string& component, Site site, uint64_t ordinal) override;

  Generator generator_;
  Allowed allowed_;
  std::vector<ClientFault> enabled_;
  double write_rate_ = 0;
  double read_rate_ = 0;
  double event_rate_ = 0;
  uint64_t favourite_ = 0;  // components whose hash has this remainder are struck more often
  Duration longest_ = Duration::zero();
  size_t strikes_ = 0;
};

}  // namespace windlass::verify::simulation
