// The parts of lint(), one subject per file. Each appends its findings.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/policy/failure_policy.h"
#include "policy/failure.h"
#include "policy/lint.h"

namespace windlass::policy {

inline constexpr const char* kPolicyPath = "spec.podFailurePolicy";

// spec.podFailurePolicy.rules[1]
std::string rule_path(size_t rule);
// rules[1], for sentences
std::string rule_text(size_t rule);

// The pod as the engine would see it after this failure, and the rule that decides about it.
engine::PodView failed_pod(const Subject& subject, const Failure& failure);
engine::RuleMatch judge(const Subject& subject, const engine::PodView& pod);

// Exit codes that a rule could be asked about: 1 to 255 where nothing else can occur.
bool is_possible_exit_code(const Subject& subject, int32_t code);
// Some failure gets as far as this rule.
bool can_match(const Subject& subject, size_t rule);

void lint_reach(const Subject& subject, std::vector<LintFinding>& out);       // lint_reach.cc
void lint_conditions(const Subject& subject, std::vector<LintFinding>& out);  // lint_conditions.cc
void lint_disruptions(const Subject& subject,
                      std::vector<LintFinding>& out);                         // lint_disruptions.cc
void lint_ignore(const Subject& subject, std::vector<LintFinding>& out);      // lint_ignore.cc
void lint_budgets(const Subject& subject, std::vector<LintFinding>& out);     // lint_budgets.cc
void lint_rule_names(const Subject& subject, std::vector<LintFinding>& out);  // lint_limits.cc
void lint_limits(const Subject& subject, std::vector<LintFinding>& out);      // lint_limits.cc
void lint_unsupported(const Subject& subject, std::vector<LintFinding>& out);  // lint_limits.cc

}  // namespace windlass::policy
