#include "node/pod_files.h"

#include <fmt/format.h>

namespace windlass::node {
namespace {

void remove_or_warn(env::Files& files, env::Log& log, const std::string& path) {
  if (const Result<void> removed = files.remove_tree(path); !removed) {
    log.warning("a pod's files cannot be removed",
                {{"path", path}, {"error", removed.error().message}});
  }
}

}  // namespace

PodFiles::PodFiles(env::Files& files, env::Log& log, const std::string& data_dir,
                   const std::string& ns, const std::string& name, const std::string& uid)
    : files_(files),
      log_(log),
      work_dir_(fmt::format("{}/pods/{}", data_dir, uid)),
      volumes_dir_(fmt::format("{}/volumes/{}", data_dir, uid)),
      layers_dir_(fmt::format("{}/layers/{}", data_dir, uid)),
      log_dir_(fmt::format("{}/logs/{}_{}_{}", data_dir, ns, name, uid)) {}

Result<void> PodFiles::make(const std::vector<std::string>& container_names) {
  TRY_VOID(files_.make_directory(work_dir_));
  for (const std::string& name : container_names) {
    TRY_VOID(files_.make_directory(log_dir_ + "/" + name));
  }
  return {};
}

std::string PodFiles::layer_directory(std::string_view container) const {
  return fmt::format("{}/{}", layers_dir_, container);
}

std::string PodFiles::log_directory(std::string_view container) const {
  return fmt::format("{}/{}", log_dir_, container);
}

std::string PodFiles::log_path(std::string_view container, int restart) const {
  return fmt::format("{}/{}.log", log_directory(container), restart);
}

void PodFiles::remove_work() {
  remove_or_warn(files_, log_, work_dir_);
  remove_or_warn(files_, log_, volumes_dir_);
  remove_or_warn(files_, log_, layers_dir_);
}

void PodFiles::remove_logs() {
  remove_or_warn(files_, log_, log_dir_);
}

void remove_leftover_files(env::Files& files, env::Log& log, const std::string& data_dir,
                           const std::function<bool(const std::string& uid)>& runs,
                           const std::function<bool(const std::string& uid)>& exists) {
  for (const char* folder : {"/pods", "/volumes", "/layers"}) {
    const std::string work = data_dir + folder;
    for (const std::string& uid : files.list(work).value_or(std::vector<std::string>())) {
      if (!runs(uid)) {
        remove_or_warn(files, log, work + "/" + uid);
      }
    }
  }
  const std::string logs = data_dir + "/logs";
  for (const std::string& name : files.list(logs).value_or(std::vector<std::string>())) {
    if (!exists(name.substr(name.rfind('_') + 1))) {  // namespace_name_uid; none has a _ in it
      remove_or_warn(files, log, logs + "/" + name);
    }
  }
}

}  // namespace windlass::node
