// An output with one line at the bottom that is drawn anew: whatever else is written comes above
// it. For terminals; who wraps it decides whether there is one.
#pragma once

#include <string>

#include "cli/output.h"

namespace windlass::cli {

class LiveOutput final : public Output {
 public:
  explicit LiveOutput(Output& terminal) : terminal_(terminal) {}

  void out(std::string_view text) override;
  void err(std::string_view text) override;
  bool interactive() const override { return terminal_.interactive(); }
  size_t columns() const override { return terminal_.columns(); }

  // "" takes it away.
  void show(std::string_view status);

 private:
  Output& terminal_;
  std::string status_;
};

}  // namespace windlass::cli
