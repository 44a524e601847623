// Flags of the commands that work on a cluster: what CLI11 writes into, and the options that become
// of it. Apart from command_line.cc, which puts all commands together. Used while arguments are
// parsed, and not after.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/controller_options.h"
#include "cli/doctor_options.h"

namespace CLI {
class App;
}

namespace windlass::cli {

struct ControllerFlags {
  std::string manager = {};
  bool replace_built_in = false;
  std::string feature_gates = {};
  std::string lease = "15s";
  std::string renew_deadline = "10s";
  std::string retry = "2s";
  std::string backoff_base = "10s";
  std::string backoff_cap = "10m";
  ControllerOptions options = {};  // those that need no look
};

struct DoctorFlags {
  std::string wait = "10s";
  std::string patience = "1m";
  std::string output = {};
  DoctorOptions options = {};  // those that need no look
};

CLI::App* add_controller(CLI::App& app, ControllerFlags& flags);
Result<ControllerOptions> read_controller_flags(const ControllerFlags& flags);
CLI::App* add_doctor(CLI::App& app, DoctorFlags& flags);
Result<DoctorOptions> read_doctor_flags(const DoctorFlags& flags);

}  // namespace windlass::cli
