// What the page shows of one Job, as one JSON document: verdict, counts, a letter per index,
// failure policy with findings, causes, and all attempts in columns. src/web/page/model.js says
// what each member is; docs/guide/report.md documents it. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "explain/explain.h"
#include "ledger/ledger.h"

namespace windlass::web {

struct JobPageInput {
  explain::Evidence evidence;  // the Job with the pods that are there
  std::vector<ledger::AttemptPtr> attempts = {};
  bool has_ledger = false;
  bool has_rerun = true;  // `windlass rerun` finds the Job
  // Bytes of logs that the document holds; failures go first. 0: the reader asks for each.
  size_t log_bytes = 0;
};

// With more indexes than this, the map shows attempts.
inline constexpr int32_t kMaxMapIndexes = 1'000'000;
inline constexpr int kJobPageVersion = 1;

// The document of one moment, and parts of it for readers who have an earlier one.
class JobPage {
 public:
  explicit JobPage(JobPageInput input);
  ~JobPage();
  JobPage(const JobPage&) = delete;
  JobPage& operator=(const JobPage&) = delete;

  // The letters of the indexes; "" where the map shows attempts.
  const std::string& cells() const;
  // In the order of the document.
  size_t attempt_count() const;
  const std::string& uid_of(size_t attempt) const;
  // Changes with anything that the document says about the attempt.
  uint64_t digest_of(size_t attempt) const;

  std::string json() const;
  // Without cells, and with these attempts alone.
  std::string json_with(const std::vector<size_t>& attempts) const;

 private:
  class Impl;
  std::unique_ptr<const Impl> impl_;
};

std::string job_page_json(const JobPageInput& input);

}  // namespace windlass::web
