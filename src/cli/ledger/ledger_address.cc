#include "cli/ledger/ledger_address.h"

namespace windlass::cli {

bool is_database_address(const std::string& address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://");
}

Result<std::string> ledger_file_of(const std::string& address) {
  constexpr std::string_view kPrefix = "sqlite:";
  if (!address.starts_with(kPrefix) || address.size() == kPrefix.size() || address.ends_with('/')) {
    return fail(plain_error(
        "invalid --ledger: must be sqlite:FILE, such as sqlite:/var/lib/windlass/ledger.db, or "
        "postgresql://USER@HOST:PORT/DATABASE"));
  }
  return address.substr(kPrefix.size());
}

FilePlace split_path(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) {
    return {".", path};
  }
  return {slash == 0 ? "/" : path.substr(0, slash), path.substr(slash + 1)};
}

}  // namespace windlass::cli
