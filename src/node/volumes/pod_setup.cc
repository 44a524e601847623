#include "node/volumes/pod_setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/quantity.h"
#include "node/volumes/volume_files.h"

namespace windlass::node {
namespace {

constexpr unsigned kSharedMode = 0777;
constexpr unsigned kGroupMode = 02777;  // what is made in it belongs to the group
constexpr unsigned kFilesMode = 0755;
constexpr unsigned kHostFileMode = 0644;
constexpr const char* kHosts = "/etc/hosts";
constexpr const char* kResolv = "/etc/resolv.conf";
constexpr size_t kMaxNetworkFile = 1024 * 1024;

// Only those that a container mounts matter.
std::vector<const VolumePlan*> mounted_volumes(const PodSpecView& spec) {
  std::set<std::string_view> names;
  for (const auto* list : {&spec.init_containers, &spec.containers}) {
    for (const ContainerSpecView& container : *list) {
      for (const MountPlan& mount : container.mounts) {
        names.insert(mount.volume);
      }
    }
  }
  std::vector<const VolumePlan*> mounted;
  for (const VolumePlan& volume : spec.volumes) {
    if (names.contains(volume.name)) {
      mounted.push_back(&volume);
    }
  }
  return mounted;
}

bool has_source(const VolumePlan& volume, FileSource::Kind kind) {
  return std::any_of(volume.sources.begin(), volume.sources.end(),
                     [kind](const FileSource& source) { return source.kind == kind; });
}

int64_t memory_in(const MilliAmounts& amounts) {
  constexpr int64_t kThousandths = 1000;
  constexpr int64_t kMostMemory = int64_t{1} << 46;  // of this many, a sum stays in range
  const auto memory = amounts.find("memory");
  return memory == amounts.end() ? 0 : std::min(memory->second / kThousandths, kMostMemory);
}

// What all containers that are there at a time may take; 0 when one of them has no limit.
int64_t memory_limit(const PodSpecView& spec) {
  int64_t sidecars = 0;
  int64_t starting = 0;
  bool all = true;
  for (const ContainerSpecView& container : spec.init_containers) {
    const int64_t limit = memory_in(container.limits);
    all = all && limit > 0;
    starting = std::max(starting, sidecars + limit);
    sidecars += container.sidecar ? limit : 0;
  }
  int64_t running = sidecars;
  for (const ContainerSpecView& container : spec.containers) {
    const int64_t limit = memory_in(container.limits);
    all = all && limit > 0;
    running += limit;
  }
  return all ? std::max(running, starting) : 0;
}

// The least of the volume's limit, the pod's and what the node has; 0 where there is none, which
// leaves it to the kernel.
uint64_t memory_size(const VolumePlan& volume, const PodSpecView& spec,
                     const MilliAmounts& allocatable) {
  const Result<Quantity> own = Quantity::parse(volume.size_limit);
  int64_t size = 0;
  for (const int64_t limit : {own ? own->value() : 0, memory_limit(spec), memory_in(allocatable)}) {
    size = limit > 0 && (size == 0 || limit < size) ? limit : size;
  }
  return static_cast<uint64_t>(size);
}

Failure mount_failed(const VolumePlan& volume, const std::string& why) {
  return fail(plain_error(
      fmt::format("MountVolume.SetUp failed for volume \"{}\" : {}", volume.name, why)));
}

}  // namespace

PodSetup::PodSetup(Host host, const PodSpecView& spec, std::string directory)
    : host_(host), spec_(spec), directory_(std::move(directory)) {}

void PodSetup::prepare(bool has_run, Done done) {
  read_objects([this, has_run, done = std::move(done)](const Result<void>& read) {
    done(read ? make_volumes(has_run) : read);
  });
}

void PodSetup::read_objects(Done done) {
  const std::set<ObjectName> names = named_objects(spec_);
  to_read_.assign(names.rbegin(), names.rend());
  reading_.clear();
  done_ = std::move(done);
  read_next();
}

void PodSetup::read_next() {
  if (to_read_.empty()) {
    objects_ = std::move(reading_);
    std::exchange(done_, nullptr)({});
    return;
  }
  const ObjectName& next = to_read_.back();
  const api::Kind& kind =
      next.kind == ObjectName::Kind::secret ? api::kinds::secret() : api::kinds::config_map();
  host_.api.get({&kind, spec_.ns, next.name}, self_.bind(&PodSetup::on_object));
}

void PodSetup::on_object(const Result<client::ObjectPtr>& object) {
  const ObjectName name = to_read_.back();
  to_read_.pop_back();
  if (object) {
    reading_.emplace(name, read_object(name.kind, **object));
  } else if (!is_not_found(object.error())) {
    to_read_.clear();
    std::exchange(done_, nullptr)(fail(object.error()));
    return;
  }
  read_next();
}

Result<void> PodSetup::make_network_files() {
  network_files_.clear();
  const auto of_machine = [this](const char* path) {
    return host_.files.read(path, kMaxNetworkFile).value_or(std::string());
  };
  if (!spec_.host_aliases.empty()) {
    TRY_VOID(make_network_file(kHosts, hosts_text(of_machine(kHosts), spec_.host_aliases)));
  }
  if (spec_.dns) {
    TRY_VOID(make_network_file(kResolv, resolv_text(of_machine(kResolv), *spec_.dns)));
  }
  return {};
}

Result<void> PodSetup::make_network_file(const std::string& target, const std::string& text) {
  if (!host_.support.mounts) {
    return fail(plain_error(
        "hostAliases and dnsConfig need a mount namespace, which this node does not have"));
  }
  // No volume has such a name.
  const std::string path = directory_ + "/.." + target.substr(target.rfind('/') + 1);
  TRY_VOID(host_.files.make_directory(directory_));
  TRY_VOID(host_.files.write(path, text, kHostFileMode));
  network_files_.push_back({path, target});
  return {};
}

Result<void> PodSetup::make_volumes(bool has_run) {
  TRY_VOID(make_network_files());
  for (const VolumePlan* volume : mounted_volumes(spec_)) {
    if (!host_.support.mounts) {
      return mount_failed(*volume, "this node has no mount namespaces");
    }
    auto made = make_volume(*volume, has_run);
    if (!made) {
      return mount_failed(*volume, made.error().message);
    }
    volumes_.insert_or_assign(volume->name, *std::move(made));
  }
  return {};
}

Result<VolumePlace> PodSetup::make_volume(const VolumePlan& volume, bool has_run) {
  const std::string path = directory_ + "/" + volume.name;
  switch (volume.kind) {
    case VolumePlan::Kind::empty_dir:
      if (volume.in_memory && host_.support.shared_memory) {
        return VolumePlace{spec_.uid + "/" + volume.name, false,
                           memory_size(volume, spec_, host_.facts.allocatable), spec_.fs_group};
      }
      TRY_VOID(host_.files.make_directory(path));
      hand_over(host_.files, path, spec_.fs_group);
      TRY_VOID(host_.files.set_mode(path, spec_.fs_group ? kGroupMode : kSharedMode));
      return VolumePlace{path, false};
    case VolumePlan::Kind::host_path:
      return check_host_path(volume);
    case VolumePlan::Kind::files: {
      if (!has_run) {
        TRY_VOID(host_.files.remove_tree(path));  // what an agent that died had begun
        if (const auto before = written_.extract(volume.name); !before.empty()) {
          written_bytes_ -= before.mapped().bytes;  // by an attempt that another volume failed
        }
        TRY_VOID(update_files(volume));
      }
      return VolumePlace{path, true};
    }
    case VolumePlan::Kind::unsupported:
      break;
  }
  return fail(plain_error(fmt::format("{} is not supported by this node", volume.text)));
}

Result<VolumePlace> PodSetup::check_host_path(const VolumePlan& volume) {
  const std::string& path = volume.text;
  const std::string& wanted = volume.path_type;
  using Type = env::Files::Type;
  Result<Type> type = host_.files.type(path);
  if (!type && wanted == "DirectoryOrCreate") {
    TRY_VOID(host_.files.make_directory(path));
    TRY_VOID(host_.files.set_mode(path, kFilesMode));
    type = Type::directory;
  } else if (!type && wanted == "FileOrCreate") {
    TRY_VOID(host_.files.write(path, "", kHostFileMode));
    type = Type::file;
  }
  if (!type) {
    return fail(type.error());
  }
  const std::pair<std::string_view, Type> known[] = {
      {"Directory", Type::directory}, {"DirectoryOrCreate", Type::directory},
      {"File", Type::file},           {"FileOrCreate", Type::file},
      {"Socket", Type::other},        {"CharDevice", Type::other},
      {"BlockDevice", Type::other},
  };
  for (const auto& [name, needed] : known) {
    if (wanted == name && *type != needed) {
      return fail(
          plain_error(fmt::format("hostPath type check failed: {} is not a {}", path, wanted)));
    }
  }
  return VolumePlace{path, false};
}

Result<void> PodSetup::update_files(const VolumePlan& volume) {
  const auto before = written_.find(volume.name);
  const size_t replaced = before == written_.end() ? 0 : before->second.bytes;
  TRY(const std::vector<VolumeFile> files,
      volume_files(spec_, volume, host_.facts, objects_,
                   kMaxVolumeBytes - (written_bytes_ - replaced)));
  Written now{hash_of(files), 0};
  for (const VolumeFile& file : files) {
    now.bytes += file.path.size() + file.content.size();
  }
  if (before != written_.end() && before->second.hash == now.hash) {
    return {};
  }
  TRY_VOID(publish_files(host_.files, directory_ + "/" + volume.name, files, spec_.fs_group));
  written_bytes_ += now.bytes - replaced;
  written_[volume.name] = now;
  return {};
}

Result<void> PodSetup::update_fields() {
  for (const VolumePlan* volume : mounted_volumes(spec_)) {
    if (volume->kind != VolumePlan::Kind::files ||
        !has_source(*volume, FileSource::Kind::downward)) {
      continue;
    }
    const Result<void> updated = update_files(*volume);
    if (!updated && !is_not_found(updated.error())) {
      return mount_failed(*volume, updated.error().message);
    }
  }
  return {};
}

void PodSetup::refresh(Done done) {
  read_objects([this, done = std::move(done)](const Result<void>& read) {
    Result<void> updated = read;
    for (const VolumePlan* volume : mounted_volumes(spec_)) {
      if (read && volume->kind == VolumePlan::Kind::files) {
        const Result<void> each = update_files(*volume);
        updated = each || is_not_found(each.error()) ? updated : each;
      }
    }
    done(updated);
  });
}

}  // namespace windlass::node
