#include "verify/explorer/steps.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"
#include "verify/explorer/checks.h"

namespace windlass::verify::explorer {
namespace {

class Taking {
 public:
  Taking(ModelState& model, std::vector<std::string>& broken) : world_(model), broken_(broken) {}

  void take(Step step) {
    carry_on(step);
    report(check_round(world_));
  }

 private:
  void carry_on(Step step) {
    switch (step.kind) {
      case StepKind::decide:
        return decide();
      case StepKind::answer:
        carry_out(write(step.a));
        return arrive(step.a);
      case StepKind::apply:
        --world_.budget.delays;
        return carry_out(write(step.a));
      case StepKind::arrive:
        return arrive(step.a);
      case StepKind::lose:
      case StepKind::vanish:
        --world_.budget.faults;
        return fail_write(step.a, engine::WriteError::unknown);
      case StepKind::refuse:
        --world_.budget.faults;
        return fail_write(step.a, engine::WriteError::rejected);
      case StepKind::tell:
        return tell(pod(step.a), true);
      case StepKind::tell_stale:
        --world_.budget.stale;
        return tell(pod(step.a), false);
      case StepKind::tell_job:
        return tell_job(true);
      case StepKind::tell_job_stale:
        --world_.budget.stale;
        return tell_job(false);
      case StepKind::edit:
        --world_.budget.edits;
        return edit(world_.config->edits[step.a]);
      case StepKind::crash:
        --world_.budget.crashes;
        return restart_controller();
      case StepKind::tick:
        world_.now = *world_.wake_at;
        return;
      default:
        return happen(pod(step.a), step);
    }
  }

  Write& write(uint8_t i) {
    CHECK(i < world_.writes.size(), "the write is under way");
    return world_.writes[i];
  }
  Pod& pod(uint8_t serial) {
    Pod* found = world_.find(serial);
    CHECK(found != nullptr, "the pod exists");
    return *found;
  }
  void report(std::vector<std::string> what) {
    broken_.insert(broken_.end(), what.begin(), what.end());
  }

  void decide() {
    const engine::Decision decision = world_.engine.decide(world_.now);
    world_.wake_at = decision.wake_at;
    world_.looked_again = decision.refresh_job || decision.relist_pods;
    report(check_decision(world_, decision));
    const auto known = std::make_shared<const engine::JobView>(world_.engine.state().job());
    if (decision.status) {
      Write sent;
      sent.kind = WriteKind::status;
      sent.status = decision.status;
      for (const Pod& each : world_.pods) {
        sent.drafted.emplace_back(each.serial, each.told_finished);
      }
      send(std::move(sent), known);
    }
    for (const engine::CreatePod& create : decision.creates) {
      Write sent;
      sent.kind = WriteKind::create;
      sent.create = std::make_shared<const engine::CreatePod>(create);
      send(std::move(sent), known);
    }
    for (const engine::PodWrite& each : decision.pod_writes) {
      Write sent;
      sent.kind = WriteKind::pod;
      sent.pod = std::make_shared<const engine::PodWrite>(each);
      sent.serial = pod_serial(each.uid);
      if (const Pod* target = world_.find(sent.serial); target != nullptr) {
        sent.told = target->told;
        sent.told_finished = target->told_finished;
        sent.told_fail_index = target->told_fail_index;
      }
      send(std::move(sent), known);
    }
    if (decision.refresh_job) {
      tell_job(true, true);
    }
    if (decision.relist_pods) {
      list();
    }
  }

  void send(Write sent, const JobPointer& known) {
    sent.decided_on = known;
    world_.writes.push_back(std::move(sent));
  }

  // The server's part of a write.
  void carry_out(Write& write) {
    switch (write.kind) {
      case WriteKind::status:
        return carry_out_status(write);
      case WriteKind::create:
        return carry_out_create(write);
      case WriteKind::pod:
        return carry_out_pod(write);
    }
  }

  void carry_out_status(Write& write) {
    if (write.status->base_rv != world_.job->rv) {
      write.answer = ServerAnswer::conflict;
      return;
    }
    report(check_stored_status(world_, write.status->status));
    note_listed(world_, write);
    note_cut(world_, write.status->status);
    engine::JobView next = *world_.job;
    next.status = write.status->status;
    next.record = write.status->record.value_or(next.record);
    store_job(world_, std::move(next));
    write.answer = ServerAnswer::stored;
    write.stored_job = world_.job;
  }

  void carry_out_create(Write& write) {
    const engine::PodPlan& plan = write.create->plan;
    report(check_created(world_, write));
    Pod created;
    created.serial = world_.next_serial++;
    created.index = plan.index;
    created.created = world_.now;
    for (const auto& [key, value] : plan.annotations) {
      if (key == engine::kIndexFailureCountKey) {
        created.failures = engine::parse_failure_count(value);
      } else if (key == engine::kIndexIgnoredFailureCountKey) {
        created.ignored_failures = engine::parse_failure_count(value);
      }
    }
    if (!world_.config->starts_pending) {
      created.now.phase = engine::Phase::running;
      created.now.has_node = true;
    }
    created.unseen.push_back(created.now);
    write.answer = ServerAnswer::stored;
    write.serial = created.serial;
    write.stored_pod = created.now;
    world_.pods.push_back(std::move(created));
  }

  void carry_out_pod(Write& write) {
    Pod* target = world_.find(write.serial);
    if (target == nullptr || !target->in_store()) {
      write.answer = ServerAnswer::not_found;
      return;
    }
    if (write.pod->required_rv != 0 && write.pod->required_rv != target->now.rv) {
      write.answer = ServerAnswer::conflict;
      return;
    }
    PodVersion next = target->now;
    switch (write.pod->op) {
      case engine::PodOp::delete_pod:
        next.deleted_at = next.deleting ? next.deleted_at : world_.now;
        next.deleting = true;
        break;
      case engine::PodOp::release:
        report(check_released(world_, write, *target));
        next.has_finalizer = false;
        note_released(world_, write, *target);
        break;
      case engine::PodOp::drop:
        next.dropped = true;
        target->given_up = target->given_up || !engine::is_terminal(next.phase);
        break;
    }
    store_pod(world_, *target, next);
    write.answer = ServerAnswer::stored;
    write.stored_pod = target->now;
  }

  void arrive(uint8_t i) {
    const Write done = write(i);
    world_.writes.erase(world_.writes.begin() + i);
    if (done.answer == ServerAnswer::conflict || done.answer == ServerAnswer::not_found) {
      answer_error(done, done.answer == ServerAnswer::conflict ? engine::WriteError::conflict
                                                               : engine::WriteError::not_found);
      return sweep(world_);
    }
    if (done.kind == WriteKind::status) {
      note_job_told(done.stored_job->rv);
      world_.engine.status_written(*done.stored_job);
      return;
    }
    Pod* target = world_.find(done.serial);
    if (target == nullptr) {  // it is gone, and the watch was faster than the answer
      Pod vanished;
      vanished.serial = done.serial;
      vanished.index = done.kind == WriteKind::create ? done.create->plan.index : engine::kNoIndex;
      const engine::PodView view = pod_view(world_, vanished, done.stored_pod);
      return answer_pod(done, view);
    }
    const engine::PodView view = pod_view(world_, *target, done.stored_pod);
    PodVersion told = done.stored_pod;
    told.gone = false;  // the answer shows the object; that it is gone the watch tells
    if (!done.stored_pod.gone) {
      note_told(world_, *target, told);
    }
    answer_pod(done, view);
  }

  void answer_pod(const Write& done, const engine::PodView& view) {
    if (done.kind == WriteKind::create) {
      world_.engine.pod_created(done.create->id, view);
    } else {
      world_.engine.pod_written(done.pod->uid, &view);
    }
  }

  void fail_write(uint8_t i, engine::WriteError error) {
    const Write failed = write(i);
    world_.writes.erase(world_.writes.begin() + i);
    answer_error(failed, error);
  }

  void answer_error(const Write& failed, engine::WriteError error) {
    switch (failed.kind) {
      case WriteKind::status:
        return world_.engine.status_failed(error);
      case WriteKind::create:
        return world_.engine.create_failed(failed.create->id, error, "no");
      case WriteKind::pod:
        return world_.engine.pod_write_failed(failed.pod->uid, error, "no");
    }
  }

  void note_job_told(uint64_t rv) {
    std::erase_if(world_.unseen_job, [rv](const JobPointer& unseen) { return unseen->rv <= rv; });
  }

  void tell(Pod& pod, bool newest) {
    if (pod.unseen.empty()) {
      return;
    }
    const PodVersion version = newest ? pod.unseen.back() : pod.unseen.front();
    const std::string uid = pod_uid(pod.serial);
    const engine::PodView view = pod_view(world_, pod, version);
    note_told(world_, pod, version);
    if (version.gone) {
      world_.engine.observe_pod_gone(uid);
      sweep(world_);
    } else {
      world_.engine.observe_pod(view, world_.now);
    }
  }

  void tell_job(bool newest, bool asked = false) {
    if (world_.unseen_job.empty() && !asked) {
      return;
    }
    const JobPointer version = newest ? world_.job : world_.unseen_job.front();
    note_job_told(version->rv);
    world_.engine.observe_job(*version);
  }

  void list() {
    world_.engine.begin_list();
    for (Pod& pod : world_.pods) {
      if (pod.in_store()) {
        note_told(world_, pod, pod.now);
        world_.engine.observe_pod(pod_view(world_, pod, pod.now), world_.now);
      }
      pod.unseen.clear();
    }
    world_.engine.end_list();
    sweep(world_);
  }

  void restart_controller() {
    world_.writes.clear();
    world_.unseen_job.clear();
    world_.wake_at.reset();
    world_.finished_told = 0;
    world_.engine = engine::Engine(world_.config->options, *world_.job);
    for (Pod& pod : world_.pods) {
      pod.told_rv = 0;
    }
    list();
  }

  void edit(Edit edit) {
    engine::JobView next = *world_.job;
    const engine::JobSpec& first = world_.config->job.spec;
    switch (edit) {
      case Edit::suspend:
        next.spec.suspend = !next.spec.suspend;
        break;
      case Edit::parallelism:
        next.spec.parallelism = next.spec.parallelism == first.parallelism ? 1 : first.parallelism;
        break;
      case Edit::completions:
        next.spec.completions = *next.spec.completions == *first.completions
                                    ? *first.completions - 1
                                    : *first.completions;
        next.spec.parallelism = *next.spec.completions;
        break;
      case Edit::pause:
        next.spec.parallelism = next.spec.parallelism == 0 ? first.parallelism : 0;
        break;
      case Edit::delete_job:
        next.deleting = true;
        break;
    }
    ++next.generation;
    store_job(world_, std::move(next));
  }

  void happen(Pod& pod, Step step) {
    PodVersion next = pod.now;
    switch (step.kind) {
      case StepKind::start:
        next.phase = engine::Phase::running;
        next.has_node = true;
        break;
      case StepKind::succeed:
        end(next, {0, next.disrupted});
        next.phase = engine::Phase::succeeded;
        break;
      case StepKind::fail:
        if (!next.deleting) {
          --world_.budget.failures;
        }
        end(next, next.deleting ? world_.config->endings_after_deletion[step.b]
                                : world_.config->endings[step.b]);
        break;
      case StepKind::fail_unbound:
        next.phase = engine::Phase::failed;
        break;
      case StepKind::restart:
        --world_.budget.failures;
        ++next.restarts;
        break;
      case StepKind::remove:
      case StepKind::evict:
        --world_.budget.deletions;
        next.deleting = true;
        next.deleted_at = world_.now;
        next.disrupted = next.disrupted || step.kind == StepKind::evict;
        break;
      case StepKind::rob:
        --world_.budget.robberies;
        next.has_finalizer = false;
        note_robbed(world_, pod);
        break;
      default:
        CHECK(false, "every step is handled");
    }
    store_pod(world_, pod, next);
  }

  void end(PodVersion& pod, Ending ending) {
    pod.phase = engine::Phase::failed;
    pod.has_container = true;
    pod.exit_code = ending.exit_code;
    pod.disrupted = pod.disrupted || ending.disrupted;
    pod.finished = std::chrono::floor<seconds>(world_.now);  // as the API has it
  }

  ModelState& world_;
  std::vector<std::string>& broken_;
};

}  // namespace

uint32_t Step::packed() const {
  return static_cast<uint32_t>(kind) << 16 | static_cast<uint32_t>(a) << 8 | b;
}

Step Step::unpack(uint32_t packed) {
  return {static_cast<StepKind>(packed >> 16), static_cast<uint8_t>(packed >> 8),
          static_cast<uint8_t>(packed)};
}

void take(ModelState& model, Step step, std::vector<std::string>& broken) {
  Taking(model, broken).take(step);
}

}  // namespace windlass::verify::explorer
