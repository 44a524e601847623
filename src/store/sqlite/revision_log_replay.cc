// How a store begins: every row is read and checked, in revision order.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "store/sqlite/revision_log.h"
#include "store/sqlite/row.h"

namespace windlass::store {
namespace {

// So many are expected without more proof than a number in the file.
constexpr uint64_t kMaxExpectedObjects = 1'000'000;

// The newest state of each object, as far as the rows have been read. Only looked up, never walked
// through: its order decides nothing.
class Newest {
 public:
  explicit Newest(size_t rows) { objects_.reserve(rows); }

  // "" when the row fits what came before it.
  std::string take(const Row& row, Revision compacted) {
    name_.assign(row.resource).append(1, '\n').append(row.key);
    const auto [place, is_new] = objects_.try_emplace(name_, Revision{0});
    const Revision before =
        std::exchange(place->second, row.change == Change::deleted ? Revision{0} : row.revision);
    if (row.revision <= compacted) {
      return !is_new                         ? "is an older state that compaction has removed"
             : row.change == Change::deleted ? "is a deletion that compaction has removed"
                                             : "";
    }
    if ((row.change == Change::created) != (row.previous == 0)) {
      return "does not say what it replaces";
    }
    return row.previous == before
               ? ""
               : fmt::format("replaces revision {}, but the newest one before it is {}",
                             row.previous, before);
  }

 private:
  std::unordered_map<std::string, Revision> objects_;
  std::string name_;
};

}  // namespace

Result<void> RevisionLog::replay(ReplayListener& listener) {
  const auto damaged = [this](const std::string& what) {
    return fail(
        plain_error(fmt::format("{}/store.db is damaged: {}; restore the data directory "
                                "from a copy",
                                directory_->path(), what)));
  };
  TRY(Statement rows, database_.prepare("SELECT revision, previous, change, checksum, resource, "
                                        "key, object FROM log ORDER BY revision"));
  listener.on_replay(compacted_, newest_);
  Newest newest(std::min(row_count_, kMaxExpectedObjects));
  Revision last = 0;
  uint64_t count = 0;
  uint64_t sum = 0;
  SqliteResult outcome = rows.step();
  for (; outcome == SqliteResult::row; outcome = rows.step()) {
    const std::optional<Change> change = change_named(rows.text(2));
    const Row row{static_cast<Revision>(rows.integer(0)),
                  static_cast<Revision>(rows.integer(1)),
                  change.value_or(Change::created),
                  rows.text(4),
                  rows.text(5),
                  rows.bytes(6)};
    if (row.revision <= last || row.revision > newest_) {
      return damaged(fmt::format("revision {} follows {}", row.revision, last));
    }
    const uint32_t checksum = checksum_of(row);
    if (!change || int64_t{checksum} != rows.integer(3)) {
      return damaged(fmt::format("the checksum of revision {} is wrong", row.revision));
    }
    if (const std::string wrong = newest.take(row, compacted_); !wrong.empty()) {
      return damaged(fmt::format("revision {} {}", row.revision, wrong));
    }
    last = row.revision;
    ++count;
    sum += checksum;
    if (row.revision > compacted_) {
      note_kept(row.revision, row.object.size());
    }
    listener.on_kept({row.revision, row.change, row.resource, row.key, std::string(row.object)});
  }
  if (outcome != SqliteResult::done) {
    return fail(plain_error(database_.error()));
  }
  if (count != row_count_ || sum != checksum_sum_) {
    return damaged(fmt::format("it has {} rows where {} were committed", count, row_count_));
  }
  return {};
}

}  // namespace windlass::store
