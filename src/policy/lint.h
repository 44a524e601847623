// What is wrong with a Job's failure policy although it may well be accepted: rules that can never
// match, retries forever, drains that fail the Job. Each finding says why it hurts and what to
// do about it. Where a finding depends on what a rule would match, the Job engine's own matching is
// asked. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/subject.h"

namespace windlass::policy {

// error: the API server refuses the Job. warning: it will hurt. info: worth knowing.
enum class Severity : uint8_t { info, warning, error };

std::string_view severity_name(Severity severity);

struct LintFinding {
  Severity severity = Severity::warning;
  std::string_view id;  // never-matches; part of the documented interface
  std::string path;     // spec.podFailurePolicy.rules[1]
  std::string what;
  std::string why;
  std::string fix;
};

// What validation says: a field path and a text.
using Refusal = std::pair<std::string, std::string>;

// All findings, refusals among them, without those that the Job's annotation accepts. Errors cannot
// be accepted.
std::vector<LintFinding> lint(const Subject& subject, const std::vector<Refusal>& refusals);
// For a document that cannot even be read as a Job.
std::vector<LintFinding> lint_refusals(const std::vector<Refusal>& refusals);

// Every id there is, in the order of the documentation.
const std::vector<std::string_view>& finding_ids();

}  // namespace windlass::policy
