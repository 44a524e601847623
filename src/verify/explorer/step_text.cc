// Steps as text, for traces and the tests made from them.
#include <array>
#include <charconv>
#include <string>

#include "verify/explorer/steps.h"

namespace windlass::verify::explorer {
namespace {

constexpr std::array kNames = {"decide",         "answer", "apply",   "arrive",     "lose",
                               "refuse",         "vanish", "tell",    "tell-stale", "tell-job",
                               "tell-job-stale", "start",  "succeed", "fail",       "fail-unbound",
                               "restart",        "remove", "evict",   "rob",        "edit",
                               "crash",          "tick"};
constexpr std::array kEdits = {"suspend or resume", "change parallelism", "change completions",
                               "delete the Job", "parallelism 0 or back"};

size_t numbers_of(StepKind kind) {
  switch (kind) {
    case StepKind::decide:
    case StepKind::tell_job:
    case StepKind::tell_job_stale:
    case StepKind::crash:
    case StepKind::tick:
      return 0;
    case StepKind::fail:
      return 2;
    default:
      return 1;
  }
}

bool is_write_step(StepKind kind) {
  return kind >= StepKind::answer && kind <= StepKind::vanish;
}

std::string write_text(const ModelState& model, const Write& write) {
  switch (write.kind) {
    case WriteKind::status: {
      const engine::JobStatus& status = write.status->status;
      std::string text = "status: active " + std::to_string(status.active) + " succeeded " +
                         std::to_string(status.succeeded) + " failed " +
                         std::to_string(status.failed) + " completed [" +
                         status.completed_indexes.str() + "] failed [" +
                         status.failed_indexes.value_or("-").str() + "]";
      if (status.uncounted) {
        text += " uncounted " + std::to_string(status.uncounted->succeeded.size()) + "/" +
                std::to_string(status.uncounted->failed.size());
      }
      for (const engine::Condition& condition : status.conditions) {
        text += " " + condition.type + "=" +
                (condition.status == engine::ConditionStatus::is_true ? condition.reason : "False");
      }
      return text;
    }
    case WriteKind::create:
      return "create, index " + std::to_string(write.create->plan.index);
    case WriteKind::pod:
      break;
  }
  constexpr std::array kOps = {"delete", "release", "drop"};
  return std::string(kOps[static_cast<size_t>(write.pod->op)]) + " pod " +
         std::to_string(write.serial) + (model.find(write.serial) == nullptr ? " (gone)" : "");
}

}  // namespace

std::string step_text(Step step) {
  std::string text = kNames[static_cast<size_t>(step.kind)];
  const size_t numbers = numbers_of(step.kind);
  text += numbers > 0 ? " " + std::to_string(step.a) : "";
  return text + (numbers > 1 ? " " + std::to_string(step.b) : "");
}

std::string describe(const ModelState& model, Step step) {
  if (is_write_step(step.kind) && step.a < model.writes.size()) {
    return write_text(model, model.writes[step.a]);
  }
  if (step.kind == StepKind::edit) {
    return kEdits[static_cast<size_t>(model.config->edits[step.a])];
  }
  const Pod* pod = numbers_of(step.kind) > 0 ? model.find(step.a) : nullptr;
  if (pod == nullptr) {
    return "";
  }
  std::string text = "pod " + std::to_string(pod->serial);
  text += pod->index >= 0 ? " of index " + std::to_string(pod->index) : "";
  if (step.kind == StepKind::fail) {
    const Ending ending = pod->now.deleting ? model.config->endings_after_deletion[step.b]
                                            : model.config->endings[step.b];
    text += " exits " + std::to_string(ending.exit_code);
    text += ending.disrupted ? " with DisruptionTarget" : "";
  }
  return text;
}

std::optional<Step> parse_step(std::string_view text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view name = text.substr(0, end);
  Step step;
  size_t kind = 0;
  while (kind < kNames.size() && name != kNames[kind]) {
    ++kind;
  }
  if (kind == kNames.size()) {
    return std::nullopt;
  }
  step.kind = static_cast<StepKind>(kind);
  text.remove_prefix(end);
  std::array<uint8_t*, 2> numbers = {&step.a, &step.b};
  for (size_t i = 0; i < numbers_of(step.kind); ++i) {
    if (text.empty() || text.front() != ' ') {
      return std::nullopt;
    }
    const auto [stop, error] =
        std::from_chars(text.data() + 1, text.data() + text.size(), *numbers[i]);
    if (error != std::errc()) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
  }
  return text.empty() ? std::optional(step) : std::nullopt;
}

}  // namespace windlass::verify::explorer
