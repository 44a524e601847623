// What the record of a Job (record.h) says, what is known beside it, and how much of that the API
// server has. Owned by State; one thread.
#pragma once

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/state/record.h"

namespace windlass::engine {

class RecordMemory {
 public:
  // The annotation as it is stored now.
  void load(std::string_view text);
  // What the annotation lacks and pods tell.
  void learn(const JobRecord& shown);
  // Whether a part of the annotation could not be read; once for each text.
  bool take_unreadable() { return std::exchange(unreadable_, false); }

  // What is stored, and what is known beside it.
  const JobRecord& record() const { return record_; }
  const IndexCounts& stored_counts() const { return stored_counts_; }

  // KEP-3850: failures of an index, whose pod may go.
  void raise(int32_t index, IndexFailures failures, Time last);
  // How many indexes there is no room for: their pods may go all the same.
  size_t fit();
  // Whether the API server has these failures, or never will.
  bool is_stored(int32_t index, IndexFailures failures) const;
  bool is_given_up(int32_t index) const { return given_up_.contains(index); }
  void retry_given_up() { given_up_.clear(); }
  // Whether some of these have to be stored, and are not.
  bool lacks(const IndexCounts& needed) const;
  // A status write with this record was accepted. `dropped` is what it no longer says of indexes.
  void adopt(const JobRecord& record, const IndexCounts& dropped);
  // Failures that the server accepted and does not have: the pods that carry them may go all the
  // same. How many indexes.
  size_t give_up_unstored(const IndexCounts& sent);

 private:
  friend class Fingerprint;

  JobRecord record_;
  IndexCounts stored_counts_;
  std::set<int32_t> given_up_;  // indexes whose failures cannot be stored
  bool grew_ = false;           // since the counts were last held against the room for them
  bool unreadable_ = false;
};

}  // namespace windlass::engine
