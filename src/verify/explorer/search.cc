#include "verify/explorer/search.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "verify/explorer/canonical.h"
#include "verify/explorer/checks.h"
#include "verify/explorer/key_set.h"

namespace windlass::verify::explorer {

namespace {

std::optional<Step> fair_delivery(const ModelState& model) {
  if (!model.writes.empty()) {
    const bool done = model.writes.front().answer != ServerAnswer::none;
    return Step{done ? StepKind::arrive : StepKind::answer, 0, 0};
  }
  if (!model.unseen_job.empty()) {
    return Step{StepKind::tell_job, 0, 0};
  }
  for (const Pod& pod : model.pods) {
    if (!pod.unseen.empty()) {
      return Step{StepKind::tell, static_cast<uint8_t>(pod.serial), 0};
    }
  }
  return std::nullopt;
}

// The cluster does its part: what is deleted stops, what is bound runs, what runs succeeds.
std::optional<Step> fair_event(const ModelState& model) {
  for (const Pod& pod : model.pods) {
    const auto serial = static_cast<uint8_t>(pod.serial);
    if (!pod.in_store() || engine::is_terminal(pod.now.phase)) {
      continue;
    }
    if (pod.now.deleting) {
      return Step{pod.now.has_node ? StepKind::fail : StepKind::fail_unbound, serial, 0};
    }
    return Step{pod.now.has_node ? StepKind::succeed : StepKind::start, serial, 0};
  }
  if (model.wake_at && *model.wake_at > model.now) {
    return Step{StepKind::tick, 0, 0};
  }
  return std::nullopt;
}

}  // namespace

bool take_fairly(ModelState& model, std::vector<Step>& path, std::vector<std::string>& broken) {
  const auto go = [&](Step step) {
    path.push_back(step);
    take(model, step, broken);
  };
  if (const auto delivery = fair_delivery(model)) {
    go(*delivery);
    return true;
  }
  go({StepKind::decide, 0, 0});
  if (!model.writes.empty() || model.looked_again) {
    return true;
  }
  if (const auto event = fair_event(model)) {
    go(*event);
    return true;
  }
  return false;
}

std::vector<std::string> Settler::settle(ModelState model, uint64_t key, std::vector<Step>& path) {
  std::vector<uint64_t> passed;
  std::vector<std::string> broken;
  for (int n = 0; n < kMaxFairSteps; ++n) {
    if (settled_.contains(key)) {
      break;
    }
    passed.push_back(key);
    const bool goes_on = take_fairly(model, path, broken);
    if (!broken.empty()) {
      return broken;
    }
    if (!goes_on) {
      broken = check_rest(model);
      break;
    }
    if (n + 1 == kMaxFairSteps) {
      broken.emplace_back("L1: the fair rest of the run does not end");
    }
    key = key_of(model).core;
  }
  if (broken.empty()) {
    for (const uint64_t each : passed) {
      settled_.insert(each);
    }
  }
  return broken;
}

namespace {

constexpr uint32_t kNoParent = ~uint32_t{0};
constexpr size_t kAskEvery = 256;

struct Node {
  uint32_t parent = kNoParent;
  uint32_t step = 0;
};

class Search {
 public:
  Search(const ExplorerConfig& config, const SearchLimits& limits)
      : config_(config), limits_(limits) {}

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
    std::optional<ModelState> model;
  };

  void begin() {
    ModelState model(config_);
    const StateKey key = key_of(model);
    keys_.insert(key.full);
    nodes_.push_back({});
    settle(model, key.core, 0);
    waiting_.push_back({0, 0, std::move(model)});
    ++kept_;
  }

  void expand() {
    Waiting next = std::move(waiting_.front());
    waiting_.pop_front();
    if (next.model) {
      --kept_;
    } else {
      next.model = remake(next.node);
    }
    for (const Step step : possible_steps(*next.model)) {
      visit(*next.model, next.node, next.depth + 1, step);
      if (!findings_.broken.empty()) {
        return;
      }
    }
  }

  void visit(const ModelState& from, uint32_t parent, int depth, Step step) {
    ModelState model = from;
    std::vector<std::string> broken;
    take(model, step, broken);
    ++findings_.transitions;
    if (!broken.empty()) {
      findings_.trace = trace_to(parent);
      findings_.trace.push_back(step);
      findings_.broken = std::move(broken);
      return;
    }
    const StateKey key = key_of(model);
    if (!keys_.insert(key.full)) {
      return;
    }
    const auto node = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({parent, step.packed()});
    findings_.depth = std::max(findings_.depth, depth);
    settle(model, key.core, node);
    Waiting waiting{node, depth, std::nullopt};
    if (kept_ < limits_.max_kept) {
      waiting.model = std::move(model);
      ++kept_;
    }
    waiting_.push_back(std::move(waiting));
  }

  void settle(const ModelState& model, uint64_t key, uint32_t node) {
    std::vector<Step> path;
    findings_.broken = settler_.settle(model, key, path);
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

  ModelState remake(uint32_t node) const {
    ModelState model(config_);
    std::vector<std::string> broken;
    for (const Step step : trace_to(node)) {
      take(model, step, broken);
    }
    return model;
  }

  const ExplorerConfig& config_;
  const SearchLimits& limits_;
  Findings findings_;
  KeySet keys_;
  std::vector<Node> nodes_;
  std::deque<Waiting> waiting_;
  size_t kept_ = 0;
  size_t asked_ = 0;
  Settler settler_;
};

}  // namespace

Findings explore(const ExplorerConfig& config, const SearchLimits& limits) {
  return Search(config, limits).run();
}

std::string test_case(const ExplorerConfig& config, const Findings& findings) {
  std::string text;
  for (const std::string& line : findings.broken) {
    text += "// " + line + "\n";
  }
  text += "TEST(Regression, NameWhatItIs) {\n  EXPECT_THAT(replayed(\"" + config.name + "\", {\n";
  ModelState model(config);
  std::vector<std::string> broken;
  for (const Step step : findings.trace) {
    const std::string meaning = describe(model, step);
    text +=
        "      \"" + step_text(step) + "\"," + (meaning.empty() ? "" : "  // " + meaning) + "\n";
    take(model, step, broken);
  }
  return text + "  }), IsEmpty());\n}\n";
}

std::vector<std::string> replay(const ExplorerConfig& config, const std::vector<std::string>& steps,
                                bool settle) {
  ModelState model(config);
  std::vector<std::string> broken;
  for (const std::string& text : steps) {
    const auto step = parse_step(text);
    const std::vector<Step> possible = possible_steps(model);
    if (!step || std::find(possible.begin(), possible.end(), *step) == possible.end()) {
      return {"cannot take the step: " + text};
    }
    take(model, *step, broken);
    if (!broken.empty()) {
      return broken;
    }
  }
  std::vector<Step> path;
  return settle ? Settler().settle(model, key_of(model).core, path) : broken;
}

}  // namespace windlass::verify::explorer
