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
  bool colours() const override { return has_colours; }
  size_t columns() const override { return width; }
  size_t rows() const override { return height; }

  bool is_terminal = false;
  bool has_colours = false;
  size_t width = 80;
  size_t height = 24;
  std::string out_text;
  std::string err_text;
};

}  // namespace windlass::cli::testing
