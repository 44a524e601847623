// Rules that failures cannot get to. A rule on exit codes matches when one container's code does,
// so a pod with one failed container and no conditions is the most favourable case for it: when an
// earlier rule takes every such pod, the rule never decides. For a rule on conditions that is a pod
// without any exit code.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "policy/lint_parts.h"

namespace windlass::policy {
namespace {

constexpr int32_t kMaxExitCode = 255;

std::string codes_text(const std::vector<int32_t>& codes) {
  return fmt::format("{}", fmt::join(codes, ", "));
}

// The rule that decides about a pod in which only this container has failed.
int32_t decider(const Subject& subject, const std::string& container, int32_t code) {
  engine::PodView pod;
  pod.phase = engine::Phase::failed;
  engine::ContainerView view;
  view.name = container;
  view.terminated = true;
  view.exit_code = code;
  pod.containers.push_back(std::move(view));
  return judge(subject, pod).rule;
}

std::vector<int32_t> asked_codes(const Subject& subject, const engine::ExitCodes& wanted) {
  std::vector<int32_t> codes;
  if (wanted.op == engine::Operator::in) {
    codes = wanted.values;
  } else {
    for (int32_t code = 1; code <= kMaxExitCode; ++code) {
      codes.push_back(code);
    }
    std::erase_if(codes, [&](int32_t code) {
      return std::find(wanted.values.begin(), wanted.values.end(), code) != wanted.values.end();
    });
  }
  std::erase_if(codes, [&](int32_t code) { return !is_possible_exit_code(subject, code); });
  return codes;
}

bool is_asked(const engine::ExitCodes& wanted, const ContainerInfo& container) {
  return !wanted.container_name || *wanted.container_name == container.name;
}

// The node starts the container again, and the pod goes on: no rule is asked. The code of a sidecar
// is there to see when the pod is over.
bool is_restarted(const Subject& subject, const ContainerInfo& container, int32_t code) {
  return !container.sidecar && restarts_in_place(container, code, subject);
}

// Who decides about the failures that a rule asks for, by exit code.
std::map<int32_t, std::set<int32_t>> deciders(const Subject& subject,
                                              const engine::ExitCodes& wanted) {
  std::map<int32_t, std::set<int32_t>> found;
  for (const ContainerInfo& container : subject.containers) {
    for (const int32_t code : asked_codes(subject, wanted)) {
      if (is_asked(wanted, container) && !is_restarted(subject, container, code)) {
        found[code].insert(decider(subject, container.name, code));
      }
    }
  }
  return found;
}

// Whether the rule can be asked at all.
bool check_restarts(const Subject& subject, size_t index, std::vector<LintFinding>& out) {
  const engine::ExitCodes& wanted = *subject.rules()[index].on_exit_codes;
  // With OnFailure for the whole pod there is a finding about the policy itself.
  if (subject.job.spec.restart_on_failure) {
    return true;
  }
  const std::vector<int32_t> codes = asked_codes(subject, wanted);
  std::vector<int32_t> restarted;
  std::set<std::string> names;
  for (const int32_t code : codes) {
    bool all = true;
    for (const ContainerInfo& container : subject.containers) {
      const bool here = is_asked(wanted, container) && is_restarted(subject, container, code);
      all = all && (here || !is_asked(wanted, container));
      if (here) {
        names.insert(container.name);
      }
    }
    if (all && !names.empty()) {
      restarted.push_back(code);
    }
  }
  const bool every = restarted.size() == codes.size();
  if (restarted.empty() || (!every && wanted.op == engine::Operator::not_in)) {
    return true;
  }
  out.push_back({Severity::warning, "restarted-in-place", rule_path(index) + ".onExitCodes",
                 every ? fmt::format("{} does not apply when a container ends", rule_text(index))
                       : fmt::format("{} does not apply to exit code {}", rule_text(index),
                                     codes_text(restarted)),
                 fmt::format("the node restarts {} in its pod after that, by the container's own "
                             "restartPolicy or restartPolicyRules: the pod does not fail",
                             fmt::join(names, ", ")),
                 "remove the code from restartPolicyRules or from this rule"});
  return !every;
}

int32_t condition_decider(const Subject& subject, const engine::ConditionPattern& pattern) {
  engine::PodView pod;
  pod.phase = engine::Phase::failed;
  pod.conditions.push_back({pattern.type, pattern.status, std::nullopt});
  return judge(subject, pod).rule;
}

bool is_known_action(const Subject& subject, const engine::FailureRule& rule) {
  return rule.action != engine::Action::unknown && rule.action != engine::Action::none &&
         (rule.action != engine::Action::fail_index || subject.per_index());
}

std::string rules_text(const std::set<int32_t>& rules) {
  std::string text;
  for (const int32_t rule : rules) {
    text += (text.empty() ? "" : " and ") + rule_text(static_cast<size_t>(rule));
  }
  return text;
}

void add_never_matches(size_t rule, std::string why, std::vector<LintFinding>& out) {
  out.push_back({Severity::warning, "never-matches", rule_path(rule),
                 fmt::format("{} can never match", rule_text(rule)), std::move(why),
                 "put the narrower rule first, or remove this one"});
}

void check_exit_code_rule(const Subject& subject, size_t index, std::vector<LintFinding>& out) {
  const engine::FailureRule& rule = subject.rules()[index];
  const engine::ExitCodes& wanted = *rule.on_exit_codes;
  if (!check_restarts(subject, index, out)) {
    return;
  }
  const auto by_code = deciders(subject, wanted);
  std::set<int32_t> takers;
  std::vector<int32_t> taken;
  for (const auto& [code, who] : by_code) {
    if (!who.contains(static_cast<int32_t>(index))) {
      taken.push_back(code);
      takers.insert(who.begin(), who.end());
    }
  }
  takers.erase(-1);
  if (by_code.empty() && wanted.op == engine::Operator::not_in) {
    add_never_matches(index, "its list excludes every exit code", out);
  } else if (by_code.empty() || taken.empty() || takers.empty()) {
    return;  // impossible codes and unknown containers are findings of their own
  } else if (taken.size() == by_code.size()) {
    add_never_matches(index,
                      fmt::format("the first rule that matches decides, and every exit code of "
                                  "this rule matches {} first",
                                  rules_text(takers)),
                      out);
  } else if (wanted.op == engine::Operator::in) {
    const bool same = std::all_of(takers.begin(), takers.end(), [&](int32_t taker) {
      return subject.rules()[static_cast<size_t>(taker)].action == rule.action;
    });
    if (!same) {
      out.push_back(
          {Severity::warning, "shadowed-values", rule_path(index) + ".onExitCodes.values",
           fmt::format("exit code {} never reaches {}", codes_text(taken), rule_text(index)),
           fmt::format("the first rule that matches decides, and {} matches it with another "
                       "action",
                       rules_text(takers)),
           fmt::format("put {} first, or remove the code from it", rule_text(index))});
    }
  }
}

void check_condition_rule(const Subject& subject, size_t index, std::vector<LintFinding>& out) {
  const engine::FailureRule& rule = subject.rules()[index];
  std::set<int32_t> takers;
  for (const engine::ConditionPattern& pattern : rule.on_pod_conditions) {
    takers.insert(condition_decider(subject, pattern));
  }
  if (!takers.empty() && !takers.contains(static_cast<int32_t>(index)) && !takers.contains(-1)) {
    add_never_matches(index,
                      fmt::format("the first rule that matches decides, and every condition of "
                                  "this rule matches {} first",
                                  rules_text(takers)),
                      out);
  }
}

void check_impossible_codes(const Subject& subject, size_t index, std::vector<LintFinding>& out) {
  std::vector<int32_t> impossible;
  for (const int32_t code : subject.rules()[index].on_exit_codes->values) {
    if (code != 0 && !is_possible_exit_code(subject, code)) {
      impossible.push_back(code);
    }
  }
  if (impossible.empty()) {
    return;
  }
  out.push_back({Severity::warning, "impossible-exit-code",
                 rule_path(index) + ".onExitCodes.values",
                 fmt::format("no program on Linux ends with {}", codes_text(impossible)),
                 "exit codes are 0 to 255: exit(256) ends with 0, exit(-1) with 255, and a signal "
                 "ends with 128 and its number",
                 "write the code that the pod's status shows"});
}

}  // namespace

bool is_possible_exit_code(const Subject& subject, int32_t code) {
  return code != 0 && (subject.windows || (code > 0 && code <= kMaxExitCode));
}

bool can_match(const Subject& subject, size_t index) {
  const engine::FailureRule& rule = subject.rules()[index];
  const auto wanted = static_cast<int32_t>(index);
  if (!rule.on_exit_codes) {
    return std::any_of(
        rule.on_pod_conditions.begin(), rule.on_pod_conditions.end(),
        [&](const auto& pattern) { return condition_decider(subject, pattern) == wanted; });
  }
  const auto by_code = deciders(subject, *rule.on_exit_codes);
  return std::any_of(by_code.begin(), by_code.end(),
                     [&](const auto& entry) { return entry.second.contains(wanted); });
}

void lint_reach(const Subject& subject, std::vector<LintFinding>& out) {
  for (size_t index = 0; index < subject.rules().size(); ++index) {
    const engine::FailureRule& rule = subject.rules()[index];
    if (rule.on_exit_codes) {
      check_impossible_codes(subject, index, out);
    }
    if (!is_known_action(subject, rule)) {
      continue;
    }
    rule.on_exit_codes ? check_exit_code_rule(subject, index, out)
                       : check_condition_rule(subject, index, out);
  }
}

}  // namespace windlass::policy
