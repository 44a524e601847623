#include "attempt_records.h"

#include <fmt/format.h>

#include <utility>

#include "ledger/sqlite/attempt_reader.h"
#include "posix/files/data_directory.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::crash {

std::optional<std::map<std::string, AttemptRecord>> read_attempt_records(
    const std::string& data_dir) {
  auto folder = posix::enter_directory(data_dir);
  if (!folder) {
    return std::nullopt;
  }
  auto reader = ledger::AttemptReader::open(*std::move(folder), {});
  if (!reader) {
    fmt::print("the ledger cannot be opened: {}\n", reader.error().message);
    return std::nullopt;
  }
  std::map<std::string, AttemptRecord> records;
  std::string next;
  do {
    const auto page = (*reader)->find({}, ledger::AttemptSource::kMaxPage, next);
    if (!page) {
      fmt::print("the ledger cannot be read: {}\n", page.error().message);
      return std::nullopt;
    }
    for (const auto& attempt : page->items) {
      AttemptRecord& record = records[attempt->metadata().name()];
      record = {attempt->job().name(), attempt->phase(), attempt->verdict().counted()};
      record.index = attempt->has_index() ? std::optional(attempt->index()) : std::nullopt;
      if (attempt->containers_size() > 0 && attempt->containers(0).has_exit_code()) {
        record.exit_code = attempt->containers(0).exit_code();
        record.reason = attempt->containers(0).reason();
      }
    }
    next = page->next;
  } while (!next.empty());
  return records;
}

}  // namespace windlass::crash
