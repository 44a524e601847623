// What the API server itself refuses, with what to do about it where the refusal alone does not
// say.
#include <array>

#include "policy/lint.h"

namespace windlass::policy {
namespace {

struct RefusalAdvice {
  std::string_view path_part;
  std::string_view text_part;
  std::string_view id;
  std::string_view why;
  std::string_view fix;
};

constexpr std::string_view kRefusedWhy = "the API server does not accept the Job";

constexpr std::array kRefusals = {
    RefusalAdvice{".action", "requires the backoffLimitPerIndex", "fail-index-without-limit",
                  "only a Job that counts failures per index can give up a single index",
                  "set backoffLimitPerIndex (with completionMode Indexed), or use FailJob"},
    RefusalAdvice{"restartPolicy", "only \"Never\" is supported", "restart-policy",
                  "with OnFailure the node restarts the container in its pod: no pod fails, so no "
                  "rule would apply",
                  "set restartPolicy: Never in the pod template"},
    RefusalAdvice{".containerName", "must be one of the container", "unknown-container",
                  "the rule names a container that the pod does not have",
                  "name a container or init container of the template, or leave containerName out"},
    RefusalAdvice{
        "podReplacementPolicy", "", "replacement-policy",
        "rules apply when a pod has failed, not when it begins to terminate, so it cannot "
        "be replaced before that",
        "set podReplacementPolicy: Failed, or leave it out"},
    RefusalAdvice{
        ".name", "", "rule-name",
        "the name becomes part of the reason of the Job's failure and must tell the rules "
        "apart",
        "give each rule a unique name of letters, digits and underscores"},
    RefusalAdvice{".values", "must not be 0", "refused",
                  "a container that ends with 0 has not failed, and no rule applies to it",
                  "remove 0 from the list"},
    RefusalAdvice{".values", "must be ordered", "refused", kRefusedWhy, "sort the exit codes"},
    RefusalAdvice{".rules[", "specifying both", "refused",
                  "a rule matches exit codes or conditions, not both",
                  "make two rules of it; the first one that matches decides"},
};

LintFinding explain(const Refusal& refusal) {
  const auto& [path, text] = refusal;
  for (const RefusalAdvice& known : kRefusals) {
    const bool in_spec = path.starts_with("spec");
    if (in_spec && path.find(known.path_part) != std::string::npos &&
        text.find(known.text_part) != std::string::npos) {
      const bool is_rule_name = known.id != "rule-name" || path.find("rules[") != std::string::npos;
      if (is_rule_name) {
        return {Severity::error,       known.id, path, text, std::string(known.why),
                std::string(known.fix)};
      }
    }
  }
  return {Severity::error, "refused", path, text, std::string(kRefusedWhy), ""};
}

}  // namespace

std::vector<LintFinding> lint_refusals(const std::vector<Refusal>& refusals) {
  std::vector<LintFinding> findings;
  for (const Refusal& refusal : refusals) {
    findings.push_back(explain(refusal));
  }
  return findings;
}

}  // namespace windlass::policy
