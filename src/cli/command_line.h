// argv to options. Only this, completion.cc and the files named *_flags know the flag parser;
// everything behind them gets plain structs. Flag names, -f -, -o and exit codes follow kubectl.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/feature_gates.h"
#include "base/time.h"
#include "cli/controller_options.h"
#include "cli/doctor_options.h"
#include "cli/explain_options.h"
#include "cli/image_options.h"
#include "cli/manifest.h"
#include "cli/node_limits.h"
#include "cli/node_options.h"
#include "cli/simulate_options.h"
#include "cli/up_options.h"
#include "policy/lint.h"

namespace windlass::cli {

enum class OutputFormat { text, yaml, json };
enum class FieldValidation { strict, warn, ignore };

struct ValidateOptions {
  ManifestOptions manifests;
  OutputFormat format = OutputFormat::text;
  FieldValidation fields = FieldValidation::strict;
  api::FeatureGates gates;
};

enum class PolicyFormat { table, json, junit };

struct PolicyTestOptions {
  ManifestOptions manifests;
  std::string cases;  // file of expectations; "": none
  PolicyFormat format = PolicyFormat::table;
  api::FeatureGates gates;
};

struct PolicyLintOptions {
  ManifestOptions manifests;
  PolicyFormat format = PolicyFormat::table;
  policy::Severity fail_on = policy::Severity::warning;
  api::FeatureGates gates;
};

struct RunOptions {
  ManifestOptions manifests;
  OutputFormat format = OutputFormat::text;
  std::string ns = "default";
  std::optional<Duration> timeout;
  bool logs = false;
  int verbosity = 0;
  // What a retry waits: base, doubled with every failure in a row, at most the cap.
  Duration backoff_base = seconds(10);
  Duration backoff_cap = minutes(10);
  api::FeatureGates gates;
  size_t nodes = 1;
  NodeImages images = {};
  NodeLimits limits = {};
};

// What of `run` makes sense for `windlass simulate`, too, and its cluster.
struct SimulateOptions {
  RunOptions run;
  SimulatedCluster cluster = {};
};

// `windlass annotate`.
struct AnnotateOptions {
  ManifestOptions manifests;
  OutputFormat format = OutputFormat::yaml;
};

// The process that holds a node's containers; started by the program itself, so not in the help.
struct SupervisorCommand {
  std::string directory;
};

struct VersionOptions {
  OutputFormat format = OutputFormat::text;
};

// What there is to say instead of running a command: help, or what is wrong with the flags.
struct Usage {
  std::string text;
  bool is_error = false;
};

using CommandLine =
    std::variant<ValidateOptions, RunOptions, SimulateOptions, UpOptions, DownOptions,
                 KubeconfigOptions, PolicyTestOptions, PolicyLintOptions, ControllerOptions,
                 DoctorOptions, AnnotateOptions, ExplainOptions, NodeOptions, NodeShutdownOptions,
                 ImageOptions, SupervisorCommand, VersionOptions, Usage>;

// `arguments` without the program's name.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace windlass::cli
