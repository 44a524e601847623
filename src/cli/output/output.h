// Where a command writes. Commands never touch file descriptors, so tests see every byte.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace windlass::cli {

// kubectl's habits: results on `out`, everything about the work on `err`.
class Output {
 public:
  enum class Stream { out, err };

  virtual ~Output() = default;
  virtual void out(std::string_view text) = 0;
  virtual void err(std::string_view text) = 0;
  // A person watches `err`: progress may redraw itself.
  virtual bool interactive() const = 0;
  // Whether this program has the terminal, and no other that runs in the same shell.
  virtual bool in_foreground() const { return true; }
  // A terminal obeys control characters.
  virtual bool is_terminal(Stream /*stream*/) const { return interactive(); }
  // How many characters a line of `err` has room for.
  virtual size_t columns() const { return 80; }
  virtual size_t rows() const { return 24; }
  // Whether `err` shows colours: a terminal that knows them, and no NO_COLOR.
  virtual bool colours() const { return false; }
};

// What every command ends with; the numbers are part of the documented interface.
enum class ExitCode : int {
  ok = 0,
  failed = 1,       // the Job failed, the manifest is invalid, the output cannot be written
  usage = 2,        // wrong flags, unreadable file
  timed_out = 124,  // as timeout(1)
  interrupted = 130,
};

}  // namespace windlass::cli
