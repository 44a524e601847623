// The flags of all commands: what CLI11 writes into, and what adds them to it. Used while arguments
// are parsed, and not after.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster_flags.h"
#include "cli/command_line.h"
#include "cli/explain_flags.h"
#include "cli/image_flags.h"
#include "cli/node_flags.h"
#include "cli/simulate_flags.h"

namespace CLI {
class App;
}

namespace windlass::cli {

// What the flags are parsed into before they become options: CLI11 writes into plain variables.
struct RawFlags {
  std::vector<std::string> files;
  std::vector<std::string> positional_files;
  bool recursive = false;
  std::string output;
  std::string field_validation = "strict";
  std::string feature_gates;
  std::string ns = "default";
  std::string timeout;
  std::string backoff_base = "10s";
  std::string backoff_cap = "10m";
  std::map<std::string, std::string> periods;  // by flag
  bool logs = false;
  int verbosity = 0;
  std::string data_dir;
  std::string listen = UpOptions().listen;
  std::vector<std::string> server_names;
  std::string role = KubeconfigOptions().role;
  std::string user;
  std::string server;
  std::optional<size_t> nodes;
  size_t hollow_nodes = 0;
  std::string hollow_mix;
  bool accept_lost_writes = false;
  std::string cases;
  std::string fail_on = "warning";
  std::string supervisor_dir;
  ControllerFlags controller;
  DoctorFlags doctor;
  ExplainFlags explain;
  NodeFlags node;
  ShutdownFlags shutdown;
  LimitFlags limits;
  SimulateFlags simulate;
  std::string shell;
  std::vector<std::string> help_words;
  NodeImages node_images;
  ImageOptions image;
};

CLI::App* add_validate(CLI::App& app, RawFlags& raw);
CLI::App* add_run(CLI::App& app, RawFlags& raw);
CLI::App* add_simulate(CLI::App& app, RawFlags& raw);
CLI::App* add_up(CLI::App& app, RawFlags& raw);
CLI::App* add_down(CLI::App& app, RawFlags& raw);
CLI::App* add_kubeconfig(CLI::App& app, RawFlags& raw);
CLI::App* add_policy_test(CLI::App& policy, RawFlags& raw);
CLI::App* add_policy_lint(CLI::App& policy, RawFlags& raw);
CLI::App* add_annotate(CLI::App& app, RawFlags& raw);
CLI::App* add_supervisor(CLI::App& app, RawFlags& raw);
CLI::App* add_version(CLI::App& app, RawFlags& raw);
CLI::App* add_completion(CLI::App& app, RawFlags& raw);
CLI::App* add_help(CLI::App& app, RawFlags& raw);

}  // namespace windlass::cli
