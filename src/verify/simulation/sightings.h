// What was ever seen in the runs of a suite: faults that struck and states that are easy to miss.
// Each name is declared; a suite that never sees one of them proves less than it seems to, and
// fails ("sometimes" assertions, safety.md Y4). One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verify/simulation/history.h"

namespace windlass::verify::simulation {

class Sightings {
 public:
  void see(const std::string& name) { ++counts_[name]; }
  void on_job(const JobChange& change, const History& history);
  void on_pod(const PodChange& change, const History& history);
  void add(const Sightings& other);

  const std::map<std::string, uint64_t>& counts() const { return counts_; }
  uint64_t count(const std::string& name) const;
  // Declared, and not seen.
  std::vector<std::string> missing() const;

 private:
  std::map<std::string, uint64_t> counts_;
};

// All that a suite of random runs has to see.
const std::vector<std::string>& declared_sightings();

}  // namespace windlass::verify::simulation
