#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/generator.h"
#include "base/hash.h"
#include "base/index_set.h"
#include "verify/simulation/scenarios/scenario.h"

namespace windlass::verify::simulation {
namespace {

constexpr std::string_view kComponents[] = {"job-controller", "garbage-collector", "ttl",
                                            "pod-gc",         "budgets",           "stale-marks",
                                            "namespaces",     "scheduler",         "api-server"};

// Draws a scenario. The order of the draws is part of what a seed means; what came later draws from
// a generator of its own.
class Author {
 public:
  Author(uint64_t seed, uint64_t later) : generator_(seed), later_(later) {}

  Scenario write() {
    scenario_.name = "random";
    draw_cluster();
    const int64_t jobs = generator_.between(1, 3);
    for (int64_t i = 0; i < jobs; ++i) {
      names_.push_back(std::string(1, static_cast<char>('j' + i)));
      scenario_.jobs[names_.back()] = manifest(names_.back());
      act(generator_.between(0, 20), "create " + names_.back());
    }
    for (int64_t left = generator_.between(0, 6); left > 0; --left) {
      disturb();
    }
    draw_nodes();
    draw_reruns();
    return std::move(scenario_);
  }

 private:
  bool chance(double probability) { return generator_.chance(probability); }
  const std::string& any_job() { return names_[generator_.uniform(names_.size())]; }

  void act(int64_t at_seconds, const std::string& words) {
    const Duration at = seconds(at_seconds) + milliseconds(generator_.between(0, 999));
    scenario_.actions.push_back(*parse_action(format_duration(at) + " " + words));
  }

  void draw_cluster() {
    TestedClusterOptions& cluster = scenario_.cluster;
    cluster.nodes = {{"node-1"}};
    for (int64_t i = generator_.between(0, 2); i > 0; --i) {
      cluster.nodes.push_back({fmt::format("node-{}", i + 1)});
    }
    cluster.latency = microseconds(generator_.chance(0.5) ? 500 : 20'000);
    cluster.commit_delay = generator_.chance(0.5) ? Duration::zero() : milliseconds(5);
    if (generator_.chance(0.3)) {
      cluster.limits.history_events = 20;  // 25: who is slow loses its place
    }
    cluster.allowances.node_crashes = generator_.chance(0.3);
  }

  // Kinds of nodes and controllers, and what nodes go through.
  void draw_nodes() {
    TestedClusterOptions& cluster = scenario_.cluster;
    cluster.elected = later_.chance(0.25);
    if (later_.chance(0.25)) {
      for (SimulatedNodeOptions& node : cluster.nodes) {
        node.hollow = true;
      }
      cluster.allowances.node_crashes = true;  // their pods live on
    }
    for (int64_t left = later_.between(0, 2); left > 0; --left) {
      const std::string node = fmt::format("node-{}", later_.between(1, 3));
      const Duration at = seconds(later_.between(1, 120));
      const Duration length = seconds(later_.between(1, later_.chance(0.3) ? 500 : 60));
      if (later_.chance(0.5)) {
        later_act(at, "taint " + node);
        later_act(at + length, "untaint " + node);
      } else {
        later_act(at, fmt::format("pause {} {}", node, format_duration(length)));
      }
    }
    if (later_.chance(0.3)) {
      constexpr std::string_view kLater[] = {kTaintEviction, kNodeLifecycle, kSecondJobController};
      later_act(seconds(later_.between(1, 120)),
                fmt::format("crash {} {}s", kLater[later_.uniform(3)], later_.between(1, 60)));
    }
    if (later_.chance(0.25)) {
      draw_priorities();
    }
  }

  // Room for two pods on a node, and Jobs for which others have to make room.
  void draw_priorities() {
    for (SimulatedNodeOptions& node : scenario_.cluster.nodes) {
      node.cpu = "2";
    }
    for (auto& [name, manifest] : scenario_.jobs) {
      constexpr std::string_view kContainer = "containers: [{name: main, ";
      const std::string_view priority =
          later_.chance(0.5) ? "priorityClassName: system-cluster-critical, " : "";
      manifest.replace(
          manifest.find(kContainer), kContainer.size(),
          fmt::format("{}{}resources: {{requests: {{cpu: 1}}}}, ", priority, kContainer));
    }
  }

  // Indexed Jobs that start with some indexes as completed, or with all.
  void draw_reruns() {
    for (const auto& [name, completions] : indexed_) {
      if (!later_.chance(0.3)) {
        continue;
      }
      const int64_t bits = later_.between(1, (int64_t{1} << completions) - 1);
      IndexSet completed;
      for (int32_t i = 0; i < completions; ++i) {
        if ((bits >> i & 1) != 0) {
          completed.insert(i);
        }
      }
      constexpr std::string_view kMetadata = "metadata: {}";
      std::string& manifest = scenario_.jobs[name];
      manifest.replace(manifest.find(kMetadata), kMetadata.size(),
                       fmt::format("metadata: {{{}}}", starts_with(completed.to_string())));
    }
  }

  void later_act(Duration at, const std::string& words) {
    scenario_.actions.push_back(*parse_action(format_duration(at) + " " + words));
  }

  // `last`: what is repeated must not be ignored by a rule, or the Job never ends.
  std::string attempt(bool fails, bool last) {
    const int64_t length = generator_.between(0, 30);
    constexpr std::array<int, 4> kCodes = {1, 2, 42, 137};
    const int code = fails ? kCodes[generator_.uniform(kCodes.size() - (last ? 1 : 0))] : 0;
    std::string text = fmt::format("{}@{}", code, length);
    if (chance(0.2)) {
      text += chance(0.5) ? "/-" : fmt::format("/{}:0", generator_.between(0, 10));
    }
    return text;
  }

  // Every script comes to an end in a success or a limit.
  std::string script(bool indexed, int64_t completions, bool on_failure) {
    const auto attempts = [this, on_failure] {
      std::string text;
      for (int64_t left = generator_.between(0, 3); left > 0; --left) {
        text += attempt(true, false) + ",";
      }
      // In place, a container restarts for ever.
      return text + attempt(chance(0.15) && !on_failure, true);
    };
    std::string text = "*=" + attempts();
    for (int64_t i = 0; indexed && i < completions; ++i) {
      if (chance(0.5)) {
        text += fmt::format(";{}={}", i, attempts());
      }
    }
    return text;
  }

  std::string policy(bool per_index) {
    std::string rules;
    const auto rule = [&](std::string_view action, std::string_view on) {
      rules += fmt::format("{{action: {}, {}}}, ", action, on);
    };
    if (chance(0.7)) {
      rule("Ignore", "onPodConditions: [{type: DisruptionTarget, status: \"True\"}]");
    }
    if (chance(0.5)) {
      rule(per_index && chance(0.5) ? "FailIndex" : "FailJob",
           "onExitCodes: {operator: In, values: [42]}");
    }
    if (chance(0.3)) {
      rule("Ignore", "onExitCodes: {operator: In, values: [137]}");
    }
    if (chance(0.2)) {
      rule("Count", "onExitCodes: {operator: NotIn, values: [3]}");
    }
    return rules.empty() ? "" : fmt::format("podFailurePolicy: {{rules: [{}]}}, ", rules);
  }

  std::string manifest(const std::string& name) {
    const bool indexed = chance(0.5);
    const bool queue = !indexed && chance(0.2);
    const int64_t completions = generator_.between(1, 6);
    std::string spec = fmt::format("parallelism: {}, ", generator_.between(1, 4));
    if (!queue) {
      spec += fmt::format("completions: {}, ", completions);
    }
    const bool per_index = indexed && chance(0.5);
    if (indexed) {
      indexed_.emplace_back(name, completions);
      spec += "completionMode: Indexed, ";
    }
    if (per_index) {
      spec += fmt::format("backoffLimitPerIndex: {}, ", generator_.between(0, 2));
      if (chance(0.5)) {
        spec += fmt::format("maxFailedIndexes: {}, ",
                            generator_.between(0, std::min<int64_t>(completions, 2)));
      }
    } else {
      spec += fmt::format("backoffLimit: {}, ", generator_.between(0, 5));
    }
    const bool on_failure = chance(0.1) && !per_index;
    const std::string rules = on_failure || chance(0.4) ? "" : policy(per_index);
    spec += rules;
    if (rules.empty() ? chance(0.3) : chance(0.2)) {
      spec += "podReplacementPolicy: Failed, ";
    }
    if (indexed && chance(0.2)) {
      spec += "successPolicy: {rules: [{succeededCount: 1}]}, ";
    }
    if (chance(0.15)) {
      spec += fmt::format("activeDeadlineSeconds: {}, ", generator_.between(5, 120));
    }
    if (chance(0.2)) {
      spec += fmt::format("ttlSecondsAfterFinished: {}, ", generator_.between(0, 120));
    }
    if (chance(0.1)) {
      spec += "suspend: true, ";
      act(generator_.between(5, 60), "resume " + name);
    }
    const std::string_view grace = chance(0.5) ? "terminationGracePeriodSeconds: 3, " : "";
    return fmt::format(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{}}, spec: {{{0}template: {{metadata: "
        "{{annotations: "
        "{{windlass.dev/hollow-script: \"{4}\"}}}}, spec: {{restartPolicy: {1}, {2}"
        "containers: [{{name: main, image: x, command: [sim, {3}, \"{4}\"]}}]}}}}}}}}",
        spec, on_failure ? "OnFailure" : "Never", grace, name,
        script(indexed, completions, on_failure));
  }

  void disturb() {
    const int64_t at = generator_.between(1, 120);
    const std::string node = fmt::format("node-{}", generator_.between(1, 3));
    const std::string& job = any_job();
    const int64_t pod = generator_.between(0, 3);
    switch (generator_.uniform(16)) {
      case 0:
        act(at, "suspend " + job);
        act(at + generator_.between(1, 60), "resume " + job);
        break;
      case 1:
        act(at, fmt::format("parallelism {} {}", job, generator_.between(1, 5)));
        break;
      case 2:
        act(at, fmt::format("completions {} {}", job, generator_.between(1, 6)));
        break;
      case 3:
        act(at, fmt::format("delete-job {} {}", job, chance(0.5) ? "Background" : "Foreground"));
        break;
      case 4:
        act(at, "recreate " + job);
        break;
      case 5:
        act(at, fmt::format("delete-pod {} {}", job, pod));
        break;
      case 6:
        act(at, fmt::format("force-delete-pod {} {}", job, pod));
        break;
      case 7:
      case 8:
        act(at, fmt::format("evict-pod {} {}", job, pod));
        break;
      case 9:
        act(at, "drain " + node);
        act(at + generator_.between(1, 90), "uncordon " + node);
        break;
      case 10:
        act(at, fmt::format("{} {} {}", chance(0.5) ? "strip-pod" : "orphan-pod", job, pod));
        break;
      case 11:
        act(at,
            fmt::format("annotate-pod {} {} {}", job, pod, chance(0.5) ? "-1" : "999999999999"));
        break;
      case 12:
        act(at, "delete-ended-pods " + job);
        break;
      case 13:
        act(at, fmt::format("clock {}{}s", chance(0.5) ? "-" : "", generator_.between(1, 7200)));
        break;
      case 14:
        act(at, fmt::format("pause {} {}s", kComponents[generator_.uniform(8)],
                            generator_.between(1, 200)));
        break;
      default:
        act(at, fmt::format("crash {} {}s", kComponents[generator_.uniform(9)],
                            generator_.between(1, 60)));
        break;
    }
  }

  Generator generator_;
  Generator later_;
  Scenario scenario_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, int64_t>> indexed_;  // names and completions
};

}  // namespace

Scenario random_scenario(uint64_t seed) {
  const auto derive = [seed](std::string_view what) {
    StableHash hash;
    hash.add(seed);
    hash.add(what);
    return hash.value();
  };
  return Author(derive("scenario"), derive("nodes")).write();
}

}  // namespace windlass::verify::simulation
