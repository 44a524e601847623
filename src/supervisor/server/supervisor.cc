#include "supervisor/server/supervisor.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "posix/error.h"
#include "supervisor/protocol/local_socket.h"

namespace windlass::supervisor {
namespace {

constexpr Duration kLook = seconds(2);

}  // namespace

Supervisor::Supervisor(posix::EventLoop& loop, env::Clock& clock, env::Log& log,
                       SupervisorOptions options, size_t max_descriptors,
                       rlimit inherited_descriptors)
    : loop_(loop),
      clock_(clock),
      log_(log),
      options_(std::move(options)),
      agents_(loop, log, *this),
      runs_(loop, clock, log, *this,
            {options_.directory, options_.logs, options_.use_namespaces, options_.use_cgroups,
             max_descriptors, inherited_descriptors}) {}

Result<void> Supervisor::start() {
  struct stat info = {};
  if (::stat(options_.directory.c_str(), &info) != 0) {
    return fail(posix::system_error("stat", options_.directory, errno));
  }
  directory_inode_ = info.st_ino;
  TRY_VOID(runs_.open());
  for (const std::string& missing : runs_.isolation().missing) {
    log_.warning(missing);
  }
  last_needed_ = clock_.monotonic();
  look_whether_needed();
  return agents_.listen(options_.directory);
}

void Supervisor::on_agent() {
  send(Welcome{kProtocolVersion, static_cast<int32_t>(::getpid()), runs_.isolation()});
  runs_.report_all();
  send(Synced{});
}

void Supervisor::on_message(const Message& message) {
  std::visit(
      [this](const auto& said) {
        if constexpr (requires { runs_.handle(said); }) {
          runs_.handle(said);
        } else if constexpr (std::is_same_v<std::decay_t<decltype(said)>, Shutdown>) {
          shut_down();
        }
      },
      message);
}

void Supervisor::shut_down() {
  shutting_down_ = true;
  runs_.shut_down();
  stop_if_done();
}

void Supervisor::stop_if_done() {
  if (!shutting_down_ || runs_.any() || !runs_.settled()) {
    return;
  }
  agents_.close_agent();  // all that it is to be told is written
  runs_.remove_groups();
  ::unlink((options_.directory + "/" + kSocketName).c_str());
  loop_.stop();
}

// A user who removes the directory has no use for its supervisor, and an agent that was killed
// while it started one may never come.
void Supervisor::look_whether_needed() {
  struct stat info = {};
  const bool there =
      ::stat(options_.directory.c_str(), &info) == 0 && info.st_ino == directory_inode_;
  const MonotonicTime now = clock_.monotonic();
  // A pod's volumes in memory are not written down anywhere else.
  if (agents_.any() || runs_.any() || runs_.any_memory()) {
    last_needed_ = now;
  }
  runs_.remove_idle_groups();
  if (!runs_.any() && (!there || now - last_needed_ > options_.end_when_idle_for)) {
    shut_down();
  }
  look_timer_ = loop_.schedule(std::min(kLook, options_.end_when_idle_for),
                               [this] { look_whether_needed(); });
}

}  // namespace windlass::supervisor
