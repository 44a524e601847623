// Reads the logs of containers while they run, for `windlass run --logs` and `--log-dir`. Consumers
// get the bytes as the containers wrote them. Lives on the executor; owns nothing but its
// bookmarks.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/executor.h"
#include "env/files.h"
#include "node/config.h"
#include "plane/logs/log_reader.h"

namespace windlass::cli {

class LogConsumer {
 public:
  virtual ~LogConsumer() = default;
  virtual void log_grew(const node::ContainerLog& log, std::string_view bytes) = 0;
  // After the last bytes.
  virtual void log_ended(const node::ContainerLog& log, int exit_code) = 0;
};

class LogFollower final : public node::ContainerObserver {
 public:
  // The logs are read so often; at its end, a container's log is read at once.
  static constexpr Duration kPeriod = milliseconds(200);

  // Everything given outlives this. Without consumers it reads nothing.
  LogFollower(env::Executor& executor, env::Files& files, std::vector<LogConsumer*> consumers);
  ~LogFollower() override;
  LogFollower(const LogFollower&) = delete;
  LogFollower& operator=(const LogFollower&) = delete;

  void on_container_started(const node::ContainerLog& log) override;
  void on_container_ended(const node::ContainerLog& log, int exit_code) override;

 private:
  struct Followed {
    node::ContainerLog log;
    plane::LogReader reader;
  };

  void look();
  void tell(const node::ContainerLog& log, std::string_view bytes);

  env::Executor& executor_;
  env::Files& files_;
  const std::vector<LogConsumer*> consumers_;
  std::map<std::string, Followed> followed_;  // by path
  env::TimerId timer_ = env::TimerId::none;
};

// The last lines of a log, at most so many and of so many bytes; "" where there is none. For logs
// that are complete.
std::string last_log_lines(env::Files& files, const std::string& path, size_t lines);

}  // namespace windlass::cli
