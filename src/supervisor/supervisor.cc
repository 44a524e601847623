#include "supervisor/supervisor.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "base/check.h"
#include "base/quote.h"
#include "posix/error.h"
#include "supervisor/cgroup_files.h"
#include "supervisor/leftovers.h"
#include "supervisor/local_socket.h"
#include "supervisor/peer.h"
#include "supervisor/probe.h"

namespace windlass::supervisor {
namespace {

constexpr size_t kDescriptorsPerContainer = 8;
constexpr size_t kOwnDescriptors = 64;
// One volume in memory for so many containers that there may be.
constexpr size_t kContainersPerMemory = 4;
constexpr size_t kMaxNewcomers = 16;
constexpr Duration kLeftoverPatience = seconds(10);
constexpr Duration kLook = seconds(2);

size_t container_limit(size_t descriptors) {
  return descriptors <= kOwnDescriptors
             ? 1
             : (descriptors - kOwnDescriptors) / kDescriptorsPerContainer;
}

// For a run whose end is not on disk yet: it will be told when it is.
env::ContainerRunInfo still_running(const env::ContainerRunInfo& run) {
  env::ContainerRunInfo shown;
  shown.id = run.id;
  shown.state = env::ContainerRunInfo::State::running;
  shown.exit.started_at = run.exit.started_at;
  return shown;
}

}  // namespace

Supervisor::Supervisor(posix::EventLoop& loop, env::Clock& clock, env::Log& log,
                       SupervisorOptions options, size_t max_descriptors,
                       rlimit inherited_descriptors)
    : loop_(loop),
      clock_(clock),
      log_(log),
      options_(std::move(options)),
      max_containers_(container_limit(max_descriptors)),
      setting_(probe_namespaces(options_.use_namespaces, inherited_descriptors, isolation_)),
      memory_(setting_, max_containers_ / kContainersPerMemory),
      ledger_(options_.directory) {}

Supervisor::~Supervisor() {
  for (const env::TimerId timer : {look_timer_, commit_timer_}) {
    loop_.cancel(timer);
  }
  loop_.unwatch(listener_watch_);
}

Result<void> Supervisor::start() {
  struct stat info = {};
  if (::stat(options_.directory.c_str(), &info) != 0) {
    return fail(posix::system_error("stat", options_.directory, errno));
  }
  directory_inode_ = info.st_ino;
  const std::string instance = group_name(options_.directory);
  const CgroupMounts mounts = options_.use_cgroups
                                  ? find_cgroup_mounts(read_cgroup("/proc/self/mountinfo"))
                                  : CgroupMounts();
  cgroups_ = std::make_unique<Cgroups>(mounts, instance, isolation_);
  TRY(const bool same_boot, ledger_.open(boot_id()));
  end_leftovers(same_boot);
  TRY_VOID(ledger_.commit());
  for (const std::string& missing : isolation_.missing) {
    log_.warning(missing);
  }
  last_needed_ = clock_.monotonic();
  look_whether_needed();
  return listen();
}

void Supervisor::end_leftovers(bool same_boot) {
  const bool clean = cgroups_->clear_leftovers(kLeftoverPatience);
  if (!clean) {
    log_.error("processes of an earlier supervisor do not die",
               {{"directory", options_.directory}});
  }
  std::vector<Ledger::Entry> lost;
  for (const auto& [id, entry] : ledger_.runs()) {
    if (!entry.run.over()) {
      lost.push_back(entry);
    }
  }
  for (Ledger::Entry& entry : lost) {
    if (same_boot && !end_marked_process(entry.process, kLeftoverPatience)) {
      log_.error("a process of an earlier supervisor does not die",
                 {{"container", entry.run.id}, {"pid", fmt::format("{}", entry.process.pid)}});
    }
    // reliability.md N3: never a success, whatever it may have done.
    entry.run.state = env::ContainerRunInfo::State::ended;
    entry.run.exit.code = 137;
    entry.run.exit.signal = 9;
    entry.run.exit.lost = true;
    entry.run.exit.finished_at = clock_.now();
    ledger_.end(entry.run);
  }
}

Result<void> Supervisor::listen() {
  TRY(listener_, listen_in(options_.directory, kSocketName));
  listener_watch_ = loop_.watch(listener_.get(), EPOLLIN, [this](uint32_t) { accept(); });
  return {};
}

void Supervisor::accept() {
  posix::FileDescriptor socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!socket.valid() || !same_user(socket.get()) || newcomers_.size() >= kMaxNewcomers) {
    return;
  }
  auto peer = std::make_unique<Peer>();
  Peer& known = *peer;
  known.channel = std::make_unique<Channel>(
      loop_, std::move(socket),
      Channel::Handlers{
          [this, &known](std::string_view frame) { on_frame(known, frame); },
          [this, &known](std::string_view why) {
            if (!why.empty()) {
              log_.warning("an agent's connection ended", {{"why", std::string(why)}});
            }
            drop_peer(known);
          }});
  newcomers_.push_back(std::move(peer));
}

void Supervisor::on_frame(Peer& peer, std::string_view frame) {
  const Result<Message> message = decode(frame);
  const Hello* hello = message ? std::get_if<Hello>(&*message) : nullptr;
  if (!message || (hello != nullptr) == (&peer == peer_.get())) {
    log_.warning("an agent does not speak the protocol",
                 {{"error", message ? "Hello comes first, and once" : message.error().message}});
    peer.channel->close();
    drop_peer(peer);
    return;
  }
  if (hello != nullptr) {
    welcome(peer, *hello);
    return;
  }
  std::visit(
      [this](const auto& said) {
        if constexpr (requires { this->handle(said); }) {
          this->handle(said);
        } else if constexpr (std::is_same_v<std::decay_t<decltype(said)>, Shutdown>) {
          shut_down();
        }
      },
      *message);
}

void Supervisor::welcome(Peer& peer, const Hello& hello) {
  const auto found = std::find_if(newcomers_.begin(), newcomers_.end(),
                                  [&](const auto& each) { return each.get() == &peer; });
  CHECK(found != newcomers_.end(), "who says Hello is new");
  std::unique_ptr<Peer> newest = std::move(*found);
  newcomers_.erase(found);
  if (peer_) {
    peer_->channel->close();  // the newest wins: the other one is an agent that died slowly
    peer_->end_with_me = false;
    drop_peer(*peer_);
  }
  peer_ = std::move(newest);
  peer_->end_with_me = hello.end_with_me;
  peer_->version = hello.version;
  send(Welcome{kProtocolVersion, static_cast<int32_t>(::getpid()), isolation_});
  for (const auto& [id, entry] : ledger_.runs()) {
    send(RunReport{awaits_commit(id) ? still_running(entry.run) : entry.run});
  }
  send(Synced{});
}

void Supervisor::drop_peer(Peer& peer) {
  std::unique_ptr<Peer> dropped;
  if (peer_.get() == &peer) {
    dropped = std::move(peer_);
  } else {
    const auto found = std::find_if(newcomers_.begin(), newcomers_.end(),
                                    [&](const auto& each) { return each.get() == &peer; });
    if (found == newcomers_.end()) {
      return;
    }
    dropped = std::move(*found);
    newcomers_.erase(found);
  }
  const bool end = dropped->end_with_me;
  retired_peers_.push_back(std::move(dropped));
  retire();
  if (end) {
    shut_down();
  }
}

void Supervisor::send(const Message& message) {
  if (peer_) {
    peer_->channel->send(encode(message));
  }
}

void Supervisor::report(const std::string& id) {
  if (const Ledger::Entry* entry = ledger_.find(id)) {
    send(RunReport{entry->run});
  }
}

bool Supervisor::awaits_commit(const std::string& id) const {
  return std::find(to_report_.begin(), to_report_.end(), id) != to_report_.end();
}

void Supervisor::shut_down() {
  if (!std::exchange(shutting_down_, true)) {
    for (const auto& [id, container] : containers_) {
      container->kill();
    }
  }
  if (ledger_.pending()) {
    schedule_commit();
  }
  stop_if_done();
}

void Supervisor::stop_if_done() {
  if (!shutting_down_ || !containers_.empty() || ledger_.pending()) {
    return;
  }
  if (peer_) {
    peer_->channel->close();  // what it has to say is written
    peer_->end_with_me = false;
  }
  cgroups_->remove();
  ::unlink((options_.directory + "/" + kSocketName).c_str());
  loop_.stop();
}

// Somebody who removes the directory has no use for its supervisor, and an agent that was killed
// while it started one may never come.
void Supervisor::look_whether_needed() {
  struct stat info = {};
  const bool there =
      ::stat(options_.directory.c_str(), &info) == 0 && info.st_ino == directory_inode_;
  const MonotonicTime now = clock_.monotonic();
  // What is in the memory of a pod is not written down anywhere else.
  if (peer_ || !newcomers_.empty() || !containers_.empty() || memory_.any()) {
    last_needed_ = now;
  }
  cgroups_->remove_idle();
  if (containers_.empty() && (!there || now - last_needed_ > options_.end_when_idle_for)) {
    shut_down();
  }
  look_timer_ = loop_.schedule(std::min(kLook, options_.end_when_idle_for),
                               [this] { look_whether_needed(); });
}

// Objects are destroyed in a turn of their own, never inside one of their callbacks.
void Supervisor::retire() {
  if (std::exchange(retire_scheduled_, true)) {
    return;
  }
  loop_.post([this] {
    retire_scheduled_ = false;
    retired_.clear();
    retired_commands_.clear();
    retired_peers_.clear();
  });
}

}  // namespace windlass::supervisor
