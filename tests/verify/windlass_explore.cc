// windlass_explore: explores all configurations, or those named, and prints what was found. Exit 0
// when nothing is broken, 1 with the shortest trace as a test case otherwise, 2 on wrong usage.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "verify/explorer/search.h"

namespace {

using namespace windlass::verify::explorer;
using SteadyClock = std::chrono::steady_clock;

constexpr char kUsage[] =
    "usage: windlass_explore [--states N] [--depth N] [--minutes N] [--kept N] [--list] [NAME...]\n"
    "  --states N   at most so many distinct states a configuration (1000000)\n"
    "  --depth N    at most so many steps from the start\n"
    "  --minutes N  share so much time among the configurations\n"
    "  --kept N     whole states kept in memory, about 10 KB each (200000)\n";

struct Arguments {
  SearchLimits limits;
  double minutes = 0;
  bool list = false;
  std::vector<std::string> names;
};

bool parse(int argc, char** argv, Arguments& out) {
  out.limits.max_kept = 200'000;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--list") {
      out.list = true;
      continue;
    }
    if (!word.starts_with("--")) {
      out.names.emplace_back(word);
      continue;
    }
    if (++i == argc || std::atof(argv[i]) <= 0) {
      return false;
    }
    if (word == "--states") {
      out.limits.max_states = std::strtoull(argv[i], nullptr, 10);
    } else if (word == "--depth") {
      out.limits.max_depth = std::atoi(argv[i]);
    } else if (word == "--kept") {
      out.limits.max_kept = std::strtoull(argv[i], nullptr, 10);
    } else if (word == "--minutes") {
      out.minutes = std::atof(argv[i]);
    } else {
      return false;
    }
  }
  return true;
}

struct Totals {
  size_t states = 0;
  size_t transitions = 0;
};

// False when something is broken.
bool run(const ExplorerConfig& config, const SearchLimits& limits, Totals& totals) {
  const auto begin = SteadyClock::now();
  const Findings found = explore(config, limits);
  const double spent = std::chrono::duration<double>(SteadyClock::now() - begin).count();
  totals.states += found.states;
  totals.transitions += found.transitions;
  fmt::print("{:<22} {:>10} {:>12} {:>6} {:>10} {:>8.1f}\n", config.name, found.states,
             found.transitions, found.depth,
             found.complete ? "all" : "to " + std::to_string(found.complete_to), spent);
  std::fflush(stdout);
  if (found.broken.empty()) {
    return true;
  }
  fmt::print("\n{} is broken after {} steps:\n\n{}", config.name, found.trace.size(),
             test_case(config, found));
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments)) {
    fmt::print(stderr, kUsage);
    return 2;
  }
  std::vector<const ExplorerConfig*> chosen;
  for (const std::string& name : arguments.names) {
    chosen.push_back(find_configuration(name));
    if (chosen.back() == nullptr) {
      fmt::print(stderr, "there is no configuration '{}'; --list shows them\n", name);
      return 2;
    }
  }
  for (const ExplorerConfig& config : configurations()) {
    if (arguments.names.empty()) {
      chosen.push_back(&config);
    }
    if (arguments.list) {
      fmt::print("{:<22} {}\n", config.name, config.about);
    }
  }
  if (arguments.list) {
    return 0;
  }
  fmt::print("{:<22} {:>10} {:>12} {:>6} {:>10} {:>8}\n", "configuration", "states", "transitions",
             "depth", "explored", "seconds");
  const auto begin = SteadyClock::now();
  Totals totals;
  bool sound = true;
  for (size_t i = 0; i < chosen.size() && sound; ++i) {
    if (arguments.minutes > 0) {
      // What one leaves over goes to those that follow.
      const auto all = std::chrono::duration_cast<SteadyClock::duration>(
          std::chrono::duration<double>(arguments.minutes * 60));
      const auto left = begin + all - SteadyClock::now();
      const auto share = SteadyClock::now() + left / static_cast<int>(chosen.size() - i);
      arguments.limits.stop = [share] { return SteadyClock::now() >= share; };
    }
    sound = run(*chosen[i], arguments.limits, totals);
    malloc_trim(0);
  }
  fmt::print("{:<22} {:>10} {:>12}\n", "total", totals.states, totals.transitions);
  return sound ? 0 : 1;
}
