#include "cli/output/live_output.h"

namespace windlass::cli {
namespace {

constexpr std::string_view kClearLine = "\r\x1b[K";

}  // namespace

void LiveOutput::out(std::string_view text) {
  if (status_.empty()) {
    return terminal_.out(text);
  }
  // Often the same terminal: cleared before, drawn again after.
  terminal_.err(kClearLine);
  terminal_.out(text);
  terminal_.err(status_);
}

void LiveOutput::err(std::string_view text) {
  terminal_.err(status_.empty() ? std::string(text)
                                : std::string(kClearLine) + std::string(text) + status_);
}

void LiveOutput::show(std::string_view status) {
  if (status == status_) {
    return;
  }
  status_ = status;
  terminal_.err(std::string(kClearLine) + status_);
}

}  // namespace windlass::cli
