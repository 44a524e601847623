#include "verify/explorer/model_state.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"
#include "engine/policy/backoff.h"
#include "engine/state/record.h"
#include "engine/status/conditions.h"

namespace windlass::verify::explorer {
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
ReportedEnd told_by(const ModelState& model, const engine::PodView& view, engine::Action action) {
  if (view.phase == engine::Phase::succeeded) {
    return ReportedEnd::succeeded;
  }
  const bool stops = view.deletion_time.has_value();
  const bool succeeding = engine::has_true(model.job->status, engine::kTypeSuccessCriteriaMet);
  if (view.dropped || (succeeding && stops)) {
    return ReportedEnd::nothing;
  }
  const bool failed =
      view.phase == engine::Phase::failed || (stops && !model.replaces_only_failed());
  if (!failed) {
    return ReportedEnd::nothing;
  }
  return action == engine::Action::ignore ? ReportedEnd::ignored : ReportedEnd::failed;
}

}  // namespace

ModelState::ModelState(const ExplorerConfig& configuration)
    : config(&configuration),
      now(beginning()),
      job([&] {
        auto first = std::make_shared<engine::JobView>(configuration.job);
        first->rv = 1;
        return first;
      }()),
      engine(configuration.options, *job),
      budget(configuration.budget) {
  const engine::IndexCounts before = engine::parse_record(job->record).counts;
  for (const auto& [index, entry] : before.entries()) {
    ended.insert(ended.end(), static_cast<size_t>(entry.failures.counted),
                 {index, ReportedEnd::failed, false, Time(), false, -1});
    ended.insert(ended.end(), static_cast<size_t>(entry.failures.ignored),
                 {index, ReportedEnd::ignored, false, Time(), false, -1});
  }
  engine.begin_list();
  engine.end_list();
}

Pod* ModelState::find(uint32_t serial) {
  const auto found = std::find_if(pods.begin(), pods.end(),
                                  [serial](const Pod& pod) { return pod.serial == serial; });
  return found == pods.end() ? nullptr : &*found;
}

const Pod* ModelState::find(uint32_t serial) const {
  return const_cast<ModelState*>(this)->find(serial);
}

bool ModelState::is_per_index() const {
  return config->job.spec.backoff_limit_per_index && config->options.gates.backoff_limit_per_index;
}

bool ModelState::replaces_only_failed() const {
  return config->job.spec.replace_only_failed;
}

Match first_match(const ModelState& model, const PodVersion& version) {
  const auto& rules = model.config->job.spec.failure_policy;
  if (!rules || !model.config->options.gates.pod_failure_policy) {
    return {};
  }
  for (size_t i = 0; i < rules->size(); ++i) {
    const engine::FailureRule& rule = (*rules)[i];
    for (const engine::ConditionPattern& pattern : rule.on_pod_conditions) {
      if (version.disrupted && pattern.type == kDisruption &&
          pattern.status == engine::ConditionStatus::is_true) {
        return {rule.action, i, true};
      }
    }
    // What has not ended, and what has ended well, matches no list of exit codes, nor its opposite.
    if (!rule.on_exit_codes || !version.has_container || version.exit_code == 0) {
      continue;
    }
    const std::vector<int32_t>& codes = rule.on_exit_codes->values;
    const bool listed = std::count(codes.begin(), codes.end(), version.exit_code) > 0;
    if (listed == (rule.on_exit_codes->op == engine::Operator::in)) {
      return {rule.action, i, false};
    }
  }
  return {};
}

std::vector<Ended> told_endings(const ModelState& model) {
  std::vector<Ended> endings = model.ended;
  for (const Pod& pod : model.pods) {
    if (pod.told != ReportedEnd::nothing) {
      endings.push_back({pod.index, pod.told, pod.told_fail_index, pod.told_finished, pod.forgotten,
                         pod.told_rule});
    }
  }
  return endings;
}

bool is_past_budget(const ModelState& model, size_t rule, const std::vector<Ended>& endings) {
  const auto& rules = model.config->job.spec.failure_policy;
  if (!rules || !(*rules)[rule].limits || !(*rules)[rule].limits->budget) {
    return false;
  }
  const engine::RuleLimits& limits = *(*rules)[rule].limits;
  Time last_success;
  for (const Ended& ended : endings) {
    const bool succeeded = ended.told == ReportedEnd::succeeded;
    last_success = succeeded ? std::max(last_success, ended.finished) : last_success;
  }
  std::vector<Time> failures;
  for (const Ended& ended : endings) {
    const bool old = limits.reset_on_success && ended.finished <= last_success;
    if (ended.told != ReportedEnd::succeeded && ended.rule == static_cast<int8_t>(rule) && !old) {
      failures.push_back(ended.finished);
    }
  }
  const auto is_crowded_from = [&](Time from) {
    return std::count_if(failures.begin(), failures.end(), [&](Time at) {
             return at >= from && (!limits.window || at < from + *limits.window);
           }) > *limits.budget;
  };
  return std::any_of(failures.begin(), failures.end(), is_crowded_from);
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

std::string pod_name(const ModelState& model, const Pod& pod) {
  return engine::generate_name(model.job->name, pod.index) + padded(pod.serial, 5, 'x');
}

engine::PodView pod_view(const ModelState& model, const Pod& pod, const PodVersion& version) {
  engine::PodView view;
  view.uid = pod_uid(pod.serial);
  view.name = pod_name(model, pod);
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
  if (pod.index != engine::kNoIndex) {
    view.completion_index = std::to_string(pod.index);
  }
  if (pod.failures) {
    view.failure_count = std::to_string(*pod.failures);
  }
  if (pod.ignored_failures) {
    view.ignored_failure_count = std::to_string(*pod.ignored_failures);
  }
  if (version.disrupted) {
    view.conditions.push_back({std::string(kDisruption), engine::ConditionStatus::is_true, {}});
  }
  if (version.has_container || version.restarts > 0) {
    engine::ContainerView container;
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

engine::testing::Pods stored_pods(const ModelState& model) {
  engine::testing::Pods pods;
  for (const Pod& pod : model.pods) {
    if (pod.in_store()) {
      engine::PodView view = pod_view(model, pod, pod.now);
      pods.emplace(view.name, std::move(view));
    }
  }
  return pods;
}

void store_pod(ModelState& model, Pod& pod, const PodVersion& changed) {
  CHECK(model.pods.size() <= kMaxPods, "a configuration stays small");
  const uint64_t rv = pod.now.rv + 1;
  pod.now = changed;
  pod.now.rv = rv;
  const bool stopped = engine::is_terminal(pod.now.phase) || !pod.now.has_node;
  // F6: only a pod that is deleted, stopped and rid of its finalizer leaves.
  pod.now.gone = pod.now.deleting && !pod.now.has_finalizer && stopped;
  if (pod.unseen.size() >= kMaxUnseen) {
    pod.unseen.erase(pod.unseen.begin());
  }
  pod.unseen.push_back(pod.now);
  if (pod.now.phase == engine::Phase::succeeded && pod.index >= 0) {
    model.witnessed |= uint64_t{1} << pod.index;
  }
}

void store_job(ModelState& model, engine::JobView changed) {
  changed.rv = model.job->rv + 1;
  model.job = std::make_shared<const engine::JobView>(std::move(changed));
  if (model.unseen_job.size() >= kMaxUnseen) {
    model.unseen_job.erase(model.unseen_job.begin());
  }
  model.unseen_job.push_back(model.job);
}

void note_told(ModelState& model, Pod& pod, const PodVersion& version) {
  const bool news = version.rv >= pod.told_rv;
  pod.told_rv = std::max(pod.told_rv, version.rv);
  std::erase_if(pod.unseen, [&](const PodVersion& unseen) { return unseen.rv <= version.rv; });
  // Once it is listed it counts as it is listed, whatever becomes of it (5.9).
  if (!news || version.gone || !version.has_finalizer || pod.listed_failed ||
      pod.listed_succeeded || pod.settled) {
    return;
  }
  const engine::PodView view = pod_view(model, pod, version);
  const Match match = first_match(model, version);
  const engine::Action action = match.action;
  pod.told = told_by(model, view, action);
  const bool fails = pod.told == ReportedEnd::failed;
  pod.told_finished = pod.told == ReportedEnd::nothing ? Time() : engine::finish_time(view);
  pod.told_fail_index = fails && action == engine::Action::fail_index;
  pod.told_fail_job = fails && action == engine::Action::fail_job;
  const bool by_rule = action != engine::Action::none && pod.told != ReportedEnd::succeeded &&
                       pod.told != ReportedEnd::nothing;
  pod.told_rule = by_rule ? static_cast<int8_t>(match.rule) : int8_t{-1};
}

void forget_index(ModelState& model, int64_t index) {
  for (Ended& ended : model.ended) {
    ended.forgotten = ended.forgotten || ended.index == index;
  }
  for (Pod& pod : model.pods) {
    if (pod.index == index) {
      pod.settled = pod.forgotten = true;
    }
  }
}

void sweep(ModelState& model) {
  for (const Pod& pod : model.pods) {
    if (pod.now.gone && pod.unseen.empty() && pod.told != ReportedEnd::nothing && !pod.robbed) {
      model.ended.push_back({pod.index, pod.told, pod.told_fail_index, pod.told_finished,
                             pod.forgotten, pod.told_rule});
    }
  }
  std::erase_if(model.pods, [](const Pod& pod) { return pod.now.gone && pod.unseen.empty(); });
}

}  // namespace windlass::verify::explorer
