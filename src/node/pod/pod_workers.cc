#include "node/pod/pod_workers.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace windlass::node {

PodWorkers::PodWorkers(WorkerHost host, std::function<void(const std::string& uid)> on_done)
    : host_(std::move(host)), on_done_(std::move(on_done)) {}

PodWorker& PodWorkers::add(const BoundPod& pod) {
  auto worker = std::make_unique<PodWorker>(host_, pod.spec, pod.seen,
                                            [this, uid = pod.spec.uid] { on_worker_done(uid); });
  return *workers_.emplace(pod.spec.uid, std::move(worker)).first->second;
}

void PodWorkers::on_worker_done(const std::string& uid) {
  if (ports_ != nullptr) {
    ports_->release(uid);
  }
  // The worker's own copy of the UID goes with it.
  const std::string done = uid;
  if (const auto found = workers_.find(done);
      found != workers_.end() && found->second->forgotten()) {
    workers_.erase(found);
  }
  on_done_(done);
}

void PodWorkers::take_ports(const PodSpecView& pod) {
  if (ports_ == nullptr || pod.needs.host_ports.empty()) {
    return;
  }
  MachinePorts::Holder holder{host_.config.node_name, pod.ns + "/" + pod.name,
                              pod.needs.host_ports};
  if (const auto conflict = ports_->conflict(holder)) {
    host_.events.warning({"v1", "Pod", pod.ns, pod.name, pod.uid, ""}, "HostPortConflict",
                         *conflict);
  }
  ports_->take(pod.uid, std::move(holder));
}

PodWorker* PodWorkers::find(const std::string& uid) const {
  const auto found = workers_.find(uid);
  return found == workers_.end() ? nullptr : found->second.get();
}

std::vector<PodWorker*> PodWorkers::live() const {
  std::vector<PodWorker*> live;
  for (const auto& [uid, worker] : workers_) {
    if (!worker->stopped()) {
      live.push_back(worker.get());
    }
  }
  return live;
}

bool PodWorkers::all_done() const {
  return std::all_of(workers_.begin(), workers_.end(),
                     [](const auto& entry) { return entry.second->done(); });
}

void PodWorkers::check() {
  for (const auto& [uid, worker] : workers_) {
    worker->check_storage();
    worker->reconcile();
  }
}

void PodWorkers::stop(Duration grace) {
  for (const auto& [uid, worker] : workers_) {
    worker->stop(grace);
  }
}

void PodWorkers::kill() {
  for (const auto& [uid, worker] : workers_) {
    worker->kill();
  }
}

}  // namespace windlass::node
