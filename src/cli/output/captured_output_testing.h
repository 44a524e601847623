// For tests only: what a command wrote, as text.
#pragma once

#include <string>

#include "cli/output/output.h"

namespace windlass::cli::testing {

class TextOutput final : public Output {
 public:
  void out(std::string_view text) override { out_text += text; }
  void err(std::string_view text) override { err_text += text; }
  bool interactive() const override { return is_terminal; }
  size_t columns() const override { return width; }

  bool is_terminal = false;
  size_t width = 80;
  std::string out_text;
  std::string err_text;
};

}  // namespace windlass::cli::testing
