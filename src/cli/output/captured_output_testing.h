// For tests only: what a command wrote, as text.
#pragma once

#include <string>

#include "cli/output/output.h"

namespace windlass::cli::testing {

class TextOutput final : public Output {
 public:
  void out(std::string_view text) override { out_text += text; }
  void err(std::string_view text) override { err_text += text; }
  bool interactive() const override { return watched; }
  bool in_foreground() const override { return has_terminal; }
  bool is_terminal(Stream stream) const override {
    return watched && !(stream == Stream::out && out_is_piped);
  }
  bool colours() const override { return has_colours; }
  size_t columns() const override { return width; }
  size_t rows() const override { return height; }

  bool watched = false;  // by a person, on a terminal
  bool has_terminal = true;
  bool out_is_piped = false;
  bool has_colours = false;
  size_t width = 80;
  size_t height = 24;
  std::string out_text;
  std::string err_text;
};

}  // namespace windlass::cli::testing
