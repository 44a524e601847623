// What an Engine remembers, as a number: two engines with the same fingerprint decide alike from
// here on, whatever path led to them. For the explorer; not part of the product. Reads every member
// of Engine and of what it owns that can bear on a later decision, so a new member belongs here
// too. Left out: the times inside conditions, and events and metrics not yet given out, which
// decide nothing.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "engine/engine.h"
#include "engine/types.h"

namespace windlass::engine {

// Order matters; 64 bits.
class Digest {
 public:
  void add(uint64_t value) {
    sum_ = (sum_ ^ value) * 0x9e3779b97f4a7c15ULL;
    sum_ ^= sum_ >> 29;
    sum_ *= 0xbf58476d1ce4e5b9ULL;
    sum_ ^= sum_ >> 32;
  }
  void add_text(std::string_view text);
  uint64_t value() const { return sum_; }

 private:
  uint64_t sum_ = 0x2545f4914f6cdd1dULL;
};

// How to name pods, versions and times so that paths that differ in nothing else look the same.
class Frame {
 public:
  virtual ~Frame() = default;
  // A small number of the pod, the same for corresponding pods.
  virtual uint64_t pod(std::string_view uid) const = 0;
  // Its newest resourceVersion in the store.
  virtual uint64_t pod_version(std::string_view uid) const = 0;

  uint64_t job_version = 0;
  int64_t generation = 0;
  bool start_time_matters = true;  // there is a deadline
  Time now;
  // Times longer ago than this are alike: no back-off reaches so far.
  Duration horizon = seconds(90);

  uint64_t age(Time time) const;
  uint64_t left(std::optional<Time> time) const;  // 0: none, or not in the future
};

class Fingerprint {
 public:
  // Of the Job as a value: spec, status, record.
  static void job(const JobView& job, const Frame& frame, Digest& out);
  static void engine(const Engine& engine, const Frame& frame, Digest& out);
  // What the engine knows of one pod, without naming any pod; 0 when it knows none.
  static uint64_t pod(const Engine& engine, std::string_view uid, const Frame& frame);

 private:
  static void status(const JobStatus& status, const Frame& frame, Digest& out);
  static void record(const JobRecord& record, const Frame& frame, Digest& out);
  static void lost(const LostOutcomes& lost, const Frame& frame, Digest& out);
  static void draft(const State& state, const StatusDraft& draft, const Frame& frame, Digest& out);
  static void queue(const State& state, const SlotQueue& slots, const Frame& frame, Digest& out);
  static void indexes(const Indexes& indexes, const Frame& frame, Digest& out);
  static void set(const StoredSet& set, Digest& out);
  static void retry(const Retry& retry, const Frame& frame, Digest& out);
};

}  // namespace windlass::engine
