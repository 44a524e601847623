// For tests only: a bus of their own, and a peer on it that answers as logind does.
#pragma once

#include <dbus/dbus.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "posix/files/file_descriptor.h"
#include "posix/process/find_program.h"
#include "posix/testing.h"

namespace windlass::logind::testing {

class PrivateBus {
 public:
  // Check running(): a machine may have no dbus-daemon.
  PrivateBus() {
    const std::string config = directory_.write(
        "bus.conf",
        "<!DOCTYPE busconfig PUBLIC \"-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN\" "
        "\"http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd\">\n"
        "<busconfig><type>custom</type><listen>unix:path=" +
            directory_ / "socket" +
            "</listen><auth>EXTERNAL</auth><policy context=\"default\">"
            "<allow send_destination=\"*\"/><allow receive_sender=\"*\"/><allow "
            "own=\"*\"/></policy>"
            "</busconfig>\n");
    std::array<int, 2> ready{};
    EXPECT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ready[1], 3);
    std::string program = "dbus-daemon";
    std::string file = "--config-file=" + config;
    std::string foreground = "--nofork";
    std::string address = "--print-address=3";
    std::array<char*, 5> arguments = {program.data(), file.data(), foreground.data(),
                                      address.data(), nullptr};
    const bool spawned =
        ::posix_spawnp(&pid_, "dbus-daemon", &actions, nullptr, arguments.data(), environ) == 0;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ready[1]);
    char byte = 0;
    running_ = spawned && ::read(ready[0], &byte, 1) == 1;  // it says where it listens once it does
    ::close(ready[0]);
  }
  ~PrivateBus() { stop(); }
  PrivateBus(const PrivateBus&) = delete;
  PrivateBus& operator=(const PrivateBus&) = delete;

  bool running() const { return running_; }
  std::string address() const { return "unix:path=" + (directory_ / "socket"); }
  void stop() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = 0;
    }
  }

 private:
  posix::TemporaryDirectory directory_;
  pid_t pid_ = 0;
  bool running_ = false;
};

// A peer with a thread of its own; named as logind, it gives out locks.
class FakePeer {
 public:
  FakePeer(const std::string& address, const char* name, uint64_t patience_usec = 5'000'000)
      : patience_(patience_usec) {
    connection_ = ::dbus_connection_open_private(address.c_str(), nullptr);
    EXPECT_NE(connection_, nullptr);
    ::dbus_connection_set_exit_on_disconnect(connection_, 0);
    EXPECT_TRUE(::dbus_bus_register(connection_, nullptr));
    if (name != nullptr) {
      EXPECT_EQ(::dbus_bus_request_name(connection_, name, 0, nullptr),
                DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER);
    }
    thread_ = std::thread([this] { serve(); });
  }
  ~FakePeer() {
    stopping_ = true;
    thread_.join();
    ::dbus_connection_close(connection_);
    ::dbus_connection_unref(connection_);
    if (lock_ >= 0) {
      ::close(lock_);
    }
  }
  FakePeer(const FakePeer&) = delete;
  FakePeer& operator=(const FakePeer&) = delete;

  // To all, or to `destination` alone.
  void prepare_for_shutdown(bool imminent, const char* destination = nullptr) {
    DBusMessage* signal = ::dbus_message_new_signal(
        "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForShutdown");
    dbus_bool_t value = imminent ? 1 : 0;
    ::dbus_message_append_args(signal, DBUS_TYPE_BOOLEAN, &value, DBUS_TYPE_INVALID);
    if (destination != nullptr) {
      ::dbus_message_set_destination(signal, destination);
    }
    ::dbus_connection_send(connection_, signal, nullptr);
    ::dbus_connection_flush(connection_);
    ::dbus_message_unref(signal);
  }

  // Waits until the holder of the newest lock has let go of it.
  bool is_lock_released_within(int milliseconds) {
    pollfd other{lock_, POLLIN, 0};
    return ::poll(&other, 1, milliseconds) == 1 && (other.revents & POLLHUP) != 0;
  }
  int locks() const { return locks_; }
  std::vector<std::string> asked_for() const { return asked_for_; }  // once a lock was given

 private:
  void serve() {
    while (!stopping_ && ::dbus_connection_read_write(connection_, 10) != 0) {
      while (DBusMessage* message = ::dbus_connection_pop_message(connection_)) {
        answer(message);
        ::dbus_message_unref(message);
      }
    }
  }

  void answer(DBusMessage* message) {
    DBusMessage* reply = nullptr;
    if (::dbus_message_is_method_call(message, "org.freedesktop.login1.Manager", "Inhibit")) {
      reply = give_lock(message);
    } else if (::dbus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "Get")) {
      reply = ::dbus_message_new_method_return(message);
      DBusMessageIter at;
      DBusMessageIter inside;
      ::dbus_message_iter_init_append(reply, &at);
      ::dbus_message_iter_open_container(&at, DBUS_TYPE_VARIANT, "t", &inside);
      ::dbus_message_iter_append_basic(&inside, DBUS_TYPE_UINT64, &patience_);
      ::dbus_message_iter_close_container(&at, &inside);
    } else if (::dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_METHOD_CALL) {
      reply = ::dbus_message_new_method_return(message);
    }
    if (reply != nullptr) {
      ::dbus_connection_send(connection_, reply, nullptr);
      ::dbus_connection_flush(connection_);
      ::dbus_message_unref(reply);
    }
  }

  DBusMessage* give_lock(DBusMessage* message) {
    std::array<const char*, 4> words{};
    EXPECT_TRUE(::dbus_message_get_args(message, nullptr, DBUS_TYPE_STRING, &words[0],
                                        DBUS_TYPE_STRING, &words[1], DBUS_TYPE_STRING, &words[2],
                                        DBUS_TYPE_STRING, &words[3], DBUS_TYPE_INVALID));
    asked_for_.assign(words.begin(), words.end());
    if (lock_ >= 0) {
      ::close(lock_);
    }
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    lock_ = ends[0];
    DBusMessage* reply = ::dbus_message_new_method_return(message);
    ::dbus_message_append_args(reply, DBUS_TYPE_UNIX_FD, &ends[1], DBUS_TYPE_INVALID);
    ::close(ends[1]);
    ++locks_;
    return reply;
  }

  uint64_t patience_;
  DBusConnection* connection_ = nullptr;
  int lock_ = -1;
  std::atomic<int> locks_ = 0;
  std::vector<std::string> asked_for_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace windlass::logind::testing
