#include "store/sqlite/newest_mark.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

#include "store/sqlite/checksum.h"

namespace windlass::store {
namespace {

constexpr const char* kNewMarkFile = "store.db-newest.new";
constexpr uint64_t kSlots = 2;
// No disk writes less at once, and none spoils more than what it writes at once.
constexpr size_t kSlotBytes = 4'096;
constexpr std::string_view kTitle = "newest ";
constexpr size_t kDigits = 20;

// `newest 00000000000000000192 a1b2c3d4`, so that `head -c 37` shows it.
std::string slot_text(Revision revision) {
  std::string text = fmt::format("{}{:020}", kTitle, revision);
  text += fmt::format(" {:08x}\n", crc32c(text));
  text.resize(kSlotBytes, '\0');
  return text;
}

std::optional<Revision> revision_in(const std::string& slot) {
  Revision revision = 0;
  const char* digits = slot.data() + kTitle.size();
  const auto parsed = std::from_chars(digits, digits + kDigits, revision);
  return parsed.ec == std::errc() && slot == slot_text(revision) ? std::optional(revision)
                                                                 : std::nullopt;
}

}  // namespace

Result<std::optional<NewestMark>> NewestMark::open(env::DataDirectory& directory,
                                                   const std::string& vfs) {
  TRY(const bool there, directory.has(kMarkFile));
  if (!there) {
    return std::optional<NewestMark>();
  }
  TRY(VfsFile file,
      VfsFile::open(directory.path() + "/" + kMarkFile, vfs, VfsFile::Use::read_and_write));
  NewestMark mark(std::move(file));
  TRY_VOID(mark.load());
  return std::optional(std::move(mark));
}

Result<void> NewestMark::load() {
  TRY(const uint64_t size, file_.size());
  std::string slot(kSlotBytes, '\0');
  for (uint64_t i = 0; i < kSlots && size == kSlots * kSlotBytes; ++i) {
    TRY_VOID(file_.read(i * kSlotBytes, slot.data(), slot.size()));
    if (const auto revision = revision_in(slot); revision && *revision >= revision_) {
      revision_ = *revision;
      next_slot_ = (i + 1) % kSlots;
    }
  }
  if (revision_ == 0) {
    return fail(plain_error(fmt::format(
        "{} is damaged, so it cannot be known whether store.db has everything that was "
        "acknowledged; restore the data directory from a copy, or remove this file and start once "
        "with --accept-lost-writes to continue with what store.db has",
        file_.path())));
  }
  return {};
}

Result<NewestMark> NewestMark::make(env::DataDirectory& directory, const std::string& vfs,
                                    Revision revision) {
  TRY_VOID(directory.create(kNewMarkFile));
  {
    TRY(VfsFile file,
        VfsFile::open(directory.path() + "/" + kNewMarkFile, vfs, VfsFile::Use::read_and_write));
    for (uint64_t i = 0; i < kSlots; ++i) {
      if (file.write(i * kSlotBytes, slot_text(revision)) != SqliteResult::done) {
        return fail(plain_error(file.error()));
      }
    }
    if (file.sync() != SqliteResult::done) {
      return fail(plain_error(file.error()));
    }
  }
  TRY_VOID(directory.rename(kNewMarkFile, kMarkFile));
  TRY(std::optional<NewestMark> made, open(directory, vfs));
  return made ? Result<NewestMark>(*std::move(made))
              : fail(plain_error(fmt::format("{}/{} is gone", directory.path(), kMarkFile)));
}

SqliteResult NewestMark::write(Revision revision) {
  const SqliteResult outcome = file_.write(next_slot_ * kSlotBytes, slot_text(revision));
  if (outcome == SqliteResult::done) {
    revision_ = revision;
    next_slot_ = (next_slot_ + 1) % kSlots;
    synced_ = false;
  }
  return outcome;
}

SqliteResult NewestMark::sync() {
  const SqliteResult outcome = synced_ ? SqliteResult::done : file_.sync();
  synced_ = synced_ || outcome == SqliteResult::done;
  return outcome;
}

}  // namespace windlass::store
