// `windlass run --log-dir DIR`: keeps what each container of an attempt writes, byte for byte, in
// a file of its own:
//
//   DIR/<Job>/<index>.<attempt>.<container>.log          of a Job with indexes
//   DIR/<Job>/<attempt>.<container>.log                  of any other
//   DIR/<Job>/...<container>.restart<N>.log              after N restarts in place
//   DIR/<namespace>/<Job>/...                            outside of the default namespace
//
// Attempts count from 1. A file of an earlier run is replaced. Lives on the executor of its
// follower.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "cli/logs/log_follower.h"
#include "cli/output/output.h"

namespace windlass::api::core::v1 {
class Pod;
}

namespace windlass::cli {

// A folder for such files; tests have one in memory.
class LogFiles {
 public:
  virtual ~LogFiles() = default;
  // Names are relative and have folders, which it makes. The first call for a name empties the
  // file.
  virtual Result<void> append(const std::string& name, std::string_view bytes) = 0;
};

// Errors name the folder; it exists and takes files then.
Result<std::unique_ptr<LogFiles>> open_log_directory(const std::string& path);

class LogKeeper final : public LogConsumer {
 public:
  // `default_namespace` is that of Jobs whose manifests name none.
  LogKeeper(LogFiles& files, Output& output, std::string default_namespace)
      : files_(files), output_(output), default_namespace_(std::move(default_namespace)) {}

  // In the order of their creation: attempts are numbered so.
  void pod_seen(const api::core::v1::Pod& pod);
  void pod_gone(const std::string& uid) { pods_.erase(uid); }

  void log_grew(const node::ContainerLog& log, std::string_view bytes) override;
  // An attempt that wrote nothing has an empty file.
  void log_ended(const node::ContainerLog& log, int exit_code) override;

  // Logs that could not be written whole.
  size_t incomplete() const { return incomplete_.size(); }

 private:
  std::string name_of(const node::ContainerLog& log) const;
  void append(const node::ContainerLog& log, std::string_view bytes);

  LogFiles& files_;
  Output& output_;
  const std::string default_namespace_;
  std::map<std::string, std::string> pods_;  // by UID: folder, index and attempt
  std::map<std::string, int64_t> attempts_;  // of each folder and index
  std::set<std::string> incomplete_;         // names
};

}  // namespace windlass::cli
