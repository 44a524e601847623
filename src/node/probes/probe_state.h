// What the probes of one run of a container have found, and when each is to ask again. A pure state
// machine: times and outcomes come in, decisions go out.
//
// Until the startup probe has passed, the others do not ask. A probe changes its mind only after as
// many equal answers in a row as its threshold says; an answer that is none (an error of the node's
// own) counts for nothing. A liveness or startup probe that is convinced of a failure says so once,
// and then no probe asks any more: the container is about to end.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "base/time.h"
#include "node/container/handler_plan.h"

namespace windlass::node {

enum class ProbeKind { startup, liveness, readiness };

enum class ProbeAnswer { success, failure, none };

class ProbeState {
 public:
  // What is known of a run before its first answer; an agent that starts anew knows more.
  struct Before {
    bool started = false;
    bool ready = false;
  };
  enum class Effect {
    none,
    changed,  // started() or ready() is another
    kill,     // the container is to be stopped
  };

  // `checks` outlives this.
  ProbeState(const ContainerChecks& checks, MonotonicTime run_start, Before before);

  bool started() const { return started_; }
  bool ready() const { return started_ && ready_; }
  // There are no probes.
  bool idle() const;
  // Those that are to ask now; each is under way until its answer is recorded.
  std::vector<ProbeKind> take_due(MonotonicTime now);
  // When the next one is due; nothing while all wait for answers.
  std::optional<MonotonicTime> next_due() const;
  Effect record(ProbeKind kind, ProbeAnswer answer, MonotonicTime now);

 private:
  struct Track {
    const ProbePlan* plan = nullptr;
    MonotonicTime due{};
    bool under_way = false;
    std::optional<ProbeAnswer> last;
    int in_a_row = 0;
  };

  Track& track(ProbeKind kind) { return tracks_[static_cast<size_t>(kind)]; }
  bool asks(ProbeKind kind) const;
  void pass_startup(MonotonicTime now);

  std::array<Track, 3> tracks_;
  MonotonicTime run_start_;
  bool started_ = false;
  bool ready_ = false;
  bool killed_ = false;
};

}  // namespace windlass::node
