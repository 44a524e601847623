#include "supervisor/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/quote.h"
#include "supervisor/fields.h"

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

template <size_t I = 0>
Result<Message> decode_as(size_t type, std::string_view payload) {
  if constexpr (I == std::variant_size_v<Message>) {
    return fail(plain_error(fmt::format("unknown message type {}", type)));
  } else {
    if (type != I) {
      return decode_as<I + 1>(type, payload);
    }
    std::variant_alternative_t<I, Message> message;
    Reader reader(payload);
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

bool absolute(const std::string& path) {
  return path.starts_with('/');
}

Result<void> check_mount(const env::ContainerMount& mount) {
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

}  // namespace

std::string encode(const Message& message) {
  Writer writer;
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
  if (std::any_of(request.command.begin(), request.command.end(), has_nul) ||
      std::any_of(request.environment.begin(), request.environment.end(), has_nul)) {
    return fail(plain_error("exec: a NUL character in the command or its environment"));
  }
  for (const std::string* path : {&request.working_directory, &request.log_path,
                                  &request.isolation.root, &request.isolation.layer}) {
    if (has_nul(*path) || (!path->empty() && !absolute(*path))) {
      return fail(plain_error(fmt::format("path {} must be absolute", quote(*path))));
    }
  }
  for (const env::ContainerMount& mount : request.isolation.mounts) {
    TRY_VOID(check_mount(mount));
  }
  return {};
}

}  // namespace windlass::supervisor
