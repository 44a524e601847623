// Attempts of Jobs, as the ledger has them: docs/reference/ledger.md.
#include <fmt/format.h>

#include "apiserver/table/columns.h"
#include "ledger/attempt_facts.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::apiserver {
namespace {

constexpr Column kAttemptColumns[] = {
    {"Name", "string", "name", 0, "UID of the pod."},
    {"Job", "string", "", 0, "Job that the pod belonged to."},
    {"Index", "string", "", 0, "Completion index of the pod."},
    {"Attempt", "integer", "", 0, "Which attempt of its index this was."},
    {"Counted", "string", "", 0, "How the Job counted it."},
    {"Exit-Code", "string", "", 0, "Exit code of the container that decided."},
    {"Reason", "string", "", 0, "Why it ended."},
    {"Age", "string", "", 0, "How long ago it ended."},
    {"Pod", "string", "", 1, "Name of the pod."},
    {"Node", "string", "", 1, "Node that the pod ran on."},
    {"Rule", "string", "", 1, "Rule of the failure policy that matched."},
};

void attempt_cells(const api::Message& object, Time now, JsonWriter& json) {
  const auto& attempt = static_cast<const api::ledger::v1::Attempt&>(object);
  const auto& verdict = attempt.verdict();
  const auto code = ledger::exit_code_of(attempt);
  json.string(attempt.metadata().name()).string(attempt.job().name());
  json.string(attempt.has_index() ? std::to_string(attempt.index()) : "<none>");
  json.number(attempt.number()).string(or_none(verdict.counted()));
  json.string(code ? std::to_string(*code) : "<none>");
  json.string(or_none(ledger::reason_of(attempt)));
  json.string(human_duration(now - time_from_unix(ledger::time_of(attempt))));
  json.string(or_none(attempt.pod_name())).string(or_none(attempt.node_name()));
  json.string(or_none(ledger::rule_of(attempt)));
}

}  // namespace

TableColumns attempt_columns() {
  return {kAttemptColumns, &attempt_cells};
}

}  // namespace windlass::apiserver
