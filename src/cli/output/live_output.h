// An output with a block of lines at the bottom that is redrawn; other text appears above it. For
// terminals; the caller decides whether there is a block. Control characters in a line would break
// the block: lines contain none but colours.
#pragma once

#include <string>
#include <vector>

#include "cli/output/output.h"

namespace windlass::cli {

class LiveOutput final : public Output {
 public:
  explicit LiveOutput(Output& terminal) : terminal_(terminal) {}

  void out(std::string_view text) override;
  void err(std::string_view text) override;
  bool interactive() const override { return terminal_.interactive(); }
  bool in_foreground() const override { return terminal_.in_foreground(); }
  bool is_terminal(Stream stream) const override { return terminal_.is_terminal(stream); }
  bool colours() const override { return terminal_.colours(); }
  size_t columns() const override { return terminal_.columns(); }
  size_t rows() const override { return terminal_.rows(); }

  // No lines remove the block.
  void show(std::vector<std::string> lines);
  // Leaves the block where it is: something else has written below it. The next one is drawn anew.
  void abandon();

 private:
  std::string erased() const;
  std::string drawn() const;

  Output& terminal_;
  std::vector<std::string> lines_;
  bool mid_line_ = false;  // the text above does not end with a newline yet
};

}  // namespace windlass::cli
