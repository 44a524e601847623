#include "explorer/world.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "job/backoff.h"
#include "job/conditions.h"
#include "job/record.h"

namespace windlass::explorer {
namespace {

constexpr std::string_view kUidPrefix = "00000000-0000-4000-8000-";
constexpr std::string_view kDisruption = "DisruptionTarget";
constexpr int64_t kGraceSeconds = 30;

Time beginning() {
  return time_from_unix(1'800'000'000);
}

std::string padded(uint32_t number, size_t width, char fill) {
  std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), fill) + digits;
}

// 0.26 with 5.7 and 10.75, from what one version of a pod shows.
Told told_by(const World& world, const job::PodView& view, job::Action action) {
  if (view.phase == job::Phase::succeeded) {
    return Told::succeeded;
  }
  const bool stops = view.deletion_time.has_value();
  const bool succeeding = job::has_true(world.job->status, job::kTypeSuccessCriteriaMet);
  if (view.dropped || (succeeding && stops)) {
    return Told::nothing;
  }
  const bool failed = view.phase == job::Phase::failed || (stops && !world.replaces_only_failed());
  if (!failed) {
    return Told::nothing;
  }
  return action == job::Action::ignore ? Told::ignored : Told::failed;
}

}  // namespace

World::World(const Config& configuration)
    : config(&configuration),
      now(beginning()),
      job([&] {
        auto first = std::make_shared<job::JobView>(configuration.job);
        first->rv = 1;
        return first;
      }()),
      engine(configuration.options, *job),
      budget(configuration.budget) {
  const job::IndexCounts before = job::parse_record(job->record).counts;
  for (const auto& [index, entry] : before.entries()) {
    ended.insert(ended.end(), static_cast<size_t>(entry.failures.counted),
                 {index, Told::failed, false, Time(), false});
    ended.insert(ended.end(), static_cast<size_t>(entry.failures.ignored),
                 {index, Told::ignored, false, Time(), false});
  }
  engine.begin_list();
  engine.end_list();
}

Pod* World::find(uint32_t serial) {
  const auto found = std::find_if(pods.begin(), pods.end(),
                                  [serial](const Pod& pod) { return pod.serial == serial; });
  return found == pods.end() ? nullptr : &*found;
}

const Pod* World::find(uint32_t serial) const {
  return const_cast<World*>(this)->find(serial);
}

bool World::is_per_index() const {
  return config->job.spec.backoff_limit_per_index && config->options.gates.backoff_limit_per_index;
}

bool World::replaces_only_failed() const {
  return config->job.spec.replace_only_failed;
}

Match first_match(const World& world, const PodVersion& version) {
  const auto& rules = world.config->job.spec.failure_policy;
  if (!rules || !world.config->options.gates.pod_failure_policy) {
    return {};
  }
  for (size_t i = 0; i < rules->size(); ++i) {
    const job::FailureRule& rule = (*rules)[i];
    for (const job::ConditionPattern& pattern : rule.on_pod_conditions) {
      if (version.disrupted && pattern.type == kDisruption &&
          pattern.status == job::ConditionStatus::is_true) {
        return {rule.action, i, true};
      }
    }
    // What has not ended, and what has ended well, matches no list of exit codes, nor its opposite.
    if (!rule.on_exit_codes || !version.has_container || version.exit_code == 0) {
      continue;
    }
    const std::vector<int32_t>& codes = rule.on_exit_codes->values;
    const bool listed = std::count(codes.begin(), codes.end(), version.exit_code) > 0;
    if (listed == (rule.on_exit_codes->op == job::Operator::in)) {
      return {rule.action, i, false};
    }
  }
  return {};
}

std::string pod_uid(uint32_t serial) {
  return std::string(kUidPrefix) + padded(serial, 12, '0');
}

uint32_t pod_serial(std::string_view uid) {
  uint32_t serial = 0;
  if (uid.starts_with(kUidPrefix)) {
    uid.remove_prefix(kUidPrefix.size());
    std::from_chars(uid.data(), uid.data() + uid.size(), serial);
  }
  return serial;
}

std::string pod_name(const World& world, const Pod& pod) {
  return job::generate_name(world.job->name, pod.index) + padded(pod.serial, 5, 'x');
}

job::PodView pod_view(const World& world, const Pod& pod, const PodVersion& version) {
  job::PodView view;
  view.uid = pod_uid(pod.serial);
  view.name = pod_name(world, pod);
  view.rv = version.rv;
  view.phase = version.phase;
  view.created = pod.created;
  view.has_finalizer = version.has_finalizer;
  view.has_node = version.has_node;
  view.dropped = version.dropped;
  if (version.deleting) {
    view.deletion_grace_seconds = version.has_node ? kGraceSeconds : 0;
    view.deletion_time = version.deleted_at + seconds(view.deletion_grace_seconds);
  }
  if (pod.index != job::kNoIndex) {
    view.completion_index = std::to_string(pod.index);
  }
  if (pod.failures) {
    view.failure_count = std::to_string(*pod.failures);
  }
  if (pod.ignored_failures) {
    view.ignored_failure_count = std::to_string(*pod.ignored_failures);
  }
  if (version.disrupted) {
    view.conditions.push_back({std::string(kDisruption), job::ConditionStatus::is_true, {}});
  }
  if (version.has_container || version.restarts > 0) {
    job::ContainerView container;
    container.name = "main";
    container.terminated = version.has_container;
    container.exit_code = version.exit_code;
    container.restarts = version.restarts;
    if (version.has_container) {
      container.finished_at = version.finished;
    }
    view.containers.push_back(std::move(container));
  }
  return view;
}

job::testing::Pods stored_pods(const World& world) {
  job::testing::Pods pods;
  for (const Pod& pod : world.pods) {
    if (pod.in_store()) {
      job::PodView view = pod_view(world, pod, pod.now);
      pods.emplace(view.name, std::move(view));
    }
  }
  return pods;
}

void store_pod(World& world, Pod& pod, const PodVersion& changed) {
  CHECK(world.pods.size() <= kMaxPods, "a configuration stays small");
  const uint64_t rv = pod.now.rv + 1;
  pod.now = changed;
  pod.now.rv = rv;
  const bool stopped = job::is_terminal(pod.now.phase) || !pod.now.has_node;
  // F6: only a pod that is deleted, stopped and rid of its finalizer leaves.
  pod.now.gone = pod.now.deleting && !pod.now.has_finalizer && stopped;
  if (pod.unseen.size() >= kMaxUnseen) {
    pod.unseen.erase(pod.unseen.begin());
  }
  pod.unseen.push_back(pod.now);
  if (pod.now.phase == job::Phase::succeeded && pod.index >= 0) {
    world.witnessed |= uint64_t{1} << pod.index;
  }
}

void store_job(World& world, job::JobView changed) {
  changed.rv = world.job->rv + 1;
  world.job = std::make_shared<const job::JobView>(std::move(changed));
  if (world.unseen_job.size() >= kMaxUnseen) {
    world.unseen_job.erase(world.unseen_job.begin());
  }
  world.unseen_job.push_back(world.job);
}

void note_told(World& world, Pod& pod, const PodVersion& version) {
  const bool news = version.rv >= pod.told_rv;
  pod.told_rv = std::max(pod.told_rv, version.rv);
  std::erase_if(pod.unseen, [&](const PodVersion& unseen) { return unseen.rv <= version.rv; });
  // Once it is listed it counts as it is listed, whatever becomes of it (5.9).
  if (!news || version.gone || !version.has_finalizer || pod.listed_failed ||
      pod.listed_succeeded || pod.settled) {
    return;
  }
  const job::PodView view = pod_view(world, pod, version);
  const job::Action action = first_match(world, version).action;
  pod.told = told_by(world, view, action);
  const bool fails = pod.told == Told::failed;
  pod.told_finished = pod.told == Told::nothing ? Time() : job::finish_time(view);
  pod.told_fail_index = fails && action == job::Action::fail_index;
  pod.told_fail_job = fails && action == job::Action::fail_job;
}

void forget_index(World& world, int64_t index) {
  for (Ended& ended : world.ended) {
    ended.forgotten = ended.forgotten || ended.index == index;
  }
  for (Pod& pod : world.pods) {
    if (pod.index == index) {
      pod.settled = pod.forgotten = true;
    }
  }
}

void sweep(World& world) {
  for (const Pod& pod : world.pods) {
    if (pod.now.gone && pod.unseen.empty() && pod.told != Told::nothing && !pod.robbed) {
      world.ended.push_back(
          {pod.index, pod.told, pod.told_fail_index, pod.told_finished, pod.forgotten});
    }
  }
  std::erase_if(world.pods, [](const Pod& pod) { return pod.now.gone && pod.unseen.empty(); });
}

}  // namespace windlass::explorer
