#include "node/pressure/pressure_eviction.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/quantity.h"

namespace windlass::node {
namespace {

using pressure::Candidate;
using pressure::EvictionSignal;
using pressure::Threshold;

constexpr int64_t kUnitInMilli = 1000;

uint64_t capacity_of(const AgentConfig& config, const char* resource) {
  const auto found = config.capacity.find(resource);
  if (found == config.capacity.end()) {
    return 0;
  }
  const Result<Quantity> amount = Quantity::parse(found->second);
  return amount && amount->sign() > 0 ? static_cast<uint64_t>(amount->value()) : 0;
}

uint64_t request_of(const ContainerSpecView& container, const char* resource) {
  const auto found = container.requests.find(resource);
  return found == container.requests.end() || found->second < 0
             ? 0
             : static_cast<uint64_t>(found->second / kUnitInMilli);
}

// Of the run "<pod uid>/<container>/<attempt>".
bool is_run_of(const std::string& run, const std::string& uid) {
  return run.size() > uid.size() && run.starts_with(uid) && run[uid.size()] == '/';
}

env::ResourceLevel within(const std::optional<env::ResourceLevel>& machine, uint64_t own,
                          uint64_t used) {
  const uint64_t left = own - std::min(own, used);
  return {machine ? std::min(machine->available, left) : left, own};
}

uint64_t all_bytes(const StorageUse& use) {
  uint64_t bytes = use.work;
  for (const auto* amounts : {&use.empty_dirs, &use.logs}) {
    for (const auto& [name, amount] : *amounts) {
      bytes += amount;
    }
  }
  return bytes;
}

}  // namespace

PressureEviction::PressureEviction(Host host, const AgentConfig& config)
    : host_(std::move(host)),
      config_(config),
      memory_(capacity_of(config, "memory")),
      disk_(capacity_of(config, "ephemeral-storage")),
      tracker_(config.pressure) {}

PressureEviction::~PressureEviction() {
  host_.executor.cancel(timer_);
}

void PressureEviction::start() {
  if (!config_.pressure.thresholds.empty()) {
    look();
  }
}

void PressureEviction::look_after(Duration delay) {
  timer_ = host_.executor.schedule(delay, [this] {
    timer_ = env::TimerId::none;
    look();
  });
}

void PressureEviction::look() {
  const pressure::ResourceLevels found = levels({});
  const auto is_low = [&found](const Threshold& threshold) {
    return pressure::missing(threshold, found) > 0;
  };
  const auto& thresholds = config_.pressure.thresholds;
  const bool share = has_share_of(host_.host_resources.look(config_.data_dir).memory, memory_);
  if (share || std::any_of(thresholds.begin(), thresholds.end(), is_low)) {
    host_.containers.use(self_.bind(&PressureEviction::judge));
  } else {
    judge({});
  }
}

// A disk counts in blocks, a capacity in Ki.
bool PressureEviction::has_share_of(const std::optional<env::ResourceLevel>& machine,
                                    uint64_t own) const {
  constexpr uint64_t kRounding = 1024;
  return own > 0 && (!machine || own + kRounding < machine->capacity);
}

pressure::ResourceLevels PressureEviction::levels(const Uses& uses) const {
  const env::HostResourceLevels machine = host_.host_resources.look(config_.data_dir);
  pressure::ResourceLevels found;
  for (const auto& [signal, level] : {std::pair(EvictionSignal::memory, &machine.memory),
                                      std::pair(EvictionSignal::disk, &machine.disk),
                                      std::pair(EvictionSignal::inodes, &machine.inodes),
                                      std::pair(EvictionSignal::pids, &machine.pids)}) {
    if (*level) {
      found[signal] = **level;
    }
  }
  if (has_share_of(machine.memory, memory_)) {
    uint64_t used = 0;
    for (const env::ContainerUse& use : uses) {
      used += use.memory_bytes;
    }
    found[EvictionSignal::memory] = within(machine.memory, memory_, used);
  }
  if (has_share_of(machine.disk, disk_)) {
    uint64_t used = 0;
    for (const PodWorker* pod : host_.pods()) {
      used += all_bytes(pod->storage_use());
    }
    found[EvictionSignal::disk] = within(machine.disk, disk_, used);
  }
  return found;
}

void PressureEviction::judge(const Uses& uses) {
  const pressure::Conditions before = tracker_.conditions();
  tracker_.observe(host_.clock.monotonic(), levels(uses));
  if (tracker_.conditions() != before) {
    host_.on_conditions(tracker_.conditions());
  }
  const Threshold* due = tracker_.due();
  if (due == nullptr || !act(*due, uses)) {
    look_after(config_.pressure.period);
  }
}

bool PressureEviction::act(const Threshold& threshold, const Uses& uses) {
  host_.on_short(pressure::resource_name(threshold.signal));
  const bool disk =
      threshold.signal == EvictionSignal::disk || threshold.signal == EvictionSignal::inodes;
  const bool reclaimed = disk && host_.reclaim_disk();
  const pressure::ResourceLevels now = levels(uses);
  const uint64_t missing = pressure::missing(threshold, now);
  if (missing == 0) {
    return false;
  }
  if (reclaimed) {
    look_after(kReclaimLook);  // perhaps no pod has to go
    return true;
  }
  std::map<std::string, PodWorker*> pods;
  std::vector<Candidate> candidates;
  for (PodWorker* pod : host_.pods()) {
    if (!pod->ending()) {
      pods.emplace(pod->spec().uid, pod);
      candidates.push_back(candidate(*pod, threshold.signal, uses));
    }
  }
  const std::vector<Candidate> order =
      pressure::in_order_of_eviction(threshold.signal, std::move(candidates), missing);
  if (order.empty()) {
    return false;
  }
  evict(*pods.at(order.front().uid), order.front(), threshold, now.at(threshold.signal));
  return true;
}

void PressureEviction::evict(PodWorker& victim, const Candidate& shares, const Threshold& threshold,
                             const env::ResourceLevel& level) {
  const Duration grace = threshold.hard() ? kHardGrace : config_.pressure.max_pod_grace;
  victim.evict(pressure::eviction_message(threshold, level, shares), grace,
               ForcedEnd::Kind::disruption);
  wait_for(shares.uid, kMaxVictimLooks);
}

void PressureEviction::wait_for(const std::string& victim, int looks_left) {
  timer_ = host_.executor.schedule(kVictimLook, [this, victim, looks_left] {
    timer_ = env::TimerId::none;
    const std::vector<PodWorker*> pods = host_.pods();
    const bool there = std::any_of(pods.begin(), pods.end(), [&victim](const PodWorker* pod) {
      return pod->spec().uid == victim;
    });
    if (there && looks_left > 0) {
      wait_for(victim, looks_left - 1);
    } else {
      look();
    }
  });
}

Candidate PressureEviction::candidate(const PodWorker& pod, EvictionSignal signal,
                                      const Uses& uses) const {
  const PodSpecView& spec = pod.spec();
  Candidate found{spec.uid, spec.priority, 0, 0, {}};
  const bool disk = signal == EvictionSignal::disk || signal == EvictionSignal::inodes;
  const StorageUse storage = disk ? pod.storage_use() : StorageUse();
  if (signal == EvictionSignal::disk) {
    found.used = all_bytes(storage);
  } else if (signal == EvictionSignal::inodes) {
    found.used = storage.entries;
  }
  const bool counted = signal == EvictionSignal::memory || signal == EvictionSignal::disk;
  for (const auto* list : {&spec.init_containers, &spec.containers}) {
    for (const ContainerSpecView& container : *list) {
      pressure::ContainerShare share{container.name, 0, 0};
      const char* resource = signal == EvictionSignal::memory ? "memory" : "ephemeral-storage";
      share.requested = counted ? request_of(container, resource) : 0;
      if (disk) {
        const auto own = storage.logs.find(container.name);
        share.used = (own == storage.logs.end() ? 0 : own->second) +
                     (spec.containers.size() == 1 ? storage.work : 0);
      }
      for (const env::ContainerUse& use : uses) {
        if (!disk && is_run_of(use.id, spec.uid + "/" + container.name)) {
          share.used += signal == EvictionSignal::memory ? use.memory_bytes : use.processes;
        }
      }
      found.used += disk ? 0 : share.used;
      found.requested += share.requested;
      found.containers.push_back(std::move(share));
    }
  }
  return found;
}

}  // namespace windlass::node
