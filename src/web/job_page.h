// What the page shows of one Job, as one JSON document: verdict, counts, a letter per index,
// failure policy with findings, causes, and all attempts in columns. src/web/page/model.js says
// what each member is; docs/guide/report.md documents it. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "explain/explain.h"
#include "ledger/ledger.h"

namespace windlass::web {

struct JobPageInput {
  explain::Evidence evidence;  // the Job with the pods that are there
  std::vector<ledger::AttemptPtr> attempts = {};
  bool has_ledger = false;
  // Bytes of logs that the document holds; failures go first. 0: the reader asks for each.
  size_t log_bytes = 0;
};

// With more indexes than this, the map shows attempts.
inline constexpr int32_t kMaxMapIndexes = 1'000'000;
inline constexpr int kJobPageVersion = 1;

std::string job_page_json(const JobPageInput& input);

}  // namespace windlass::web
