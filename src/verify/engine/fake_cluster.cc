#include "verify/engine/fake_cluster.h"

#include <algorithm>

#include "engine/status/conditions.h"
#include "verify/engine/recount.h"

namespace windlass::engine::testing {
namespace {

std::string metric_key(Metric metric, std::string_view a, std::string_view b) {
  return std::to_string(static_cast<int>(metric)) + "/" + std::string(a) + "/" + std::string(b);
}

std::string numbered_uid(int number) {
  std::string digits = std::to_string(number);
  return "00000000-0000-4000-8000-" + std::string(12 - digits.size(), '0') + digits;
}

std::string suffix_of(int number) {
  std::string digits = std::to_string(number);
  return std::string(5 - std::min<size_t>(5, digits.size()), 'x') + digits;
}

std::string describe(const PodView& pod) {
  static constexpr const char* kPhases[] = {"Pending", "Running", "Succeeded", "Failed", "Unknown"};
  std::string text = pod.name + " " + kPhases[static_cast<int>(pod.phase)];
  text += pod.has_finalizer ? " tracked" : " untracked";
  text += pod.deletion_time ? " deleting" : "";
  text += pod.dropped ? " dropped" : "";
  for (const ContainerView& container : pod.containers) {
    text += container.terminated ? " exit " + std::to_string(container.exit_code) : "";
  }
  return text + (pod.failure_count ? " failures " + *pod.failure_count : "");
}

std::string describe(const JobStatus& status) {
  std::string text = "active " + std::to_string(status.active) + " succeeded " +
                     std::to_string(status.succeeded) + " failed " + std::to_string(status.failed) +
                     " completed [" + status.completed_indexes.str() + "] failed [" +
                     status.failed_indexes.value_or("-").str() + "] uncounted " +
                     std::to_string(status.uncounted ? status.uncounted->succeeded.size() : 0) +
                     "/" + std::to_string(status.uncounted ? status.uncounted->failed.size() : 0);
  for (const Condition& condition : status.conditions) {
    text += " " + condition.type + (condition.status == ConditionStatus::is_true ? "" : "=False");
  }
  return text;
}

const char* describe(const FakeCluster::WriteFault& fault) {
  return !fault.error ? "" : fault.applied ? " (answer lost)" : " (refused)";
}

ContainerView& main_container(PodView& pod) {
  if (pod.containers.empty()) {
    pod.containers.push_back({});
    pod.containers.back().name = "main-container";
  }
  return pod.containers.front();
}

}  // namespace

JobView defaulted_job(int32_t parallelism, int32_t completions) {
  JobView job;
  job.uid = "7e57ab1e-0000-4000-8000-000000000001";
  job.namespace_name = "default";
  job.name = "work";
  job.generation = 1;
  job.spec.parallelism = parallelism;
  if (completions >= 0) {
    job.spec.completions = completions;
  }
  return job;
}

JobView indexed_job(int32_t parallelism, int32_t completions) {
  JobView job = defaulted_job(parallelism, completions);
  job.spec.mode = CompletionMode::indexed;
  return job;
}

FailureRule on_codes(Action action, std::vector<int32_t> codes, Operator op) {
  FailureRule rule;
  rule.action = action;
  rule.on_exit_codes = ExitCodes{std::nullopt, op, std::move(codes)};
  return rule;
}

FailureRule on_condition(Action action, std::string type, ConditionStatus status) {
  FailureRule rule;
  rule.action = action;
  rule.on_pod_conditions.push_back({std::move(type), status});
  return rule;
}

void set_policy(JobView& job, std::vector<FailureRule> rules) {
  job.spec.failure_policy = std::move(rules);
  job.spec.replace_only_failed = true;
}

FakeCluster::FakeCluster(JobView job, Options options)
    : job_(std::move(job)), options_(std::move(options)) {
  job_.rv = next_rv();
  restart_controller();
}

void FakeCluster::restart_controller(std::optional<Options> options) {
  options_ = options.value_or(options_);
  remembers_ = false;
  trace.emplace_back("controller starts");
  engine_.emplace(options_, job_);
  told_job_ = job_;
  doubtful_.reset();
  list_pods();
}

void FakeCluster::tell_job() {
  engine_->observe_job(job_);
  told_job_ = job_;
  doubtful_.reset();
}

void FakeCluster::list_pods() {
  engine_->begin_list();
  for (const auto& [name, pod] : pods_) {
    engine_->observe_pod(pod, now);
  }
  engine_->end_list();
  untold_.clear();
}

std::string FakeCluster::add_pod(PodView pod) {
  ++serial_;
  pod.name = pod.name.empty() ? "mypod-" + std::to_string(serial_ - 1) : pod.name;
  pod.uid = pod.uid.empty() ? numbered_uid(serial_) : pod.uid;
  pod.created = pod.created == Time() ? now : pod.created;
  pod.rv = next_rv();
  pods_[pod.name] = pod;
  trace.push_back("given: " + describe(pod));
  engine_->observe_pod(pod, now);
  check_state();
  return pod.name;
}

PodView& FakeCluster::stored_pod(const std::string& name) {
  return pods_.at(name);
}

std::vector<std::string> FakeCluster::pod_names() const {
  std::vector<std::string> names;
  for (const auto& [name, pod] : pods_) {
    names.push_back(name);
  }
  return names;
}

std::vector<std::string> FakeCluster::active_pods(int64_t index) const {
  std::vector<const PodView*> found;
  for (const auto& [name, pod] : pods_) {
    const bool wanted = index == kNoIndex || parse_index(pod.completion_index) == index;
    if (wanted && !is_terminal(pod.phase) && !pod.deletion_time) {
      found.push_back(&pod);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const PodView* a, const PodView* b) { return a->uid < b->uid; });
  std::vector<std::string> names;
  for (const PodView* pod : found) {
    names.push_back(pod->name);
  }
  return names;
}

void FakeCluster::update_job(const std::function<void(JobView&)>& change) {
  const bool replaced = job_.spec.replace_only_failed;
  change(job_);
  remembers_ = remembers_ || replaced != job_.spec.replace_only_failed;
  trace.push_back("job: parallelism " + std::to_string(job_.spec.parallelism) + " completions " +
                  std::to_string(job_.spec.completions.value_or(-1)) + " suspend " +
                  std::to_string(job_.spec.suspend) + " backoffLimit " +
                  std::to_string(job_.spec.backoff_limit));
  ++job_.generation;
  job_.rv = next_rv();
  tell_job();
  check_state();
}

void FakeCluster::update_status(const std::function<void(JobStatus&)>& change) {
  change(job_.status);
  job_.rv = next_rv();
  tell_job();
  check_state();
}

void FakeCluster::edit_record(std::string record) {
  remembers_ = true;
  trace.push_back("record: " + record);
  job_.record = std::move(record);
  job_.rv = next_rv();
  tell_job();
  check_state();
}

void FakeCluster::update_pod(const std::string& name, const std::function<void(PodView&)>& change) {
  PodView& pod = pods_.at(name);
  change(pod);
  pod.rv = next_rv();
  const PodView seen = pod;
  trace.push_back("pod: " + describe(pod));
  untold_.erase(name);
  if (remove_if_done(name)) {
    engine_->observe_pod_gone(seen.uid);
  } else {
    engine_->observe_pod(seen, now);
  }
  check_state();
}

void FakeCluster::run_pod(const std::string& name, bool ready) {
  update_pod(name, [&](PodView& pod) {
    pod.phase = Phase::running;
    pod.has_node = true;
    if (ready) {
      pod.conditions.push_back({"Ready", ConditionStatus::is_true, now});
    }
  });
}

void FakeCluster::succeed(const std::string& name) {
  update_pod(name, [&](PodView& pod) {
    pod.phase = Phase::succeeded;
    main_container(pod).terminated = true;
    main_container(pod).finished_at = now;
  });
}

void FakeCluster::fail(const std::string& name, int32_t exit_code) {
  update_pod(name, [&](PodView& pod) {
    pod.phase = Phase::failed;
    main_container(pod).terminated = true;
    main_container(pod).exit_code = exit_code;
    main_container(pod).finished_at = now;
  });
}

void FakeCluster::delete_pod(const std::string& name) {
  update_pod(name, [&](PodView& pod) { apply(pod, PodOp::delete_pod); });
}

void FakeCluster::remove_finalizer(const std::string& name) {
  remembers_ = remembers_ || is_terminal(pods_.at(name).phase) || pods_.at(name).deletion_time;
  update_pod(name, [](PodView& pod) { pod.has_finalizer = false; });
}

void FakeCluster::apply(PodView& pod, PodOp op) {
  switch (op) {
    case PodOp::delete_pod:
      if (!pod.deletion_time) {
        pod.deletion_grace_seconds = pod.has_node && !is_terminal(pod.phase) ? 30 : 0;
        pod.deletion_time = now + seconds(pod.deletion_grace_seconds);
      }
      break;
    case PodOp::release:
      pod.has_finalizer = false;
      break;
    case PodOp::drop:
      pod.dropped = true;
      break;
  }
}

bool FakeCluster::remove_if_done(const std::string& name) {
  const PodView& pod = pods_.at(name);
  const bool stopped = is_terminal(pod.phase) || !pod.has_node;
  if (!pod.deletion_time || pod.has_finalizer || !stopped) {
    return false;
  }
  pods_.erase(name);
  return true;
}

void FakeCluster::report(const std::vector<std::string>& what) {
  constexpr size_t kEnough = 20;
  for (const std::string& line : what) {
    if (broken.size() < kEnough) {
      broken.push_back(line);
    }
  }
}

void FakeCluster::check_state() {
  if (!check_oracle) {
    return;
  }
  std::vector<PodView> pods;
  for (const auto& [name, pod] : pods_) {
    if (!untold_.contains(name)) {
      pods.push_back(pod);
    }
  }
  Recount oracle = recount(options_, told_job_, pods);
  if (doubtful_) {
    // What was sent stays settled until the Job is seen: its indexes as if they were stored, and
    // the pods in its lists are kept for no index.
    JobView sent = told_job_;
    sent.status.completed_indexes = doubtful_->status.completed_indexes;
    sent.status.failed_indexes = doubtful_->status.failed_indexes;
    const Recount indexes = recount(options_, sent, pods);
    oracle.completed_indexes = indexes.completed_indexes;
    oracle.failed_indexes = indexes.failed_indexes;
    oracle.succeeded =
        job_.spec.mode == CompletionMode::indexed ? indexes.succeeded : oracle.succeeded;
    sent.status.uncounted = doubtful_->status.uncounted;
    sent.record = doubtful_->record.value_or(sent.record);
    const Recount kept = recount(options_, sent, pods);
    oracle.held = kept.held;
    for (const auto& [index, range] : kept.index_failures) {
      // Either may be what the store has.
      auto& [least, most] = oracle.index_failures[index];
      least = {std::min(least.counted, range.first.counted),
               std::min(least.ignored, range.first.ignored)};
      most = highest(most, range.second);
    }
  }
  report(differences(engine_->state(), oracle, remembers_));
}

bool FakeCluster::step() {
  last_ = engine_->decide(now);
  const int now_sent = static_cast<int>(last_.pod_writes.size() + last_.creates.size());
  writes.most_at_once = std::max(writes.most_at_once, now_sent);
  events.insert(events.end(), last_.events.begin(), last_.events.end());
  for (const MetricDelta& delta : last_.metrics) {
    metrics_[metric_key(delta.metric, delta.a, delta.b)] += delta.by;
  }
  if (last_.refresh_job) {
    tell_job();
  }
  if (last_.relist_pods) {
    list_pods();
  }
  report(check_decided(job_, last_));
  const Decision decision = last_;
  if (decision.status) {
    write_status(*decision.status);
  }
  for (const CreatePod& create : decision.creates) {
    create_pod(create);
  }
  for (const PodWrite& write : decision.pod_writes) {
    write_pod(write);
  }
  writes.rounds += decision.has_writes() ? 1 : 0;
  check_state();
  return decision.has_writes() || decision.refresh_job || decision.relist_pods;
}

void FakeCluster::run() {
  for (int n = 0; step(); ++n) {
    if (n == kMaxSteps) {
      report({"L2: the engine does not come to rest"});
      return;
    }
  }
}

void FakeCluster::advance(Duration by) {
  now += by;
  run();
}

bool FakeCluster::advance_to_wake() {
  if (!last_.wake_at) {
    return false;
  }
  now = std::max(now, *last_.wake_at);
  run();
  return true;
}

void FakeCluster::write_status(const StatusWrite& write) {
  const WriteFault fault = on_status ? on_status(write) : WriteFault{};
  const bool stale = write.base_rv != job_.rv;
  const JobView before = job_;
  trace.push_back("-> status: " + describe(write.status) + describe(fault));
  if (!stale && (!fault.error || fault.applied) && !fault.forgotten) {
    report(check_status(job_, options_, pods_, write.status));
    job_.status = write.status;
    job_.record = drops_records ? job_.record : write.record.value_or(job_.record);
    job_.rv = next_rv();
    ++writes.statuses;
  }
  if (fault.error == WriteError::unknown) {
    doubtful_ = write;
  }
  if (fault.error || stale) {
    engine_->status_failed(fault.error.value_or(WriteError::conflict));
  } else {
    engine_->status_written(job_);
    told_job_ = job_;
    if (fault.undone) {
      job_ = before;
      job_.rv = next_rv();
      engine_->observe_job(job_);
      told_job_ = job_;
    }
  }
}

void FakeCluster::create_pod(const CreatePod& create) {
  const WriteFault fault = on_create ? on_create(create) : WriteFault{};
  ++writes.create_calls;
  trace.push_back("-> create: index " + std::to_string(create.plan.index) + describe(fault));
  PodView pod;
  if (!fault.error || fault.applied) {
    report(check_create(job_, options_, pods_, create.plan));
    ++serial_;
    const std::string suffix = suffix_of(serial_);
    pod.name = create.plan.generate_name.substr(0, kMaxGenerateName) + suffix;
    pod.uid = numbered_uid(serial_);
    pod.created = now;
    pod.has_finalizer = true;
    pod.rv = next_rv();
    for (const auto& [key, value] : create.plan.annotations) {
      (key == kCompletionIndexKey     ? pod.completion_index
       : key == kIndexFailureCountKey ? pod.failure_count
                                      : pod.ignored_failure_count) = value;
    }
    pods_[pod.name] = pod;
    if (fault.error) {
      untold_.insert(pod.name);
    }
    plans.push_back(create.plan);
    ++writes.creates;
  }
  if (fault.error) {
    engine_->create_failed(create.id, *fault.error, "refused by test");
  } else {
    engine_->pod_created(create.id, pod);
  }
}

void FakeCluster::write_pod(const PodWrite& write) {
  const WriteFault fault = on_pod_write ? on_pod_write(write) : WriteFault{};
  const auto found = pods_.find(write.name);
  static constexpr const char* kOps[] = {"delete", "release", "drop"};
  trace.push_back(std::string("-> ") + kOps[static_cast<int>(write.op)] + ": " + write.name +
                  describe(fault));
  std::optional<WriteError> error = fault.error;
  if (found == pods_.end() || found->second.uid != write.uid) {
    error = error.value_or(WriteError::not_found);
  } else if (write.required_rv != 0 && write.required_rv != found->second.rv) {
    error = error.value_or(WriteError::conflict);
  }
  std::optional<PodView> after;
  if (found != pods_.end() && (!error || fault.applied)) {
    PodView& pod = found->second;
    if (write.op == PodOp::release) {
      report(check_release(job_, options_, pod));
    }
    apply(pod, write.op);
    pod.rv = next_rv();
    after = pod;
    (write.op == PodOp::delete_pod ? writes.deletes
     : write.op == PodOp::release  ? writes.releases
                                   : writes.drops) += 1;
    remove_if_done(write.name);
  }
  if (error) {
    engine_->pod_write_failed(write.uid, *error, "refused by test");
  } else {
    engine_->pod_written(write.uid, &*after);
  }
  // The watch tells, whatever became of the answer.
  if (after && !pods_.contains(write.name)) {
    engine_->observe_pod_gone(write.uid);
  } else if (after && error) {
    engine_->observe_pod(*after, now);
  }
}

bool FakeCluster::has(std::string_view condition) const {
  return has_true(job_.status, condition);
}

std::string FakeCluster::reason(std::string_view condition) const {
  const Condition* found = true_condition(job_.status, condition);
  return found == nullptr ? "" : found->reason;
}

std::string FakeCluster::message(std::string_view condition) const {
  const Condition* found = true_condition(job_.status, condition);
  return found == nullptr ? "" : found->message;
}

std::string FakeCluster::condition_types() const {
  std::string types;
  for (const Condition& condition : job_.status.conditions) {
    types += (types.empty() ? "" : ",") + condition.type;
  }
  return types;
}

int64_t FakeCluster::metric(Metric metric, std::string_view a, std::string_view b) const {
  const auto found = metrics_.find(metric_key(metric, a, b));
  return found == metrics_.end() ? 0 : found->second;
}

int FakeCluster::count_events(std::string_view reason) const {
  return static_cast<int>(std::count_if(
      events.begin(), events.end(), [&](const Event& event) { return event.reason == reason; }));
}

bool FakeCluster::has_event(std::string_view reason) const {
  return count_events(reason) > 0;
}

std::optional<Duration> FakeCluster::wakes_in() const {
  if (!last_.wake_at) {
    return std::nullopt;
  }
  return *last_.wake_at - now;
}

}  // namespace windlass::engine::testing
