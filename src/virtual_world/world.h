// The simulated world: one thread, virtual time, and an order of events that the seed decides. The
// same seed and the same program give the same run, to the trace hash.
//
// Each part of the program gets an executor of its own, as it would get a thread of its own. Within
// one executor, posted tasks run in the order they were posted and timers in the order they are
// due, as env::Executor promises; everything that promise leaves open is drawn from the seed: which
// executor runs next, and whether its next task or its next due timer does. Time stands still while
// anything is ready, then jumps to the next timer.
//
// Owns executors, log and faults; they live as long as the world. Nothing here is thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/generator.h"
#include "base/hash.h"
#include "env/clock.h"
#include "env/executor.h"
#include "env/random.h"
#include "env/timer_queue.h"
#include "virtual_world/faults.h"
#include "virtual_world/virtual_log.h"

namespace windlass::virtual_world {

class VirtualWorld;

class VirtualClock final : public env::Clock {
 public:
  // A wall clock that is not a round number, so that no code relies on one.
  static constexpr int64_t kStartUnixSeconds = 1'700'000'003;

  Time now() override { return time_from_unix(kStartUnixSeconds) + elapsed_ + wall_offset_; }
  MonotonicTime monotonic() override { return MonotonicTime(elapsed_); }
  // Wall time jumps, forward or back, as an administrator or NTP lets it; timers do not notice.
  void shift_wall(Duration by) { wall_offset_ += by; }

 private:
  friend class VirtualWorld;
  Duration elapsed_ = hours(1);
  Duration wall_offset_ = Duration::zero();
};

class SeededRandom final : public env::Random {
 public:
  explicit SeededRandom(uint64_t seed) : generator_(seed) {}
  uint64_t next() override { return generator_.next(); }
  void fill(std::span<std::byte> bytes) override;

 private:
  Generator generator_;
};

class VirtualExecutor final : public env::Executor {
 public:
  static constexpr size_t kMaxPosted = 4'000'000;

  void post(env::Task task) override;
  env::TimerId schedule(Duration delay, env::Task task) override;
  void cancel(env::TimerId timer) override;

  const std::string& name() const { return name_; }
  // Paused, it runs nothing, as a thread that the kernel does not schedule; what comes in waits.
  void pause() { paused_ = true; }
  void resume() { paused_ = false; }
  // Everything waiting is dropped, as when its process is killed.
  void clear();

 private:
  friend class VirtualWorld;
  VirtualExecutor(std::string name, VirtualClock& clock) : name_(std::move(name)), clock_(clock) {}

  std::string name_;
  VirtualClock& clock_;
  std::deque<env::Task> posted_;
  env::TimerQueue timers_;
  bool paused_ = false;
};

class VirtualWorld {
 public:
  explicit VirtualWorld(uint64_t seed);
  ~VirtualWorld();
  VirtualWorld(const VirtualWorld&) = delete;
  VirtualWorld& operator=(const VirtualWorld&) = delete;

  uint64_t seed() const { return seed_; }
  VirtualClock& clock() { return clock_; }
  SeededRandom& random() { return random_; }
  VirtualLog& log() { return log_; }
  VirtualFaults& faults() { return faults_; }
  // The executor of this name; made at the first call.
  VirtualExecutor& executor(std::string_view name = "main");
  // For the choices of a scenario itself: when to crash what. Not shared with the program under
  // test.
  Generator& choices() { return choices_; }

  // One task or timer; false when nothing is ready now. Does not advance time.
  bool step();
  // Runs until nothing is left to run and no timer is set; false when `max_steps` came first.
  [[nodiscard]] bool run_until_idle(uint64_t max_steps = kMaxSteps);
  // Exactly this much virtual time passes. A run that needs more than kMaxSteps for it is stuck in
  // a loop without time passing: CHECK.
  void run_for(Duration duration);
  // Until the predicate holds, asked after every step; false when it does not within `limit`.
  [[nodiscard]] bool run_until(const std::function<bool()>& predicate, Duration limit);

  static constexpr uint64_t kMaxSteps = 50'000'000;

  // Part of the hash: what a test or a component wants two runs to agree about.
  void trace(std::string_view text);
  uint64_t trace_hash() const { return trace_.value(); }
  uint64_t steps() const { return steps_; }

 private:
  // When the next timer of an executor that is not paused is due.
  std::optional<MonotonicTime> next_due() const;
  bool is_ready(const VirtualExecutor& executor) const;
  void run_one(VirtualExecutor& executor);
  // Jumps to the next timer if that is at `end` or before; false when there is none.
  bool advance(MonotonicTime end);

  uint64_t seed_;
  VirtualClock clock_;
  Generator schedule_;
  Generator choices_;
  SeededRandom random_;
  VirtualFaults faults_;
  VirtualLog log_;
  StableHash trace_;
  uint64_t steps_ = 0;
  // In the order of creation, which the program decides.
  std::vector<std::unique_ptr<VirtualExecutor>> executors_;
};

}  // namespace windlass::virtual_world
