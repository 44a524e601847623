#include "supervisor/protocol/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <utility>

#include "base/quote.h"
#include "supervisor/protocol/fields.h"

namespace windlass::supervisor {
namespace {

constexpr size_t kMaxIdBytes = 512;

template <class A>
void fields(A& archive, Is<Hello> auto& message) {
  archive(message.version, message.end_with_me);
}
template <class A>
void fields(A& archive, Is<Start> auto& message) {
  archive(message.request);
}
template <class A>
void fields(A& archive, Is<Signal> auto& message) {
  archive(message.id, message.number);
}
template <class A>
void fields(A& archive, Is<Exec> auto& message) {
  archive(message.number, message.exec);
}
template <class A>
void fields(A& archive, Is<Forget> auto& message) {
  archive(message.id);
}
template <class A>
void fields(A&, Is<Shutdown> auto&) {}
template <class A>
void fields(A& archive, Is<Welcome> auto& message) {
  archive(message.version, message.pid, message.isolation);
}
template <class A>
void fields(A& archive, Is<RunReport> auto& message) {
  archive(message.run);
}
template <class A>
void fields(A&, Is<Synced> auto&) {}
template <class A>
void fields(A& archive, Is<ExecDone> auto& message) {
  archive(message.number, message.error, message.result);
}

template <class A>
void fields(A& archive, Is<Forgotten> auto& message) {
  archive(message.id);
}

template <class A>
void fields(A&, Is<AskUse> auto&) {}
template <class A>
void fields(A& archive, Is<Use> auto& message) {
  archive(message.containers);
}

template <class A>
void fields(A& archive, Is<Refused> auto& message) {
  archive(message.id, message.why);
}

template <class A>
void fields(A& archive, Is<NotCreated> auto& message) {
  archive(message.id, message.reason, message.why);
}

template <class A>
void fields(A& archive, Is<RunUse> auto& message) {
  archive(message.id, message.peak_memory_bytes, message.cpu_microseconds);
}

template <class A>
void fields(A& archive, Is<StartConfined> auto& message) {
  archive(message.request, message.request.isolation.confinement);
}

template <class A>
void fields(A& archive, Is<StartBounded> auto& message) {
  archive(message.request, message.request.isolation.confinement,
          message.request.isolation.boundary);
}

template <class A>
void fields(A& archive, Is<OpenSession> auto& message) {
  archive(message.container, message.command, message.input, message.terminal);
}

template <class A>
void fields(A&, Is<SessionStarted> auto&) {}
template <class A>
void fields(A& archive, Is<SessionEnded> auto& message) {
  archive(message.error, message.code, message.refused);
}

template <size_t I = 0>
Result<Message> decode_as(size_t type, std::string_view payload) {
  if constexpr (I == std::variant_size_v<Message>) {
    return fail(plain_error(fmt::format("unknown message type {}", type)));
  } else {
    if (type != I) {
      return decode_as<I + 1>(type, payload);
    }
    std::variant_alternative_t<I, Message> message;
    WireReader reader(payload);
    fields(reader, message);
    if (!reader.finished()) {
      return fail(plain_error(fmt::format("malformed message of type {}", type)));
    }
    return message;
  }
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

// What wire.h reads back: the peer of one who sends more would take it for a stranger and hang up.
bool fits(const std::vector<std::string>& texts) {
  return texts.size() <= WireReader::kMaxItems &&
         std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
           return text.size() <= WireReader::kMaxStringBytes;
         });
}

bool absolute(const std::string& path) {
  return path.starts_with('/');
}

// Cut off: an error is told in few words, however long the path is.
std::string shown(const std::string& path) {
  constexpr size_t kMost = 256;
  return path.size() <= kMost ? quote(path) : quote(path.substr(0, kMost)) + "...";
}

Result<void> check_mount(const env::ContainerMount& mount) {
  for (const std::string* path : {&mount.target, &mount.source, &mount.sub_path}) {
    if (path->size() >= PATH_MAX) {
      return fail(plain_error(fmt::format("mount at {}: a path has more than {} bytes",
                                          shown(mount.target), PATH_MAX - 1)));
    }
  }
  if (!absolute(mount.target) || has_nul(mount.target) || has_nul(mount.source) ||
      has_nul(mount.sub_path) || absolute(mount.sub_path) ||
      (mount.kind == env::ContainerMount::Kind::bind && !absolute(mount.source))) {
    return fail(plain_error(fmt::format("mount {} at {}: paths must be absolute",
                                        quote(mount.source), quote(mount.target))));
  }
  if (mount.kind == env::ContainerMount::Kind::tmpfs && mount.source.empty()) {
    return fail(plain_error(fmt::format("mount at {}: memory needs a name", quote(mount.target))));
  }
  if (env::leads_up(mount.target)) {
    return fail(plain_error(fmt::format("mount at {}: .. is not allowed", quote(mount.target))));
  }
  return {};
}

// Of an IPC namespace. All others are the machine's.
bool is_own_setting(std::string_view setting) {
  const std::string_view name = setting.substr(0, setting.find('='));
  const bool ipc = name.starts_with("kernel.shm") || name.starts_with("kernel.msg") ||
                   name == "kernel.sem" || name.starts_with("fs.mqueue.");
  return ipc && setting.size() > name.size() && name.find('/') == std::string_view::npos &&
         name.find("..") == std::string_view::npos;
}

Result<void> check_confinement(const env::ContainerConfinement& confinement) {
  const auto& [read_only_root, added, dropped, sysctls, host_pid, host_ipc] = confinement;
  if (!fits(added) || !fits(dropped) || !fits(sysctls)) {
    return fail(plain_error("capabilities and sysctls are more than a message can carry"));
  }
  for (const std::string& setting : sysctls) {
    if (host_ipc || has_nul(setting) || !is_own_setting(setting)) {
      return fail(plain_error(fmt::format("sysctl {} is not the container's own", shown(setting))));
    }
  }
  return {};
}

Result<void> check_boundary(const env::ContainerBoundary& boundary) {
  if (!fits(boundary.hidden)) {
    return fail(plain_error("hidden directories are more than a message can carry"));
  }
  for (const std::string& path : boundary.hidden) {
    if (!absolute(path) || has_nul(path) || path.size() >= PATH_MAX || env::leads_up(path)) {
      return fail(plain_error(fmt::format("path {} cannot be hidden", shown(path))));
    }
  }
  return {};
}

}  // namespace

Message start_message(const env::ContainerRequest& request) {
  if (!(request.isolation.boundary == env::ContainerBoundary())) {
    return StartBounded{request};
  }
  if (request.isolation.confinement == env::ContainerConfinement()) {
    return Start{request};
  }
  return StartConfined{request};
}

std::string encode(const Message& message) {
  WireWriter writer;
  return std::visit(
      [&](const auto& value) {
        fields(writer, value);
        return static_cast<char>(message.index()) + writer.take();
      },
      message);
}

Result<Message> decode(std::string_view bytes) {
  if (bytes.empty()) {
    return fail(plain_error("empty message"));
  }
  return decode_as(static_cast<uint8_t>(bytes[0]), bytes.substr(1));
}

Result<void> check_request(const env::ContainerRequest& request) {
  if (request.id.empty() || request.id.size() > kMaxIdBytes || has_nul(request.id)) {
    return fail(plain_error(fmt::format("bad container id {}", quote(request.id))));
  }
  if (request.command.empty() || request.command[0].empty()) {
    return fail(plain_error("exec: no command"));
  }
  if (!fits(request.command) || !fits(request.environment)) {
    return fail(plain_error("exec: argument list too long"));
  }
  if (request.isolation.mounts.size() > WireReader::kMaxItems ||
      request.isolation.groups.size() > WireReader::kMaxItems) {
    return fail(plain_error(
        fmt::format("a container has at most {} mounts and groups", WireReader::kMaxItems)));
  }
  if (std::any_of(request.command.begin(), request.command.end(), has_nul) ||
      std::any_of(request.environment.begin(), request.environment.end(), has_nul)) {
    return fail(plain_error("exec: a NUL character in the command or its environment"));
  }
  for (const std::string* path : {&request.working_directory, &request.log_path,
                                  &request.isolation.root, &request.isolation.layer}) {
    if (has_nul(*path) || (!path->empty() && !absolute(*path))) {
      return fail(plain_error(fmt::format("path {} must be absolute", shown(*path))));
    }
    if (path->size() >= PATH_MAX) {
      return fail(
          plain_error(fmt::format("path {} has more than {} bytes", shown(*path), PATH_MAX - 1)));
    }
  }
  for (const env::ContainerMount& mount : request.isolation.mounts) {
    TRY_VOID(check_mount(mount));
  }
  TRY_VOID(check_confinement(request.isolation.confinement));
  return check_boundary(request.isolation.boundary);
}

Result<void> check_exec(const env::ContainerExec& exec) {
  if (!fits(exec.command) || !fits(exec.environment) ||
      exec.working_directory.size() > WireReader::kMaxStringBytes) {
    return fail(plain_error("exec: argument list too long"));
  }
  return {};
}

Result<void> check_session(const OpenSession& session) {
  if (session.command.empty() || session.command[0].empty()) {
    return fail(plain_error("exec: no command"));
  }
  if (std::any_of(session.command.begin(), session.command.end(), has_nul)) {
    return fail(plain_error("exec: a NUL character in the command"));
  }
  if (!fits(session.command)) {
    return fail(plain_error("exec: argument list too long"));
  }
  return {};
}

}  // namespace windlass::supervisor
