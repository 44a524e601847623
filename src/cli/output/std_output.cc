#include "cli/output/std_output.h"

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "posix/error.h"
#include "posix/process/inherited.h"

namespace windlass::cli {
namespace {

// Answers 0 or an errno. Waits where the other end of a pipe or a terminal has made it
// non-blocking.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else if (written == 0) {
      return EIO;
    } else if (errno == EAGAIN) {
      pollfd room = {descriptor, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// Zeros where it is not known.
winsize window_size(int descriptor) {
  winsize size = {};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 ? size : winsize{};
}

}  // namespace

void StdOutput::out(std::string_view text) {
  if (out_over_) {
    return;
  }
  if (const int error = write_all(out_, text); error != 0) {
    out_over_ = true;
    if (error != EPIPE) {
      out_failed_ = true;
      err("error: " + posix::system_error("write", "standard output", error).message + "\n");
    }
  }
}

void StdOutput::err(std::string_view text) {
  write_all(err_, text);
}

// A dumb terminal cannot redraw.
bool StdOutput::interactive() const {
  const std::string terminal = posix::environment_variable("TERM");
  return is_terminal(Stream::err) && !terminal.empty() && terminal != "dumb";
}

// A terminal that does not control this program's session tells nothing. After a stop (Ctrl-Z) the
// shell has written there: until SIGCONT is handled, nothing is as it was.
bool StdOutput::in_foreground() const {
  sigset_t pending;
  if (::sigpending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1) {
    return false;
  }
  const pid_t group = ::tcgetpgrp(err_);
  return group < 0 || group == ::getpgrp();
}

bool StdOutput::is_terminal(Stream stream) const {
  return ::isatty(stream == Stream::out ? out_ : err_) == 1;
}

// https://no-color.org: any value but the empty one turns colours off.
bool StdOutput::colours() const {
  return interactive() && posix::environment_variable("NO_COLOR").empty();
}

size_t StdOutput::columns() const {
  const winsize size = window_size(err_);
  return size.ws_col > 0 ? size.ws_col : Output::columns();
}

size_t StdOutput::rows() const {
  const winsize size = window_size(err_);
  return size.ws_row > 0 ? size.ws_row : Output::rows();
}

ExitCode StdOutput::exit_code(ExitCode code) const {
  return out_failed_ && code == ExitCode::ok ? ExitCode::failed : code;
}

}  // namespace windlass::cli
