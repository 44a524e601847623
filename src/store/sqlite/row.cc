#include "store/sqlite/row.h"

#include <fmt/format.h>

#include "store/sqlite/checksum.h"

namespace windlass::store {

std::string_view name_of(Change change) {
  switch (change) {
    case Change::created:
      return "create";
    case Change::updated:
      return "update";
    case Change::deleted:
      return "delete";
  }
  return "";
}

std::optional<Change> change_named(std::string_view name) {
  for (const Change change : {Change::created, Change::updated, Change::deleted}) {
    if (name == name_of(change)) {
      return change;
    }
  }
  return std::nullopt;
}

uint32_t checksum_of(const Row& row) {
  // Names have no line ends, so the pieces cannot run into each other.
  const std::string head = fmt::format("{}\n{}\n{}\n{}\n{}\n", row.revision, row.previous,
                                       name_of(row.change), row.resource, row.key);
  return crc32c(row.object, crc32c(head));
}

}  // namespace windlass::store
