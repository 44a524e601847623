#include "node/volumes/storage_limits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity.h"

namespace windlass::node {
namespace {

uint64_t used_by(const std::map<std::string, uint64_t>& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? 0 : found->second;
}

bool is_above(uint64_t use, const Quantity& limit) {
  return limit.sign() >= 0 && use > static_cast<uint64_t>(limit.value());
}

// Nothing where there is no such text, or none that can be read.
std::optional<Quantity> quantity(const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const Result<Quantity> parsed = Quantity::parse(text);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

template <class Visit>
void for_each_container(const PodSpecView& spec, Visit visit) {
  for (const auto* list : {&spec.init_containers, &spec.containers}) {
    for (const ContainerSpecView& container : *list) {
      visit(container);
    }
  }
}

std::optional<Quantity> sum_of(std::optional<Quantity> a, const std::optional<Quantity>& b) {
  if (a && b) {
    a->add(*b);
  }
  return a ? a : b;
}

std::optional<Quantity> larger_of(const std::optional<Quantity>& a,
                                  const std::optional<Quantity>& b) {
  return !a || (b && *a < *b) ? b : a;
}

// What may be there at a time: all containers with the sidecars, or an init container with the
// sidecars before it.
std::optional<Quantity> limit_of_all(const PodSpecView& spec) {
  std::optional<Quantity> sidecars;
  std::optional<Quantity> starting;
  for (const ContainerSpecView& container : spec.init_containers) {
    const std::optional<Quantity> with = sum_of(sidecars, quantity(container.storage_limit));
    starting = larger_of(starting, with);
    sidecars = container.sidecar ? with : sidecars;
  }
  std::optional<Quantity> running = sidecars;
  for (const ContainerSpecView& container : spec.containers) {
    running = sum_of(running, quantity(container.storage_limit));
  }
  return larger_of(running, starting);
}

}  // namespace

StorageUse measure_storage(env::Files& files, const PodFiles& pod_files, const PodSpecView& spec) {
  StorageUse use;
  const auto add = [&](const std::string& path, uint64_t& bytes) {
    const auto size = files.tree_size(path).value_or(env::Files::TreeSize());
    bytes += size.bytes;
    use.entries += size.entries;
  };
  add(pod_files.work_dir(), use.work);
  for (const VolumePlan& volume : spec.volumes) {
    if (volume.kind == VolumePlan::Kind::empty_dir) {
      add(pod_files.volumes_dir() + "/" + volume.name, use.empty_dirs[volume.name]);
    }
  }
  for_each_container(spec, [&](const ContainerSpecView& container) {
    add(pod_files.log_directory(container.name), use.logs[container.name]);
    add(pod_files.layer_directory(container.name), use.logs[container.name]);
  });
  return use;
}

bool has_storage_limits(const PodSpecView& spec) {
  bool any = std::any_of(spec.volumes.begin(), spec.volumes.end(),
                         [](const VolumePlan& volume) { return !volume.size_limit.empty(); });
  for_each_container(spec, [&any](const ContainerSpecView& container) {
    any = any || !container.storage_limit.empty();
  });
  return any;
}

std::optional<std::string> exceeded_limit(const PodSpecView& spec, const StorageUse& use) {
  uint64_t all = use.work;
  for (const VolumePlan& volume : spec.volumes) {
    const uint64_t used = used_by(use.empty_dirs, volume.name);
    all += used;
    const auto limit = quantity(volume.size_limit);
    if (limit && limit->sign() > 0 && is_above(used, *limit)) {
      return fmt::format("Usage of EmptyDir volume \"{}\" exceeds the limit \"{}\". ", volume.name,
                         limit->to_string());
    }
  }
  for (const auto& [container, bytes] : use.logs) {
    all += bytes;
  }
  if (const auto limit = limit_of_all(spec); limit && is_above(all, *limit)) {
    return fmt::format(
        "Pod ephemeral local storage usage exceeds the total limit of containers {}. ",
        limit->to_string());
  }
  const uint64_t own = spec.containers.size() == 1 ? use.work : 0;
  std::optional<std::string> message;
  for_each_container(spec, [&](const ContainerSpecView& container) {
    const auto limit = quantity(container.storage_limit);
    if (!message && limit && is_above(own + used_by(use.logs, container.name), *limit)) {
      message = fmt::format("Container {} exceeded its local ephemeral storage limit \"{}\". ",
                            container.name, limit->to_string());
    }
  });
  return message;
}

}  // namespace windlass::node
