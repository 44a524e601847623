#include "store/sqlite/held_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/check.h"

namespace windlass::store {

Result<void> HeldFiles::add(const char* name) {
  TRY(const env::FileState state, directory_.look_at(name));
  files_.push_back({name, state.identity});
  return {};
}

HeldFiles::Held& HeldFiles::held(const char* name) {
  const auto found = std::find_if(files_.begin(), files_.end(), [name](const Held& file) {
    return std::string_view(file.name) == name;
  });
  CHECK(found != files_.end(), "add() comes first");
  return *found;
}

void HeldFiles::expect_bytes(const char* name, uint64_t least) {
  held(name).least_bytes = least;
}

Result<void> HeldFiles::expect_present_bytes(const char* name) {
  TRY(const env::FileState state, directory_.look_at(name));
  expect_bytes(name, state.bytes);
  return {};
}

std::string HeldFiles::check() {
  for (const Held& file : files_) {
    const Result<env::FileState> state = directory_.look_at(file.name);
    if (!state) {
      return fmt::format(
          "{}; the server has this file open, and what it writes there would be lost",
          state.error().message);
    }
    const std::string path = directory_.path() + "/" + file.name;
    if (state->identity != file.identity) {
      return path + " is another file than the one that the server has open, which was removed";
    }
    if (state->bytes < file.least_bytes) {
      return fmt::format("{} was cut to {} bytes under the running server, it had at least {}",
                         path, state->bytes, file.least_bytes);
    }
  }
  return {};
}

}  // namespace windlass::store
