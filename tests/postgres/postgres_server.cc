#include "postgres_server.h"

#include <unistd.h>

#include <filesystem>

#include "posix/process/program.h"

namespace windlass::postgres {
namespace {

// Debian has no links to these in /usr/bin.
std::string programs() {
  std::error_code error;
  std::string newest;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", error)) {
    const std::string folder = entry.path() / "bin";
    if (std::filesystem::exists(folder + "/initdb") && folder > newest) {
      newest = folder;
    }
  }
  return newest;
}

}  // namespace

bool PostgresServer::is_installed() {
  return !programs().empty();
}

PostgresServer::~PostgresServer() {
  if (runs_) {
    stop();
  }
}

bool PostgresServer::shell(const std::string& script) const {
  const std::string as_user =
      ::geteuid() == 0 ? "setpriv --reuid postgres --regid postgres --clear-groups " : "";
  const auto done = posix::run_program(
      {"sh", "-ec",
       "cd " + directory_.path() + "; PATH=" + programs() + ":$PATH; run() { " + as_user +
           "\"$@\"; }; { " + script + "; } >>test.log 2>&1 || { cat test.log >&2; exit 1; }"});
  return done.has_value();
}

bool PostgresServer::create() {
  // What needs no disk here: nothing that these tests stop is the machine.
  return shell(std::string(::geteuid() == 0 ? "chown postgres . ; " : "") +
               "run initdb -D data -A trust -U postgres -E UTF8 --locale C --no-sync; "
               "printf \"%s\\n\" \"listen_addresses = ''\" \"fsync = off\" "
               "\"unix_socket_directories = '$PWD'\" \"shared_buffers = 16MB\" "
               ">>data/postgresql.conf") &&
         start();
}

bool PostgresServer::start() {
  runs_ = shell("run pg_ctl -D data -l server.log -w -t 120 start");
  return runs_;
}

bool PostgresServer::stop(const std::string& mode) {
  runs_ = false;
  return shell("run pg_ctl -D data -m " + mode + " -w -t 120 stop");
}

}  // namespace windlass::postgres
