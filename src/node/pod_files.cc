#include "node/pod_files.h"

#include <fmt/format.h>

namespace windlass::node {

PodFiles::PodFiles(env::Files& files, env::Log& log, const std::string& data_dir,
                   const std::string& ns, const std::string& name, const std::string& uid)
    : files_(files),
      log_(log),
      work_dir_(fmt::format("{}/pods/{}", data_dir, uid)),
      log_dir_(fmt::format("{}/logs/{}_{}_{}", data_dir, ns, name, uid)) {}

Result<void> PodFiles::make(const std::vector<std::string>& container_names) {
  TRY_VOID(files_.make_directory(work_dir_));
  for (const std::string& name : container_names) {
    TRY_VOID(files_.make_directory(log_dir_ + "/" + name));
  }
  return {};
}

std::string PodFiles::log_path(std::string_view container, int restart) const {
  return fmt::format("{}/{}/{}.log", log_dir_, container, restart);
}

void PodFiles::remove_work() {
  remove(work_dir_);
}

void PodFiles::remove_logs() {
  remove(log_dir_);
}

void PodFiles::remove(const std::string& path) {
  if (const Result<void> removed = files_.remove_tree(path); !removed) {
    log_.warning("a pod's files cannot be removed",
                 {{"path", path}, {"error", removed.error().message}});
  }
}

}  // namespace windlass::node
