// Attempts as text: a table for people, JSON, JSON lines or CSV. Each form writes what it can as
// soon as it can; the table needs all rows first. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/output/output.h"
#include "ledger/ledger.h"

namespace windlass::cli {

enum class AttemptFormat { table, json, json_lines, csv };

class AttemptWriter {
 public:
  // `with_namespace` gives the table a column for it.
  AttemptWriter(AttemptFormat format, bool with_namespace, Output& output)
      : format_(format), with_namespace_(with_namespace), output_(output) {}

  void add(const api::ledger::v1::Attempt& attempt);
  // Once, after the last.
  void finish();

 private:
  using Cells = std::vector<std::string>;
  void write_table();

  AttemptFormat format_;
  bool with_namespace_;
  Output& output_;
  size_t count_ = 0;
  std::vector<Cells> rows_;  // of the table
};

}  // namespace windlass::cli
