// Where a pod's files are: a working directory, volumes and layers that go when the pod has ended,
// and one log file per run of a container that stays until the pod's object is gone. A directory is
// made when there is something to put into it: the disk takes longer for one than all the rest of a
// short pod. Owned by a pod worker.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "env/files.h"
#include "env/log.h"

namespace windlass::node {

class PodFiles {
 public:
  PodFiles(env::Files& files, env::Log& log, const std::string& data_dir, const std::string& ns,
           const std::string& name, const std::string& uid);

  Result<void> make_work();
  // Where the supervisor makes it: prepares one at little cost.
  void reuse_work();
  // Volumes and layers only where there may be some.
  void remove_work(bool volumes, bool layers);
  void remove_logs();
  bool has_logs() const;

  const std::string& work_dir() const { return work_dir_; }
  const std::string& volumes_dir() const { return volumes_dir_; }
  // What a container writes to the root of its image.
  std::string layer_directory(std::string_view container) const;
  std::string log_directory(std::string_view container) const;
  std::string log_path(std::string_view container, int restart) const;

  // The file for a run's termination message, writable for every user; and the end of its content,
  // 4096 bytes.
  std::string message_path(std::string_view container, int restart) const;
  Result<void> make_message_file(std::string_view container, int restart);
  std::string message(std::string_view container, int restart) const;
  // The last that a run has written to its log: 80 lines, 2048 bytes.
  std::string end_of_log(std::string_view container, int restart) const;
  // The last bytes that a run has written to its log, and whether there is more before them.
  struct LogEnd {
    std::string text;
    bool truncated = false;
  };
  LogEnd log_tail(std::string_view container, int restart, size_t max_bytes) const;

 private:
  env::Files& files_;
  env::Log& log_;
  std::string work_dir_;
  std::string volumes_dir_;
  std::string layers_dir_;
  std::string log_dir_;
};

// Removes the working directories, volumes and layers of pods that do not run and the logs of pods
// that are not there, as an agent that died left them.
void remove_leftover_files(env::Files& files, env::Log& log, const std::string& data_dir,
                           const std::function<bool(const std::string& uid)>& runs,
                           const std::function<bool(const std::string& uid)>& exists);

}  // namespace windlass::node
