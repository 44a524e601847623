#include "supervisor/protocol/messages.h"

#include <gtest/gtest.h>

namespace windlass::supervisor {
namespace {

env::ContainerRequest full_request() {
  env::ContainerRequest request;
  request.id = "uid/main/0";
  request.command = {"/bin/echo", "", "a b"};
  request.environment = {"A=1", "B="};
  request.working_directory = "/work";
  request.log_path = "/log";
  request.isolation.root = "/root";
  request.isolation.layer = "/layer";
  request.isolation.mounts = {
      {env::ContainerMount::Kind::bind, "/a", "/b", true, 0, "sub/path"},
      {env::ContainerMount::Kind::tmpfs, "m", "/c", false, 1 << 20, "x", 7}};
  request.isolation.hostname = "pod-0";
  request.isolation.private_tmp = false;
  request.isolation.private_dev = true;
  request.isolation.uid = 4'294'967'295U;
  request.isolation.gid = 0;
  request.isolation.groups = {1, 2};
  request.isolation.privileged = true;
  request.limits = {1ULL << 40, 10, 500, 250};
  return request;
}

env::ContainerRequest confined_request() {
  env::ContainerRequest request = full_request();
  request.isolation.confinement = {
      true, {"NET_ADMIN"}, {"ALL", "MKNOD"}, {"kernel.shm_rmid_forced=1"}, true, false};
  return request;
}

env::ContainerRequest bounded_request() {
  env::ContainerRequest request = confined_request();
  request.isolation.boundary = {true, true, {"/var/lib/windlass"}};
  return request;
}

std::vector<Message> one_of_each() {
  env::ContainerRunInfo run;
  run.id = "a/b/1";
  run.state = env::ContainerRunInfo::State::ended;
  run.exit = {137, 9, true, true, time_from_unix(-1), time_from_unix(1'700'000'000, 5)};
  Isolation isolation;
  isolation.namespaces = true;
  isolation.memory = CgroupVersion::v1;
  isolation.missing = {"cpu"};
  env::ContainerExec exec;
  exec.id = "a/b/1";
  exec.command = {"true"};
  exec.timeout = milliseconds(1500);
  exec.uid = 7;
  return {Hello{1, true},
          Start{full_request()},
          Signal{"a/b/1", 15},
          Exec{3, exec},
          Forget{"a/b/1"},
          Shutdown{},
          Welcome{1, 42, isolation},
          RunReport{run},
          Synced{},
          ExecDone{3, "why", {1, true, "out"}},
          Forgotten{"a/b/1"},
          AskUse{},
          Use{{{"a/b/1", 1ULL << 40, 3}, {"c", 0, 0}}},
          Refused{"a/b/1", "why"},
          NotCreated{"a/b/1", "CreateContainerError", "why"},
          StartConfined{confined_request()},
          StartBounded{bounded_request()},
          RunUse{"a/b/2", 1024, std::nullopt},
          OpenSession{"a/b", {"sh", "-c", "cat"}, true, true},
          SessionStarted{},
          SessionEnded{"why", 7, true}};
}

TEST(Messages, ComeBackAsTheyWere) {
  const std::vector<Message> messages = one_of_each();
  ASSERT_EQ(messages.size(), std::variant_size_v<Message>);
  for (const Message& message : messages) {
    const Result<Message> back = decode(encode(message));
    ASSERT_TRUE(back.has_value()) << message.index();
    EXPECT_EQ(*back, message);
  }
}

TEST(Messages, AnythingCutOffOrAppendedIsRefused) {
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    for (size_t length = 0; length < bytes.size(); ++length) {
      EXPECT_FALSE(decode(std::string_view(bytes).substr(0, length)).has_value())
          << message.index() << " at " << length;
    }
    EXPECT_FALSE(decode(bytes + '\0').has_value()) << message.index();
  }
}

// No byte may make the reader crash, hang or ask for memory that the message does not pay for.
TEST(Messages, AnyChangedByteIsReadOrRefused) {
  size_t refused = 0;
  for (const Message& message : one_of_each()) {
    const std::string bytes = encode(message);
    for (size_t i = 0; i < bytes.size(); ++i) {
      for (const int value : {0x00, 0x7F, 0x80, 0xFF}) {
        std::string changed = bytes;
        changed[i] = static_cast<char>(value);
        refused += decode(changed).has_value() ? 0u : 1u;
      }
    }
  }
  EXPECT_GT(refused, 100u);
}

TEST(Messages, AnUnknownTypeIsNamed) {
  EXPECT_EQ(decode("\x63").error().message, "unknown message type 99");
  EXPECT_EQ(decode("").error().message, "empty message");
}

TEST(CheckRequest, NamesWhatIsWrong) {
  EXPECT_TRUE(check_request(full_request()).has_value());
  const auto error = [](auto change) {
    env::ContainerRequest request = full_request();
    change(request);
    const auto checked = check_request(request);
    return checked ? "fine" : checked.error().message;
  };
  EXPECT_EQ(error([](auto& r) { r.id = ""; }), R"(bad container id "")");
  EXPECT_EQ(error([](auto& r) { r.command.clear(); }), "exec: no command");
  EXPECT_EQ(error([](auto& r) { r.command = {""}; }), "exec: no command");
  EXPECT_EQ(error([](auto& r) { r.command[1] = std::string("a\0b", 3); }),
            "exec: a NUL character in the command or its environment");
  EXPECT_EQ(error([](auto& r) { r.working_directory = "work"; }),
            R"(path "work" must be absolute)");
  EXPECT_EQ(error([](auto& r) { r.isolation.mounts[0].source = "a"; }),
            R"(mount "a" at "/b": paths must be absolute)");
  EXPECT_EQ(error([](auto& r) { r.isolation.mounts[0].target = "/tmp/../etc/x"; }),
            R"(mount at "/tmp/../etc/x": .. is not allowed)");
  EXPECT_EQ(error([](auto& r) { r.isolation.mounts[0].target = "/tmp/.."; }),
            R"(mount at "/tmp/..": .. is not allowed)");
  EXPECT_EQ(error([](auto& r) { r.isolation.mounts[0].target = "/tmp/..x/y.."; }), "fine");
  EXPECT_EQ(error([](auto& r) { r.isolation.mounts[1].source = ""; }),
            R"(mount at "/c": memory needs a name)");
}

TEST(CheckRequest, OnlySettingsOfTheContainersOwnNamespace) {
  const auto error = [](const std::string& sysctl, bool host_ipc = false) {
    env::ContainerRequest request = confined_request();
    request.isolation.confinement.sysctls = {sysctl};
    request.isolation.confinement.host_ipc = host_ipc;
    const auto checked = check_request(request);
    return checked ? "fine" : checked.error().message;
  };
  EXPECT_EQ(error("kernel.shm_rmid_forced=1"), "fine");
  EXPECT_EQ(error("kernel.sem=1 2 3 4"), "fine");
  EXPECT_EQ(error("fs.mqueue.queues_max=9"), "fine");
  for (const char* others : {"kernel.panic=1", "kernel.shm_rmid_forced", "kernel.semx=1", "x=1",
                             "fs.mqueue...file-max=1", "kernel.shm/../panic=1"}) {
    EXPECT_NE(error(others), "fine") << others;
  }
  EXPECT_NE(error("kernel.shm_rmid_forced=1", true), "fine");
}

TEST(Messages, OnlyAnUnusualStartNeedsAMessageOfItsOwn) {
  EXPECT_TRUE(std::holds_alternative<Start>(start_message(full_request())));
  EXPECT_TRUE(std::holds_alternative<StartConfined>(start_message(confined_request())));
}

// A message that the other side cannot read would end the connection, and be sent again.
TEST(CheckRequest, WhatAMessageCannotCarryIsNotSent) {
  const auto error = [](auto change) {
    env::ContainerRequest request = full_request();
    change(request);
    const auto checked = check_request(request);
    EXPECT_EQ(checked.has_value(), decode(encode(Start{request})).has_value());
    return checked ? "fine" : checked.error().message;
  };
  EXPECT_EQ(error([](auto& r) { r.command.resize(65'536, "x"); }), "fine");
  EXPECT_EQ(error([](auto& r) { r.command.resize(65'537, "x"); }), "exec: argument list too long");
  EXPECT_EQ(error([](auto& r) { r.environment.resize(65'537, "x"); }),
            "exec: argument list too long");
  EXPECT_EQ(error([](auto& r) { r.command[1].resize(2 * 1024 * 1024 + 1, 'x'); }),
            "exec: argument list too long");
  EXPECT_EQ(error([](auto& r) { r.isolation.groups.resize(65'537); }),
            "a container has at most 65536 mounts and groups");
  env::ContainerExec exec;
  exec.command.resize(65'537, "x");
  EXPECT_FALSE(check_exec(exec));
}

TEST(CheckRequest, APathIsNoLongerThanTheKernelTakes) {
  env::ContainerRequest request = full_request();
  request.isolation.mounts[0].target = "/" + std::string(5000, 'x');
  const auto checked = check_request(request);
  ASSERT_FALSE(checked);
  EXPECT_LT(checked.error().message.size(), 500u);
}

}  // namespace
}  // namespace windlass::supervisor
