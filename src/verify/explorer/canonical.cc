#include "verify/explorer/canonical.h"

#include <algorithm>
#include <array>

#include "verify/engine/fingerprint.h"

namespace windlass::verify::explorer {
namespace {

constexpr uint64_t kGone = 63;

uint64_t number(int64_t value) {
  return static_cast<uint64_t>(value);
}

class WorldFrame : public engine::Frame {
 public:
  explicit WorldFrame(const ModelState& model) : world_(model) {
    job_version = model.job->rv;
    generation = model.job->generation;
    now = model.now;
    start_time_matters = model.config->job.spec.active_deadline_seconds.has_value();
  }
  uint64_t pod(std::string_view uid) const override {
    const uint32_t serial = pod_serial(uid);
    for (size_t i = 0; i < order_.size(); ++i) {
      if (order_[i] == serial) {
        return i + 1;
      }
    }
    return kGone;
  }
  uint64_t pod_version(std::string_view uid) const override {
    const Pod* pod = world_.find(pod_serial(uid));
    return pod == nullptr ? 0 : pod->now.rv;
  }
  void set_order(std::vector<uint32_t> order) { order_ = std::move(order); }

 private:
  const ModelState& world_;
  std::vector<uint32_t> order_;
};

void add_version(const PodVersion& version, const PodVersion& newest, const engine::Frame& frame,
                 engine::Digest& out) {
  uint64_t flags = static_cast<uint64_t>(version.phase);
  for (const bool flag :
       {version.has_node, version.has_finalizer, version.dropped, version.deleting,
        version.disrupted, version.has_container, version.gone}) {
    flags = flags << 1 | (flag ? 1 : 0);
  }
  out.add(flags);
  out.add(newest.rv - version.rv);
  out.add(number(version.exit_code));
  out.add(number(version.restarts));
  out.add(version.has_container ? frame.age(version.finished) : 0);
  out.add(version.deleting ? frame.age(version.deleted_at) : 0);
}

uint64_t pod_key(const ModelState& model, const Pod& pod, const engine::Frame& frame) {
  engine::Digest out;
  add_version(pod.now, pod.now, frame, out);
  out.add(pod.unseen.size());
  for (const PodVersion& version : pod.unseen) {
    add_version(version, pod.now, frame, out);
  }
  out.add(number(pod.index));
  out.add(number(pod.failures.value_or(-1)));
  out.add(number(pod.ignored_failures.value_or(-1)));
  out.add(static_cast<uint64_t>(pod.told));
  out.add(pod.told == ReportedEnd::nothing ? 0 : frame.age(pod.told_finished));
  uint64_t flags = 0;
  for (const bool flag :
       {pod.told_fail_index, pod.told_fail_job, pod.listed_failed, pod.listed_succeeded, pod.robbed,
        pod.given_up, pod.settled, pod.forgotten}) {
    flags = flags << 1 | (flag ? 1 : 0);
  }
  out.add(flags);
  out.add(number(pod.told_rule));
  out.add(engine::Fingerprint::pod(model.engine, pod_uid(pod.serial), frame));
  return out.value();
}

void add_writes(const ModelState& model, const engine::Frame& frame, engine::Digest& out) {
  std::vector<uint64_t> keys;
  for (const Write& write : model.writes) {
    engine::Digest one;
    one.add(static_cast<uint64_t>(write.kind));
    one.add(static_cast<uint64_t>(write.answer));
    if (write.kind == WriteKind::create) {
      one.add(number(write.create->plan.index));
    }
    if (write.kind == WriteKind::pod) {
      one.add(static_cast<uint64_t>(write.pod->op));
      one.add(static_cast<uint64_t>(write.told) * 2 + (write.told_fail_index ? 1 : 0));
      one.add(write.told == ReportedEnd::nothing ? 0 : frame.age(write.told_finished));
    }
    if (write.serial != 0) {
      const std::string uid = pod_uid(write.serial);
      one.add(frame.pod(uid));
      one.add(write.answer == ServerAnswer::stored ? frame.pod_version(uid) - write.stored_pod.rv
                                                   : 0);
    }
    if (write.stored_job) {
      one.add(model.job->rv - write.stored_job->rv);
    }
    one.add(number(model.job->generation - write.decided_on->generation));
    keys.push_back(one.value());
  }
  // They may be answered in any order.
  std::sort(keys.begin(), keys.end());
  out.add(keys.size());
  for (const uint64_t key : keys) {
    out.add(key);
  }
}

void add_history(const ModelState& model, const engine::Frame& frame, engine::Digest& out) {
  std::vector<std::array<uint64_t, 3>> endings;
  for (const Ended& ended : model.ended) {
    endings.push_back({number(ended.index), frame.age(ended.finished),
                       number(ended.rule + 1) * 64 + static_cast<uint64_t>(ended.told) * 4 +
                           (ended.fail_index ? 2 : 0) + (ended.forgotten ? 1 : 0)});
  }
  std::sort(endings.begin(), endings.end());
  out.add(endings.size());
  for (const auto& ending : endings) {
    for (const uint64_t part : ending) {
      out.add(part);
    }
  }
  out.add(number(model.robbed_failures));
  out.add(number(model.robbed_successes));
  out.add(model.finished_told);
  out.add(model.witnessed);
  out.add(model.worked ? 1 : 0);
}

}  // namespace

StateKey key_of(const ModelState& model) {
  WorldFrame frame(model);
  std::vector<std::pair<uint64_t, uint32_t>> pods;
  for (const Pod& pod : model.pods) {
    pods.emplace_back(pod_key(model, pod, frame), pod.serial);
  }
  // Pods of a Job without indexes may change places; those of an index have theirs.
  if (model.config->job.spec.mode == engine::CompletionMode::non_indexed) {
    std::sort(pods.begin(), pods.end());
  }
  std::vector<uint32_t> order;
  engine::Digest out;
  for (const auto& [key, serial] : pods) {
    out.add(key);
    order.push_back(serial);
  }
  frame.set_order(std::move(order));
  engine::Fingerprint::job(*model.job, frame, out);
  out.add(model.unseen_job.size());
  for (const JobPointer& version : model.unseen_job) {
    engine::Fingerprint::job(*version, frame, out);
  }
  engine::Fingerprint::engine(model.engine, frame, out);
  add_writes(model, frame, out);
  out.add(frame.left(model.wake_at));
  add_history(model, frame, out);
  StateKey key;
  key.core = out.value();
  const FaultBudget& budget = model.budget;
  for (const uint8_t part : {budget.failures, budget.deletions, budget.faults, budget.crashes,
                             budget.delays, budget.stale, budget.edits, budget.robberies}) {
    out.add(part);
  }
  key.full = out.value();
  return key;
}

}  // namespace windlass::verify::explorer
