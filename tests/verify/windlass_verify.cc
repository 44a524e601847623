// windlass_verify: runs the simulated world from many seeds, or one, or a written schedule.
// Exit 0 when every run was sound, 1 with the shortest schedule found and the command that replays
// it otherwise, 2 on wrong usage.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verify/simulation/faults/fault_search.h"

namespace {

using namespace windlass;
using namespace windlass::verify::simulation;
using SteadyClock = std::chrono::steady_clock;

constexpr char kUsage[] =
    "usage: windlass_verify [--seeds N] [--from S|--fresh] [--seed S] [--scenario NAME] "
    "[--minutes N]\n"
    "         [--strike TEXT]... [--action TEXT]... [--single-faults] [--keep-going]\n"
    "         [--sometimes] [--log] [--list]\n"
    "  --seeds N        so many seeds (100): every other one a random scenario\n"
    "  --from S         beginning with this one (1)\n"
    "  --fresh          beginning with one that the clock gives\n"
    "  --seed S         this seed alone\n"
    "  --scenario NAME  this scenario, or `random`, with all seeds\n"
    "  --minutes N      stop after so long\n"
    "  --strike TEXT    with --seed: these faults instead of the seed's, e.g.\n"
    "                   job-controller/write#3=lost-reply:5s (may be repeated; `none` for none)\n"
    "  --action TEXT    with --seed: these actions instead of the scenario's (may be repeated)\n"
    "  --single-faults  every single fault of the scenario, or of all, instead of seeds\n"
    "  --keep-going     go on after a failure, and do not shrink\n"
    "  --sometimes      fail when a fault or a state was never seen\n"
    "  --log            print every commit of the runs\n"
    "  --list           print the scenarios\n";

struct Arguments {
  uint64_t seeds = 100;
  uint64_t from = 1;
  std::string scenario = {};
  double minutes = 0;
  std::vector<Strike> strikes = {};
  bool has_strikes = false;
  std::vector<ScriptedAction> actions = {};
  bool single_faults = false;
  bool keep_going = false;
  bool sometimes = false;
  bool log = false;
  bool list = false;
};

bool take_value(std::string_view word, const std::string& value, Arguments& out) {
  if (word == "--seeds") {
    out.seeds = std::strtoull(value.c_str(), nullptr, 10);
  } else if (word == "--from") {
    out.from = std::strtoull(value.c_str(), nullptr, 10);
  } else if (word == "--seed") {
    out.from = std::strtoull(value.c_str(), nullptr, 10);
    out.seeds = 1;
  } else if (word == "--scenario") {
    out.scenario = value;
  } else if (word == "--minutes") {
    out.minutes = std::atof(value.c_str());
  } else if (word == "--strike") {
    out.has_strikes = true;
    const Result<Strike> strike = parse_strike(value);
    if (strike) {
      out.strikes.push_back(*strike);
    }
    return strike || value == "none";
  } else if (word == "--action") {
    const Result<ScriptedAction> action = parse_action(value);
    if (action) {
      out.actions.push_back(*action);
    }
    return action.has_value();
  } else {
    return false;
  }
  return true;
}

bool parse(int argc, char** argv, Arguments& out) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--single-faults") {
      out.single_faults = true;
    } else if (word == "--keep-going") {
      out.keep_going = true;
    } else if (word == "--fresh") {
      out.from =
          static_cast<uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) %
          1'000'000'000'000;
    } else if (word == "--sometimes") {
      out.sometimes = true;
    } else if (word == "--log") {
      out.log = true;
    } else if (word == "--list") {
      out.list = true;
    } else if (++i == argc || !take_value(word, argv[i], out)) {
      return false;
    }
  }
  return true;
}

// Every other seed is a random scenario, the rest go round the named ones.
Scenario scenario_for(const Arguments& arguments, uint64_t seed) {
  Scenario chosen;
  if (arguments.scenario == "random" || (arguments.scenario.empty() && seed % 2 == 0)) {
    chosen = random_scenario(seed);
  } else if (arguments.scenario.empty()) {
    chosen = scenarios()[seed / 2 % scenarios().size()];
  } else {
    chosen = *find_scenario(arguments.scenario);
  }
  if (!arguments.actions.empty()) {
    chosen.actions = arguments.actions;
  }
  return chosen;
}

void print_broken(const RunResult& outcome) {
  for (const Broken& broken : outcome.broken) {
    fmt::print("  {}: {}\n", broken.rule, broken.text);
  }
}

std::string replay_command(const Shrunk& shrunk, uint64_t seed) {
  std::string command =
      fmt::format("./dev verify --seed {} --scenario {}", seed, shrunk.scenario.name);
  for (const ScriptedAction& action : shrunk.scenario.actions) {
    command += fmt::format(" --action '{}'", text_of(action));
  }
  for (const Strike& strike : shrunk.strikes) {
    command += fmt::format(" --strike '{}'", text_of(strike));
  }
  return command + (shrunk.strikes.empty() ? " --strike none" : "");
}

void explain(const Scenario& scenario, uint64_t seed, const RunResult& failed) {
  fmt::print("\nseed {} of scenario {} is not sound:\n", seed, scenario.name);
  print_broken(failed);
  const Shrunk shrunk = shrink(scenario, seed, failed);
  fmt::print("\nthe shortest schedule found in {} runs:\n", shrunk.runs);
  for (const auto& [name, manifest] : shrunk.scenario.jobs) {
    fmt::print("  Job {}: {}\n", name, manifest);
  }
  for (const ScriptedAction& action : shrunk.scenario.actions) {
    fmt::print("  {}\n", text_of(action));
  }
  for (const Strike& strike : shrunk.strikes) {
    fmt::print("  {}\n", text_of(strike));
  }
  fmt::print("\nwhat it commits:\n");
  for (const std::string& line : shrunk.outcome.log) {
    fmt::print("  {}\n", line);
  }
  print_broken(shrunk.outcome);
  fmt::print("\nreplay: {}\n", replay_command(shrunk, seed));
}

struct Totals {
  uint64_t runs = 0;
  uint64_t failed = 0;
  uint64_t steps = 0;
  uint64_t commits = 0;
  uint64_t strikes = 0;
  Duration simulated = Duration::zero();
  Sightings sightings = {};
};

void print_totals(const Totals& totals, double spent) {
  const double hours_simulated = std::chrono::duration<double>(totals.simulated).count() / 3600;
  fmt::print(
      "{} runs, {} not sound, {} faults, {} commits, {} steps, {:.0f} hours simulated in "
      "{:.1f} s\n",
      totals.runs, totals.failed, totals.strikes, totals.commits, totals.steps, hours_simulated,
      spent);
  for (const auto& [name, count] : totals.sightings.counts()) {
    fmt::print("  {:<50} {}\n", name, count);
  }
}

// Runs, counts, and explains what fails.
class Suite {
 public:
  explicit Suite(const Arguments& arguments) : arguments_(arguments) {}

  // False: enough.
  bool run_one(const Scenario& scenario, SimulationOptions options) {
    options.keep_log = arguments_.log;
    if (scenario.same_numbers) {
      options.numbers = baseline(scenario);
    }
    const RunResult outcome = run(scenario, options);
    ++totals_.runs;
    totals_.steps += outcome.steps;
    totals_.commits += outcome.revisions;
    totals_.strikes += outcome.struck.size();
    totals_.simulated += outcome.took;
    totals_.sightings.add(outcome.sightings);
    for (const std::string& line : outcome.log) {
      fmt::print("{}\n", line);
    }
    if (!outcome.sound()) {
      ++totals_.failed;
      if (!arguments_.keep_going) {
        explain(scenario, options.seed, outcome);
        return false;
      }
      fmt::print("seed {} scenario {}{}:\n", options.seed, scenario.name,
                 options.strikes && options.strikes->size() == 1
                     ? " --strike " + text_of(options.strikes->front())
                     : "");
      print_broken(outcome);
      std::fflush(stdout);
    }
    return arguments_.minutes == 0 || spent() <= arguments_.minutes * 60;
  }

  void run_seeds() {
    for (uint64_t i = 0; i < arguments_.seeds; ++i) {
      const uint64_t seed = arguments_.from + i;
      SimulationOptions options{.seed = seed};
      if (arguments_.has_strikes) {
        options.strikes = arguments_.strikes;
      }
      if (!run_one(scenario_for(arguments_, seed), options)) {
        return;
      }
    }
  }

  void run_single_faults() {
    for (const Scenario& scenario : scenarios()) {
      if (!arguments_.scenario.empty() && scenario.name != arguments_.scenario) {
        continue;
      }
      const RunResult quiet = run(scenario, {.seed = arguments_.from, .quiet = true});
      const std::vector<Strike> strikes = single_faults(scenario, quiet);
      fmt::print("{:<28} {} faults\n", scenario.name, strikes.size());
      std::fflush(stdout);
      if (!run_one(scenario, {.seed = arguments_.from, .quiet = true})) {
        return;
      }
      for (const Strike& strike : strikes) {
        SimulationOptions options{.seed = arguments_.from};
        options.strikes = {strike};
        if (!run_one(scenario, options)) {
          return;
        }
      }
    }
  }

  bool finish() {
    fmt::print("seeds from {}: ", arguments_.from);
    print_totals(totals_, spent());
    bool complete = true;
    if (arguments_.sometimes) {
      for (const std::string& name : totals_.sightings.missing()) {
        fmt::print("never seen: {}\n", name);
        complete = false;
      }
    }
    return totals_.failed == 0 && complete;
  }

 private:
  double spent() const {
    return std::chrono::duration<double>(SteadyClock::now() - begin_).count();
  }

  const std::map<std::string, std::string>& baseline(const Scenario& scenario) {
    const auto known = baselines_.find(scenario.name);
    return known != baselines_.end()
               ? known->second
               : baselines_.emplace(scenario.name, run(scenario, {.quiet = true}).numbers)
                     .first->second;
  }

  const Arguments& arguments_;
  SteadyClock::time_point begin_ = SteadyClock::now();
  Totals totals_;
  std::map<std::string, std::map<std::string, std::string>> baselines_;
};

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments) ||
      (!arguments.scenario.empty() && arguments.scenario != "random" &&
       find_scenario(arguments.scenario) == nullptr)) {
    fmt::print(stderr, kUsage);
    return 2;
  }
  if (arguments.list) {
    for (const Scenario& scenario : scenarios()) {
      fmt::print("{:<32} {}\n", scenario.name, scenario.about);
    }
    return 0;
  }
  Suite suite(arguments);
  if (arguments.single_faults) {
    suite.run_single_faults();
  } else {
    suite.run_seeds();
  }
  return suite.finish() ? 0 : 1;
}
