#include "verify/simulation/history.h"

#include <algorithm>

namespace windlass::verify::simulation {
namespace {

IndexSet ended_indexes(const JobSnapshot& job) {
  IndexSet ended = job.completed_indexes;
  ended.insert(job.failed_indexes);
  return ended;
}

void note_cut(JobLife& life, const JobChange& change) {
  if (change.before == nullptr) {
    return;
  }
  const IndexSet now = ended_indexes(*change.after);
  ended_indexes(*change.before).for_each([&](int32_t index) {
    if (!now.contains(index)) {
      life.cut[index] = change.moment.at;
    }
  });
}

}  // namespace

void History::on_job(const JobChange& change) {
  const JobSnapshot& facts = change.after != nullptr ? *change.after : *change.before;
  JobLife& life = jobs_[facts.uid];
  if (change.before == nullptr) {
    life.created = change.moment.at;
  }
  life.exists = change.after != nullptr;
  life.now = facts;
  if (!life.exists) {
    return;
  }
  life.versions.emplace(facts.version, facts);
  if (facts.decided() && !life.decided) {
    life.decided = change.moment.at;
  }
  if (facts.finished() && !life.finished) {
    life.finished = change.moment.at;
  }
  note_cut(life, change);
  for (const std::string& uid : facts.uncounted_failed) {
    PodLife& pod = pods_[uid];
    pod.listed_early = pod.listed_early || (!pod.listed_failed && !pod.now.terminal());
    pod.listed_failed = true;
  }
  for (const std::string& uid : facts.uncounted_succeeded) {
    pods_[uid].listed_succeeded = true;
  }
}

void History::on_pod(const PodChange& change) {
  const PodSnapshot& facts = change.after != nullptr ? *change.after : *change.before;
  PodLife& life = pods_[facts.uid];
  if (change.before == nullptr) {
    life.created = change.moment.at;
  }
  life.exists = change.after != nullptr;
  life.now = facts;
  if (!life.exists) {
    life.gone = change.moment.at;
  }
  const bool begins_to_end = life.deleted_by.empty() && facts.deleting;
  if (begins_to_end) {
    life.deleted_first = !facts.terminal();
    life.deleted_by = change.writer.component.empty() ? "user" : change.writer.component;
  }
  if (facts.terminal() && !life.ended) {
    life.ended = change.moment.at;
    life.ended_as = facts.object;
  }
  if (!facts.job.empty()) {
    jobs_[facts.job].pods.insert(facts.uid);
  }
}

void History::on_node(const NodeSnapshot& node, bool exists, MonotonicTime at) {
  NodeLife& life = nodes_[node.name];
  // Until the taint is gone it is there.
  if (node.evicts || (life.exists && life.now.evicts)) {
    life.evicting = at;
  }
  life.now = node;
  life.exists = exists;
}

bool JobLife::is_cut(const PodLife& pod) const {
  const auto found = pod.now.index ? cut.find(*pod.now.index) : cut.end();
  return found != cut.end() && pod.created <= found->second;
}

void History::on_hollow_execution(Execution execution) {
  if (std::none_of(executions_.begin(), executions_.end(),
                   [&](const Execution& known) { return known.pod_uid == execution.pod_uid; })) {
    executions_.push_back(std::move(execution));
  }
}

void History::on_exit(const std::string& pod_uid, int exit_code) {
  const auto found =
      std::find_if(executions_.rbegin(), executions_.rend(), [&](const Execution& execution) {
        return execution.pod_uid == pod_uid && !execution.exit_code;
      });
  if (found != executions_.rend()) {
    found->exit_code = exit_code;
  }
}

void History::vandalise(const std::string& job_uid) {
  if (const auto found = jobs_.find(job_uid); found != jobs_.end()) {
    found->second.vandalised = true;
  }
}

const JobLife* History::job(const std::string& uid) const {
  const auto found = jobs_.find(uid);
  return found == jobs_.end() ? nullptr : &found->second;
}

const PodLife* History::pod(const std::string& uid) const {
  const auto found = pods_.find(uid);
  return found == pods_.end() ? nullptr : &found->second;
}

std::vector<const PodLife*> History::all_pods(const std::string& job_uid) const {
  std::vector<const PodLife*> pods;
  if (const JobLife* owner = job(job_uid)) {
    for (const std::string& uid : owner->pods) {
      if (const PodLife* life = pod(uid); life->now.job == job_uid) {
        pods.push_back(life);
      }
    }
  }
  return pods;
}

std::vector<const PodLife*> History::stored_pods(const std::string& job_uid) const {
  std::vector<const PodLife*> pods = all_pods(job_uid);
  std::erase_if(pods, [](const PodLife* life) { return !life->exists; });
  return pods;
}

}  // namespace windlass::verify::simulation
