// An output with a status line at the bottom that is redrawn; other text appears above it. For
// terminals; the caller decides whether there is a status line.
#pragma once

#include <string>

#include "cli/output/output.h"

namespace windlass::cli {

class LiveOutput final : public Output {
 public:
  explicit LiveOutput(Output& terminal) : terminal_(terminal) {}

  void out(std::string_view text) override;
  void err(std::string_view text) override;
  bool interactive() const override { return terminal_.interactive(); }
  size_t columns() const override { return terminal_.columns(); }

  // "" removes it.
  void show(std::string_view status);

 private:
  Output& terminal_;
  std::string status_;
};

}  // namespace windlass::cli
