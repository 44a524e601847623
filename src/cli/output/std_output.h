#pragma once

#include <unistd.h>

#include "cli/output/output.h"

namespace windlass::cli {

// Standard output and standard error. After a reader has gone away (EPIPE), further text is
// dropped: `windlass ... | head` ends quietly. Any other error of standard output is printed once,
// and further text is dropped. Any thread may write, one at a time; lines do not mix when each call
// writes whole lines.
class StdOutput : public Output {
 public:
  // Other descriptors are for tests.
  explicit StdOutput(int out = STDOUT_FILENO, int err = STDERR_FILENO) : out_(out), err_(err) {}

  void out(std::string_view text) override;
  void err(std::string_view text) override;
  bool interactive() const override;
  bool in_foreground() const override;
  bool is_terminal(Stream stream) const override;
  bool colours() const override;
  size_t columns() const override;
  size_t rows() const override;

  // The code to exit with: a reader must not take truncated output for all of it.
  ExitCode exit_code(ExitCode code) const;

 private:
  const int out_;
  const int err_;
  bool out_over_ = false;
  bool out_failed_ = false;
};

}  // namespace windlass::cli
