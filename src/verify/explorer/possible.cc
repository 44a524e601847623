// Which steps a model allows.
#include <algorithm>

#include "engine/status/conditions.h"
#include "verify/explorer/steps.h"

namespace windlass::verify::explorer {
namespace {

class Possible {
 public:
  explicit Possible(const ModelState& model) : world_(model), budget_(model.budget) {}

  std::vector<Step> steps() {
    if (!world_.engine.busy()) {
      add(StepKind::decide);
    }
    for (size_t i = 0; i < world_.writes.size(); ++i) {
      write(static_cast<uint8_t>(i), world_.writes[i]);
    }
    watch();
    for (const Pod& pod : world_.pods) {
      if (pod.in_store()) {
        happen(pod);
      }
    }
    others();
    return std::move(steps_);
  }

 private:
  void add(StepKind kind, uint8_t a = 0, uint8_t b = 0) { steps_.push_back({kind, a, b}); }
  void add_if(bool allowed, StepKind kind, uint8_t a = 0, uint8_t b = 0) {
    if (allowed) {
      add(kind, a, b);
    }
  }

  void write(uint8_t i, const Write& write) {
    if (write.answer != ServerAnswer::none) {
      add(StepKind::arrive, i);
      add_if(budget_.faults > 0, StepKind::lose, i);
      return;
    }
    add(StepKind::answer, i);
    add_if(budget_.delays > 0, StepKind::apply, i);
    add_if(budget_.faults > 0, StepKind::refuse, i);
    add_if(budget_.faults > 0, StepKind::vanish, i);
  }

  void watch() {
    add_if(!world_.unseen_job.empty(), StepKind::tell_job);
    add_if(world_.unseen_job.size() > 1 && budget_.stale > 0, StepKind::tell_job_stale);
    for (const Pod& pod : world_.pods) {
      const auto serial = static_cast<uint8_t>(pod.serial);
      add_if(!pod.unseen.empty(), StepKind::tell, serial);
      add_if(pod.unseen.size() > 1 && budget_.stale > 0, StepKind::tell_stale, serial);
    }
  }

  void happen(const Pod& pod) {
    const auto serial = static_cast<uint8_t>(pod.serial);
    const PodVersion& now = pod.now;
    add_if(budget_.robberies > 0 && now.has_finalizer, StepKind::rob, serial);
    if (engine::is_terminal(now.phase)) {
      add_if(budget_.deletions > 0 && !now.deleting, StepKind::remove, serial);
      return;
    }
    if (!now.has_node) {
      add_if(!now.deleting, StepKind::start, serial);
      add_if(now.deleting, StepKind::fail_unbound, serial);
    } else {
      add(StepKind::succeed, serial);
      const auto& endings =
          now.deleting ? world_.config->endings_after_deletion : world_.config->endings;
      for (size_t i = 0; i < endings.size() && (now.deleting || budget_.failures > 0); ++i) {
        add(StepKind::fail, serial, static_cast<uint8_t>(i));
      }
      add_if(world_.config->restarts && budget_.failures > 0, StepKind::restart, serial);
    }
    if (budget_.deletions > 0 && !now.deleting) {
      add(StepKind::remove, serial);
      add_if(world_.config->evicts, StepKind::evict, serial);
    }
  }

  void others() {
    for (size_t i = 0; i < world_.config->edits.size() && budget_.edits > 0; ++i) {
      const bool deleted = world_.job->deleting;
      add_if(!deleted && !engine::is_finished(world_.job->status), StepKind::edit,
             static_cast<uint8_t>(i));
    }
    add_if(budget_.crashes > 0, StepKind::crash);
    add_if(world_.wake_at && *world_.wake_at > world_.now, StepKind::tick);
  }

  const ModelState& world_;
  const FaultBudget& budget_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<Step> possible_steps(const ModelState& model) {
  return Possible(model).steps();
}

}  // namespace windlass::verify::explorer
