// The beginning of a run, as its folder keeps it: what it was asked to do, and what earlier runs
// had done already. Written once. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windlass::cli {

struct RunRecord {
  // Done before this run, by those that it resumes.
  struct DoneJob {
    std::string ns = {};
    std::string name = {};
    bool complete = false;     // the whole Job
    std::string indexes = {};  // of an Indexed Job
    int64_t completions = 0;   // of any other
  };

  Time started{};
  std::string directory = {};           // the working directory, absolute
  std::vector<std::string> files = {};  // manifests, as they were named; `-` is standard input
  bool recursive = false;
  std::string ns = {};       // of objects that name none
  std::string resumes = {};  // the name of a run, or ""
  std::vector<DoneJob> done = {};
};

std::string record_json(const RunRecord& record);
// An error where the text is no record, or one of a later version.
Result<RunRecord> read_record(std::string_view json);

}  // namespace windlass::cli
