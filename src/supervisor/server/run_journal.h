// The file that remembers runs across the supervisor's death: frames that are appended, each one
// commit, each synced before anything it says becomes visible.
//
//   frame = "WLJ1" | length u32 | sequence u64 | hash u64 | payload        (little endian)
//
// Zeros follow, for frames to come. The hash covers sequence and payload; sequences count up by
// one. What a crash tore off the end is dropped: a frame that is not whole, followed by no whole
// one, was never acknowledged. A broken frame with a later one behind it is damage, and opening
// fails with its place: runs that were recorded there could otherwise be started a second time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "posix/files/file_descriptor.h"

namespace windlass::supervisor {

// The payloads of the whole frames in `bytes`; fails for damage.
struct RunJournalContent {
  std::vector<std::string_view> payloads;
  uint64_t last_sequence = 0;
  size_t good_bytes = 0;
};
Result<RunJournalContent> parse_run_journal(std::string_view bytes);

class RunJournal {
 public:
  static constexpr size_t kMaxFileBytes = 256 * 1024 * 1024;
  static constexpr const char* kName = "journal";

  // `directory` exists and is held by a lock. Nothing is open until the first replace().
  explicit RunJournal(std::string directory) : directory_(std::move(directory)) {}

  // What was committed before; nothing for a new directory.
  Result<std::vector<std::string>> read() const;
  // A new file with this one payload in place of the old one, whole or not at all.
  Result<void> replace(std::string_view payload);
  // Appends one frame and syncs it. After an error the file's end is unknown: replace() next.
  Result<void> append(std::string_view payload);
  size_t bytes() const { return bytes_; }

 private:
  std::string path() const { return directory_ + "/" + kName; }

  std::string directory_;
  posix::FileDescriptor file_;
  uint64_t sequence_ = 0;
  size_t bytes_ = 0;          // of frames
  size_t written_bytes_ = 0;  // with the zeros
};

}  // namespace windlass::supervisor
