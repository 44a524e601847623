#include "explorer/search.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "explorer/canonical.h"
#include "explorer/key_set.h"
#include "explorer/settle.h"

namespace windlass::explorer {
namespace {

constexpr uint32_t kNoParent = ~uint32_t{0};
constexpr size_t kAskEvery = 256;

struct Node {
  uint32_t parent = kNoParent;
  uint32_t step = 0;
};

class Search {
 public:
  Search(const Config& config, const Limits& limits) : config_(config), limits_(limits) {}

  Findings run() {
    begin();
    while (!waiting_.empty() && findings_.broken.empty()) {
      if (waiting_.front().depth > findings_.complete_to) {
        findings_.complete_to = waiting_.front().depth;
      }
      if (nodes_.size() >= limits_.max_states || findings_.complete_to >= limits_.max_depth ||
          (++asked_ % kAskEvery == 0 && limits_.stop && limits_.stop())) {
        break;
      }
      expand();
    }
    findings_.complete = waiting_.empty() && findings_.broken.empty();
    findings_.states = nodes_.size();
    return std::move(findings_);
  }

 private:
  struct Waiting {
    uint32_t node = 0;
    int depth = 0;
    std::optional<World> world;
  };

  void begin() {
    World world(config_);
    const Key key = key_of(world);
    keys_.insert(key.full);
    nodes_.push_back({});
    settle(world, key.core, 0);
    waiting_.push_back({0, 0, std::move(world)});
    ++kept_;
  }

  void expand() {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (next.world) {
      --kept_;
    } else {
      next.world = remake(next.node);
    }
    for (const Step step : possible_steps(*next.world)) {
      visit(*next.world, next.node, next.depth + 1, step);
      if (!findings_.broken.empty()) {
        return;
      }
    }
  }

  void visit(const World& from, uint32_t parent, int depth, Step step) {
    World world = from;
    std::vector<std::string> broken;
    take(world, step, broken);
    ++findings_.transitions;
    if (!broken.empty()) {
      findings_.trace = trace_to(parent);
      findings_.trace.push_back(step);
      findings_.broken = std::move(broken);
      return;
    }
    const Key key = key_of(world);
    if (!keys_.insert(key.full)) {
      return;
    }
    const auto node = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({parent, step.packed()});
    findings_.depth = std::max(findings_.depth, depth);
    settle(world, key.core, node);
    Waiting waiting{node, depth, std::nullopt};
    if (kept_ < limits_.max_kept) {
      waiting.world = std::move(world);
      ++kept_;
    }
    waiting_.push_back(std::move(waiting));
  }

  void settle(const World& world, uint64_t key, uint32_t node) {
    std::vector<Step> path;
    findings_.broken = settler_.settle(world, key, path);
    if (!findings_.broken.empty()) {
      findings_.trace = trace_to(node);
      findings_.trace.insert(findings_.trace.end(), path.begin(), path.end());
    }
  }

  std::vector<Step> trace_to(uint32_t node) const {
    std::vector<Step> trace;
    for (; nodes_[node].parent != kNoParent; node = nodes_[node].parent) {
      trace.push_back(Step::unpack(nodes_[node].step));
    }
    std::reverse(trace.begin(), trace.end());
    return trace;
  }

  World remake(uint32_t node) const {
    World world(config_);
    std::vector<std::string> broken;
    for (const Step step : trace_to(node)) {
      take(world, step, broken);
    }
    return world;
  }

  const Config& config_;
  const Limits& limits_;
  Findings findings_;
  KeySet keys_;
  std::vector<Node> nodes_;
  std::deque<Waiting> waiting_;
  size_t kept_ = 0;
  size_t asked_ = 0;
  Settler settler_;
};

}  // namespace

Findings explore(const Config& config, const Limits& limits) {
  return Search(config, limits).run();
}

std::string test_case(const Config& config, const Findings& findings) {
  std::string text;
  for (const std::string& line : findings.broken) {
    text += "// " + line + "\n";
  }
  text += "TEST(Regression, NameWhatItIs) {\n  EXPECT_THAT(replayed(\"" + config.name + "\", {\n";
  World world(config);
  std::vector<std::string> broken;
  for (const Step step : findings.trace) {
    const std::string meaning = describe(world, step);
    text +=
        "      \"" + step_text(step) + "\"," + (meaning.empty() ? "" : "  // " + meaning) + "\n";
    take(world, step, broken);
  }
  return text + "  }), IsEmpty());\n}\n";
}

std::vector<std::string> replay(const Config& config, const std::vector<std::string>& steps,
                                bool settle) {
  World world(config);
  std::vector<std::string> broken;
  for (const std::string& text : steps) {
    const auto step = parse_step(text);
    const std::vector<Step> possible = possible_steps(world);
    if (!step || std::find(possible.begin(), possible.end(), *step) == possible.end()) {
      return {"cannot take the step: " + text};
    }
    take(world, *step, broken);
    if (!broken.empty()) {
      return broken;
    }
  }
  std::vector<Step> path;
  return settle ? Settler().settle(world, key_of(world).core, path) : broken;
}

}  // namespace windlass::explorer
