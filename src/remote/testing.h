// For tests only: a client on an event loop that runs while something is awaited, and a server that
// says exactly what its script says, and hangs up.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "net/stream/endpoint.h"
#include "posix/event_loop.h"
#include "posix/files/file_descriptor.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_random.h"
#include "remote/remote_client.h"
#include "schema/core/v1/config_map.pb.h"

namespace windlass::remote::testing {

inline constexpr int kPatienceSeconds = 120;

// Everything that a RemoteClient needs.
class TestClient {
 public:
  explicit TestClient(ClusterAccess access, Transport::Options options = {},
                      RunPlugin run_plugin = {})
      : loop(clock),
        credentials(files, clock, std::move(access), std::move(run_plugin)),
        dialer(loop, clock, credentials),
        transport(loop, clock, random, dialer, std::move(options)),
        client(transport, random) {
    ::signal(SIGPIPE, SIG_IGN);  // as the program does: OpenSSL writes to who may have hung up
  }

  // Runs the loop until `done` is called.
  template <class T>
  Result<T> await(const std::function<void(client::Done<T>)>& call) {
    std::optional<Result<T>> answer;
    loop.post([&] {
      call([&](Result<T> got) {
        answer = std::move(got);
        loop.stop();
      });
    });
    run();
    return answer ? *std::move(answer) : Result<T>(fail(plain_error("no callback in time")));
  }
  Result<client::ObjectPtr> get(const client::ObjectRef& ref) {
    return await<client::ObjectPtr>([&](auto done) { client.get(ref, std::move(done)); });
  }
  // Until stop() of the loop.
  void run() {
    const env::TimerId deadline = loop.schedule(seconds(kPatienceSeconds), [this] {
      ADD_FAILURE() << "nothing came in time";
      loop.stop();
    });
    loop.run();
    loop.cancel(deadline);
  }

  posix::PosixClock clock;
  posix::PosixRandom random;
  posix::PosixFiles files;
  posix::EventLoop loop;
  Credentials credentials;
  Dialer dialer;
  Transport transport;
  RemoteClient client;
};

// An object that most tests read and write, and what a server says of it.
inline constexpr const char* kConfigMap =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","uid":"u","resourceVersion":"7"},"data":{"a":"b"}})";

inline client::ObjectRef config_ref() {
  return {&api::kinds::config_map(), "default", "c"};
}

inline client::ObjectPtr config_object() {
  auto object = std::make_shared<api::core::v1::ConfigMap>();
  object->mutable_metadata()->set_name("c");
  return object;
}

inline Result<client::ObjectPtr> create_config(TestClient& caller) {
  return caller.await<client::ObjectPtr>(
      [&](auto done) { caller.client.create(config_ref(), config_object(), std::move(done)); });
}

// One connection of a scripted server.
class ScriptedConnection {
 public:
  explicit ScriptedConnection(posix::FileDescriptor fd) : fd_(std::move(fd)) {}

  // The head and body of the next request; "" when the client has hung up.
  std::string receive() {
    std::string text;
    while (true) {
      const size_t head = text.find("\r\n\r\n");
      if (head != std::string::npos) {
        const size_t length = text.find("Content-Length: ");
        const size_t body = length == std::string::npos ? 0 : std::stoul(text.substr(length + 16));
        if (text.size() >= head + 4 + body) {
          return text;
        }
      }
      std::string buffer(65536, '\0');
      pollfd waits = {fd_.get(), POLLIN, 0};
      if (::poll(&waits, 1, kPatienceSeconds * 1000) != 1) {
        return "";
      }
      const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
      if (got <= 0) {
        return "";
      }
      text.append(buffer, 0, static_cast<size_t>(got));
    }
  }
  // Exactly so many bytes, or what came before the client hung up.
  std::string receive_bytes(size_t count) {
    std::string bytes(count, '\0');
    const ssize_t got = ::recv(fd_.get(), bytes.data(), count, MSG_WAITALL);
    bytes.resize(got < 0 ? 0 : static_cast<size_t>(got));
    return bytes;
  }
  void send(std::string_view bytes) { ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  void answer(int status, std::string_view body, const std::string& headers = "") {
    send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\n" +
         headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body));
  }
  // With a reset instead of an end.
  void reset() {
    const linger now = {1, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &now, sizeof now);
    fd_.reset();
  }

 private:
  posix::FileDescriptor fd_;
};

// Takes connections one after the other, each with the next script; then takes no more.
class ScriptedServer {
 public:
  using Script = std::function<void(ScriptedConnection&)>;

  explicit ScriptedServer(std::vector<Script> scripts) {
    auto listening = net::listen_on(endpoint_);
    EXPECT_TRUE(listening.has_value());
    thread_ = std::thread([fd = *std::move(listening), scripts = std::move(scripts)] {
      for (const Script& script : scripts) {
        pollfd waits = {fd.get(), POLLIN, 0};
        if (::poll(&waits, 1, kPatienceSeconds * 1000) != 1) {
          return;
        }
        ScriptedConnection peer{
            posix::FileDescriptor(::accept4(fd.get(), nullptr, nullptr, SOCK_CLOEXEC))};
        script(peer);
      }
    });
  }
  ~ScriptedServer() { thread_.join(); }

  ClusterAccess access() const {
    ClusterAccess access;
    access.server = {false, endpoint_.address, endpoint_.port, ""};
    return access;
  }

 private:
  net::Endpoint endpoint_;
  std::thread thread_;
};

}  // namespace windlass::remote::testing
