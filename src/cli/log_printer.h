#pragma once

#include "cli/output.h"
#include "env/files.h"
#include "node/config.h"

namespace windlass::cli {

// `windlass run --logs`: what a container wrote, every line after its pod's name, once it has
// ended.
class LogPrinter final : public node::ContainerObserver {
 public:
  LogPrinter(env::Files& files, Output& output) : files_(files), output_(output) {}

  void on_container_started(const node::ContainerLog&) override {}
  void on_container_ended(const node::ContainerLog& log, int exit_code) override;

 private:
  env::Files& files_;
  Output& output_;
};

}  // namespace windlass::cli
