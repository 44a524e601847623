// Starts a program, reads what it says, kills it, and keeps the account of what was acknowledged
// over all its lives (README.md). One at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/time.h"

namespace windlass::crash {

// When a life ends: so long after its start, or after it has acknowledged so many writes.
// With `damage` it is not killed: that happens to its files after so many writes, and it ends by
// itself before it acknowledges anything that would be lost.
struct Life {
  int writes = 0;
  Duration delay = {};
  std::function<void()> damage = {};
};

class Driver {
 public:
  Driver(std::string program, std::string directory)
      : program_(std::move(program)), directory_(std::move(directory)) {}

  // One life; what it got to say is checked against the lives before it.
  void live(uint64_t seed, const Life& life);

  // What was found wrong, most important first; empty when nothing is.
  const std::vector<std::string>& faults() const { return faults_; }
  uint64_t acknowledged() const { return acknowledged_; }
  // Why the last life did not begin; "" when it did.
  const std::string& refusal() const { return refusal_; }
  // The last life ended by itself because it could not go on.
  bool stopped() const { return stopped_; }
  // Lives that came as far as writing.
  int lives() const { return lives_; }

 private:
  struct Entry {
    uint64_t revision = 0;     // of the last acknowledged write
    bool present = false;      // after it
    bool may_be_gone = false;  // a deletion was asked for after it
  };

  void hear(const std::string& line);
  // At `ready`: what was found against what was acknowledged.
  void check_found();
  void fault(const std::string& text);

  std::string program_;
  std::string directory_;
  std::map<std::string, Entry> entries_;
  std::map<std::string, uint64_t> found_;
  std::set<uint64_t> used_;  // every acknowledged revision
  uint64_t start_ = 0;       // the newest revision at the start of this life
  uint64_t acknowledged_ = 0;
  int lives_ = 0;
  std::string refusal_;
  bool stopped_ = false;
  std::vector<std::string> faults_;
};

}  // namespace windlass::crash
