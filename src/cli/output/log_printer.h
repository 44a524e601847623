#pragma once

#include "cli/output/output.h"
#include "env/files.h"
#include "node/config.h"

namespace windlass::cli {

// `windlass run --logs`: prints the output of a container once it has ended, every line with the
// name of its pod: to standard output, or to standard error if the former is for objects alone.
class LogPrinter final : public node::ContainerObserver {
 public:
  enum class Stream { out, err };

  LogPrinter(env::Files& files, Output& output, Stream stream)
      : files_(files), output_(output), stream_(stream) {}

  void on_container_started(const node::ContainerLog&) override {}
  void on_container_ended(const node::ContainerLog& log, int exit_code) override;

 private:
  env::Files& files_;
  Output& output_;
  const Stream stream_;
};

}  // namespace windlass::cli
