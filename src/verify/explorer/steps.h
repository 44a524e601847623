// What may happen next in a ModelState, and how it happens: the transition function of the
// exploration, with the real Engine in it. A step is a value with a text form, so that a path is a
// test case.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/explorer/model_state.h"

namespace windlass::verify::explorer {

enum class StepKind : uint8_t {
  decide,      // the engine is asked; its writes are sent
  answer,      // write a is carried out and answered
  apply,       // write a is carried out; its answer is on the way
  arrive,      // that answer arrives
  lose,        // that answer is lost
  refuse,      // write a is refused
  vanish,      // write a and its answer are lost
  tell,        // the watch tells the newest version of pod a
  tell_stale,  // the watch tells an older one
  tell_job,    // the same for the Job
  tell_job_stale,
  start,         // pod a is bound and runs
  succeed,       // pod a exits 0
  fail,          // pod a ends as ending b of the configuration
  fail_unbound,  // pod a, deleted before it ran, is declared failed
  restart,       // a container of pod a restarts in place
  remove,        // another client deletes pod a
  evict,         // another client evicts pod a: DisruptionTarget, then deleted
  rob,           // another client takes the finalizer of pod a
  edit,          // the user edits the Job: edit a of the configuration
  crash,         // the controller restarts; unanswered writes that were not carried out are lost
  tick,          // time passes to the engine's wake-up time
};

struct Step {
  StepKind kind = StepKind::decide;
  uint8_t a = 0;
  uint8_t b = 0;

  bool operator==(const Step&) const = default;
  uint32_t packed() const;
  static Step unpack(uint32_t packed);
};

// Every step that may be taken, in a fixed order.
std::vector<Step> possible_steps(const ModelState& model);

// Takes a step that is possible. What it breaks is appended to `broken`.
void take(ModelState& model, Step step, std::vector<std::string>& broken);

// "fail 3 1": words and numbers only, as parse_step() reads it.
std::string step_text(Step step);
// What it means in this model, before it is taken: "pod 3 (index 1) exits 42".
std::string describe(const ModelState& model, Step step);
std::optional<Step> parse_step(std::string_view text);

}  // namespace windlass::verify::explorer
