#include "logind/bus.h"

#include <dbus/dbus.h>
#include <dlfcn.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/check.h"

namespace windlass::logind {
namespace {

constexpr const char* kLibrary = "libdbus-1.so.3";

// What is used of the library.
struct Library {
  void* handle = nullptr;
  std::string problem;  // a function that is not there
#define WINDLASS_DBUS(name) \
  decltype(&::dbus_##name) name = load<decltype(&::dbus_##name)>("dbus_" #name)
  template <class Function>
  Function load(const char* name) {
    void* found = handle == nullptr ? nullptr : ::dlsym(handle, name);
    if (found == nullptr && problem.empty()) {
      problem = name;
    }
    return reinterpret_cast<Function>(found);
  }

  explicit Library(void* opened) : handle(opened) {}

  WINDLASS_DBUS(error_init);
  WINDLASS_DBUS(error_free);
  WINDLASS_DBUS(connection_open_private);
  WINDLASS_DBUS(connection_set_exit_on_disconnect);
  WINDLASS_DBUS(connection_set_watch_functions);
  WINDLASS_DBUS(connection_get_is_connected);
  WINDLASS_DBUS(connection_pop_message);
  WINDLASS_DBUS(connection_send);
  WINDLASS_DBUS(connection_close);
  WINDLASS_DBUS(connection_unref);
  WINDLASS_DBUS(watch_get_unix_fd);
  WINDLASS_DBUS(watch_get_flags);
  WINDLASS_DBUS(watch_get_enabled);
  WINDLASS_DBUS(watch_handle);
  WINDLASS_DBUS(message_new_method_call);
  WINDLASS_DBUS(message_unref);
  WINDLASS_DBUS(message_iter_init_append);
  WINDLASS_DBUS(message_iter_append_basic);
  WINDLASS_DBUS(message_iter_init);
  WINDLASS_DBUS(message_iter_get_arg_type);
  WINDLASS_DBUS(message_iter_get_basic);
  WINDLASS_DBUS(message_iter_recurse);
  WINDLASS_DBUS(message_iter_next);
  WINDLASS_DBUS(message_get_type);
  WINDLASS_DBUS(message_get_reply_serial);
  WINDLASS_DBUS(message_get_sender);
  WINDLASS_DBUS(message_get_interface);
  WINDLASS_DBUS(message_get_member);
  WINDLASS_DBUS(message_get_error_name);
#undef WINDLASS_DBUS
};

// Null, and why, where it is not installed. Never closed: it has no end that it tells.
const Library* library(std::string& why) {
  static const Library loaded(::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL));
  if (loaded.handle == nullptr || !loaded.problem.empty()) {
    why = loaded.handle == nullptr ? std::string(kLibrary) + " is not installed"
                                   : std::string(kLibrary) + " has no " + loaded.problem;
    return nullptr;
  }
  return &loaded;
}

std::string text_of(const char* text) {
  return text == nullptr ? "" : text;
}

void read_value(const Library& dbus, DBusMessageIter& at, BusValues& values) {
  const int type = dbus.message_iter_get_arg_type(&at);
  DBusBasicValue basic{};
  switch (type) {
    case DBUS_TYPE_VARIANT: {
      DBusMessageIter inside;
      dbus.message_iter_recurse(&at, &inside);
      if (dbus.message_iter_get_arg_type(&inside) != DBUS_TYPE_VARIANT) {
        read_value(dbus, inside, values);
      }
      return;
    }
    case DBUS_TYPE_STRING:
    case DBUS_TYPE_OBJECT_PATH:
      dbus.message_iter_get_basic(&at, &basic);
      values.texts.emplace_back(basic.str);
      return;
    case DBUS_TYPE_BOOLEAN:
      dbus.message_iter_get_basic(&at, &basic);
      values.flag = basic.bool_val != 0;
      return;
    case DBUS_TYPE_UINT32:
      dbus.message_iter_get_basic(&at, &basic);
      values.number = basic.u32;
      return;
    case DBUS_TYPE_UINT64:
      dbus.message_iter_get_basic(&at, &basic);
      values.number = basic.u64;
      return;
    case DBUS_TYPE_UNIX_FD:  // a copy, ours
      dbus.message_iter_get_basic(&at, &basic);
      values.descriptor = posix::FileDescriptor(basic.fd);
      return;
    default:
      return;
  }
}

BusValues read_values(const Library& dbus, DBusMessage* message) {
  BusValues values;
  DBusMessageIter at;
  if (dbus.message_iter_init(message, &at) != 0) {
    do {
      read_value(dbus, at, values);
    } while (dbus.message_iter_next(&at) != 0);
  }
  return values;
}

}  // namespace

class Bus::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(const Library& dbus, posix::EventLoop& loop, DBusConnection* connection, Handlers handlers)
      : dbus_(dbus), loop_(loop), connection_(connection), handlers_(std::move(handlers)) {
    dbus_.connection_set_exit_on_disconnect(connection_, 0);
    CHECK(dbus_.connection_set_watch_functions(connection_, on_add, on_remove, on_toggle, this,
                                               nullptr) != 0,
          "out of memory");
  }
  ~Impl() {
    dbus_.connection_set_watch_functions(connection_, nullptr, nullptr, nullptr, nullptr, nullptr);
    loop_.unwatch(watch_);
    dbus_.connection_close(connection_);
    dbus_.connection_unref(connection_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void call(const BusCall& call, OnReply on_reply) {
    DBusMessage* message = dbus_.message_new_method_call(
        call.destination.c_str(), call.path.c_str(), call.interface.c_str(), call.method.c_str());
    CHECK(message != nullptr, "a D-Bus name is not valid");
    DBusMessageIter at;
    dbus_.message_iter_init_append(message, &at);
    for (const std::string& argument : call.arguments) {
      const char* text = argument.c_str();
      CHECK(dbus_.message_iter_append_basic(&at, DBUS_TYPE_STRING, &text) != 0, "out of memory");
    }
    dbus_uint32_t serial = 0;
    const bool sent =
        calls_.size() < kMaxCalls && dbus_.connection_send(connection_, message, &serial) != 0;
    dbus_.message_unref(message);
    if (sent) {
      calls_[serial] = std::move(on_reply);
    } else {
      loop_.post([on_reply = std::move(on_reply)] {
        on_reply(fail(plain_error("too many calls to the bus")));
      });
    }
  }

 private:
  static Impl& of(void* data) { return *static_cast<Impl*>(data); }
  static dbus_bool_t on_add(DBusWatch* watch, void* data) {
    of(data).watches_.push_back(watch);
    of(data).arm();
    return 1;
  }
  static void on_remove(DBusWatch* watch, void* data) {
    std::erase(of(data).watches_, watch);
    of(data).arm();
  }
  static void on_toggle(DBusWatch*, void* data) { of(data).arm(); }

  // The library has a watch for each direction of its one socket, and turns them on and off.
  void arm() {
    uint32_t wanted = 0;
    int fd = -1;
    for (DBusWatch* watch : watches_) {
      if (dbus_.watch_get_enabled(watch) != 0) {
        const unsigned flags = dbus_.watch_get_flags(watch);
        wanted |= (flags & DBUS_WATCH_READABLE) != 0 ? uint32_t{EPOLLIN} : 0U;
        wanted |= (flags & DBUS_WATCH_WRITABLE) != 0 ? uint32_t{EPOLLOUT} : 0U;
        fd = dbus_.watch_get_unix_fd(watch);
      }
    }
    if (wanted == armed_) {
      return;
    }
    loop_.unwatch(std::exchange(watch_, posix::WatchId::none));
    armed_ = wanted;
    if (wanted != 0) {
      watch_ = loop_.watch(fd, wanted, [this](uint32_t events) { on_events(events); });
    }
  }

  void on_events(uint32_t events) {
    const auto self = shared_from_this();
    unsigned flags = (events & EPOLLIN) != 0 ? unsigned{DBUS_WATCH_READABLE} : 0U;
    flags |= (events & EPOLLOUT) != 0 ? unsigned{DBUS_WATCH_WRITABLE} : 0U;
    flags |= (events & EPOLLHUP) != 0 ? unsigned{DBUS_WATCH_HANGUP} : 0U;
    flags |= (events & EPOLLERR) != 0 ? unsigned{DBUS_WATCH_ERROR} : 0U;
    const unsigned always = DBUS_WATCH_HANGUP | DBUS_WATCH_ERROR;
    for (DBusWatch* watch : std::vector<DBusWatch*>(watches_)) {
      const bool there = std::find(watches_.begin(), watches_.end(), watch) != watches_.end();
      if (there && dbus_.watch_get_enabled(watch) != 0) {
        dbus_.watch_handle(watch, flags & (dbus_.watch_get_flags(watch) | always));
      }
    }
    while (DBusMessage* message = dbus_.connection_pop_message(connection_)) {
      handle(message);
      dbus_.message_unref(message);
    }
    if (dbus_.connection_get_is_connected(connection_) == 0) {
      if (const auto on_lost = std::exchange(handlers_.on_lost, nullptr)) {
        on_lost();
      }
    }
  }

  void handle(DBusMessage* message) {
    const int type = dbus_.message_get_type(message);
    if (type == DBUS_MESSAGE_TYPE_SIGNAL) {
      const BusSignal signal{
          text_of(dbus_.message_get_sender(message)), text_of(dbus_.message_get_interface(message)),
          text_of(dbus_.message_get_member(message)), read_values(dbus_, message)};
      handlers_.on_signal(signal);
      return;
    }
    // Whatever else comes is an answer, or nothing that we offer.
    auto asked = calls_.extract(dbus_.message_get_reply_serial(message));
    if (asked.empty()) {
      return;
    }
    BusValues values = read_values(dbus_, message);
    if (type == DBUS_MESSAGE_TYPE_ERROR) {
      const std::string name = text_of(dbus_.message_get_error_name(message));
      return asked.mapped()(
          fail(plain_error(values.texts.empty() ? name : name + ": " + values.texts.front())));
    }
    asked.mapped()(std::move(values));
  }

  const Library& dbus_;
  posix::EventLoop& loop_;
  DBusConnection* connection_;
  Handlers handlers_;
  std::vector<DBusWatch*> watches_;
  uint32_t armed_ = 0;
  posix::WatchId watch_ = posix::WatchId::none;
  std::map<dbus_uint32_t, OnReply> calls_;  // by serial number
};

Result<std::unique_ptr<Bus>> Bus::connect(posix::EventLoop& loop, const std::string& address,
                                          Handlers handlers) {
  std::string why;
  const Library* dbus = library(why);
  if (dbus == nullptr) {
    return fail(plain_error(why));
  }
  DBusError error;
  dbus->error_init(&error);
  DBusConnection* connection = dbus->connection_open_private(address.c_str(), &error);
  if (connection == nullptr) {
    why = text_of(error.message);
    dbus->error_free(&error);
    return fail(plain_error(why));
  }
  std::unique_ptr<Bus> bus(
      new Bus(std::make_shared<Impl>(*dbus, loop, connection, std::move(handlers))));
  bus->call({"org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello"},
            [](const Result<BusValues>&) {});
  return bus;
}

Bus::Bus(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Bus::~Bus() = default;

void Bus::call(const BusCall& call, OnReply on_reply) {
  impl_->call(call, std::move(on_reply));
}

}  // namespace windlass::logind
