#pragma once

#include "cli/output.h"

namespace windlass::cli {

// Standard output and standard error. Once the reader of one has gone away (EPIPE), what is written
// there is dropped: `windlass ... | head` ends quietly. Any thread may write; lines do not mix when
// each call writes whole lines.
class StdOutput : public Output {
 public:
  void out(std::string_view text) override;
  void err(std::string_view text) override;
  bool interactive() const override;
  size_t columns() const override;
};

}  // namespace windlass::cli
