#include "cli/version.h"

#include <fmt/format.h>

namespace windlass::cli {
namespace {

constexpr const char* kVersion = "v" WINDLASS_VERSION;

}  // namespace

std::string version_number() {
  return kVersion;
}

std::string version_text(OutputFormat format) {
  switch (format) {
    case OutputFormat::json:
      return fmt::format("{{\n  \"version\": \"{}\"\n}}\n", kVersion);
    case OutputFormat::yaml:
      return fmt::format("version: {}\n", kVersion);
    case OutputFormat::text:
      break;
  }
  return fmt::format("windlass {}\n", kVersion);
}

}  // namespace windlass::cli
