// One row of the log as text and numbers, and the checksum over all of it. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "store/version.h"

namespace windlass::store {

struct Row {
  Revision revision = 0;
  Revision previous = 0;
  Change change = Change::created;
  std::string_view resource = {};
  std::string_view key = {};
  std::string_view object = {};
};

std::string_view name_of(Change change);  // create, update, delete
std::optional<Change> change_named(std::string_view name);
uint32_t checksum_of(const Row& row);

}  // namespace windlass::store
