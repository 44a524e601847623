#include "plane/streams/node_commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

#include "base/weak_self.h"
#include "plane/node_settings.h"
#include "posix/files/file_descriptor.h"
#include "schema/core/v1/pod.pb.h"
#include "supervisor/protocol/session_client.h"

namespace windlass::plane {
namespace {

using apiserver::CommandListener;
using apiserver::CommandOrder;
using apiserver::OutputStream;

constexpr size_t kReadBytes = 32 * 1024;
// Once the command has ended: a process that it left behind may write for ever.
constexpr int kMaxLastReads = 64;

// CommandOutput of the command: a pipe, or its terminal.
struct CommandOutput {
  OutputStream stream = OutputStream::output;
  posix::FileDescriptor descriptor = {};  // not valid at its end
  posix::WatchId watch = posix::WatchId::none;
};

class NodeCommand final : public apiserver::RunningCommand {
 public:
  NodeCommand(posix::EventLoop& loop, CommandListener& listener, std::string container)
      : loop_(loop), listener_(listener), container_(std::move(container)) {}
  ~NodeCommand() override {
    stop_reading();
    loop_.unwatch(input_watch_);
  }
  NodeCommand(const NodeCommand&) = delete;
  NodeCommand& operator=(const NodeCommand&) = delete;

  Result<void> open(const std::string& supervisor, const CommandOrder& order);

  size_t write_input(std::string_view bytes) override;
  // A terminal goes on; its programs know another end of input.
  void end_input() override {
    if (!terminal_.valid()) {
      close_input();
    }
  }
  void resize(uint16_t columns, uint16_t rows) override;
  void hold_output(bool hold) override;

 private:
  void on_started(std::vector<posix::FileDescriptor> streams);
  void on_ended(const supervisor::SessionEnded& how);
  // False when there is nothing now, or nothing more.
  bool read_some(CommandOutput& output);
  void read_rest();
  void watch_outputs();
  void stop_reading();
  void close_input();

  posix::EventLoop& loop_;
  CommandListener& listener_;
  const std::string container_;
  std::unique_ptr<supervisor::SessionClient> session_;
  std::array<CommandOutput, 2> outputs_;
  posix::FileDescriptor input_;
  posix::FileDescriptor terminal_;
  posix::WatchId input_watch_ = posix::WatchId::none;
  bool held_ = false;
  std::optional<supervisor::SessionEnded> ended_;
  int last_reads_ = 0;
  WeakSelf<NodeCommand> self_{this};
};

Result<void> NodeCommand::open(const std::string& supervisor, const CommandOrder& order) {
  const supervisor::OpenSession session{
      .container = order.pod->metadata().uid() + "/" + order.container,
      .command = order.command,
      .input = order.input,
      .terminal = order.terminal};
  TRY(session_, supervisor::SessionClient::open(
                    loop_, supervisor, session,
                    {.on_started =
                         [this](std::vector<posix::FileDescriptor> streams) {
                           on_started(std::move(streams));
                         },
                     .on_ended = [this](const supervisor::SessionEnded& how) { on_ended(how); }}));
  return {};
}

void NodeCommand::on_started(std::vector<posix::FileDescriptor> streams) {
  if (streams.size() == 1) {
    terminal_ = std::move(streams[0]);
    // One number more: the loop knows each by its number.
    outputs_[0].descriptor = posix::FileDescriptor(::fcntl(terminal_.get(), F_DUPFD_CLOEXEC, 0));
    input_ = posix::FileDescriptor(::fcntl(terminal_.get(), F_DUPFD_CLOEXEC, 0));
  } else if (streams.size() >= 2) {
    outputs_[0].descriptor = std::move(streams[0]);
    outputs_[1] = {OutputStream::errors, std::move(streams[1])};
    input_ = streams.size() > 2 ? std::move(streams[2]) : posix::FileDescriptor();
  }
  listener_.on_started();
  watch_outputs();
}

void NodeCommand::on_ended(const supervisor::SessionEnded& how) {
  if (how.refused) {
    return listener_.on_refused(
        bad_request(fmt::format("container {}: {}", container_, how.error)));
  }
  ended_ = how;
  close_input();
  read_rest();
}

bool NodeCommand::read_some(CommandOutput& output) {
  std::string bytes(kReadBytes, '\0');
  const ssize_t got = ::read(output.descriptor.get(), bytes.data(), bytes.size());
  if (got > 0) {
    bytes.resize(static_cast<size_t>(got));
    listener_.on_output(output.stream, std::move(bytes));
    return true;
  }
  // A terminal that no process uses fails instead of ending.
  if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
    loop_.unwatch(std::exchange(output.watch, posix::WatchId::none));
    output.descriptor.reset();
  }
  return false;
}

// The command has ended: what it wrote is there by now.
void NodeCommand::read_rest() {
  for (CommandOutput& output : outputs_) {
    while (output.descriptor.valid() && !held_ && last_reads_ < kMaxLastReads) {
      ++last_reads_;
      if (!read_some(output)) {
        break;
      }
    }
  }
  if (held_ && last_reads_ < kMaxLastReads) {
    return;
  }
  stop_reading();
  listener_.on_ended(ended_->error.empty() ? Result<int>(ended_->code)
                                           : fail(plain_error(ended_->error)));
}

size_t NodeCommand::write_input(std::string_view bytes) {
  size_t taken = 0;
  while (input_.valid() && taken < bytes.size()) {
    const ssize_t put = ::write(input_.get(), bytes.data() + taken, bytes.size() - taken);
    if (put >= 0) {
      taken += static_cast<size_t>(put);
    } else if (errno == EAGAIN) {
      input_watch_ = loop_.watch(input_.get(), EPOLLOUT, [this](uint32_t) {
        loop_.unwatch(std::exchange(input_watch_, posix::WatchId::none));
        listener_.on_input_room();
      });
      return taken;
    } else if (errno != EINTR) {
      close_input();  // the command does not read any more
    }
  }
  return bytes.size();
}

void NodeCommand::resize(uint16_t columns, uint16_t rows) {
  const winsize size = {rows, columns, 0, 0};
  if (terminal_.valid()) {
    ::ioctl(terminal_.get(), TIOCSWINSZ, &size);
  }
}

void NodeCommand::hold_output(bool hold) {
  held_ = hold;
  if (hold) {
    return stop_reading();
  }
  if (ended_) {
    loop_.post(self_.bind([](NodeCommand& self) { self.read_rest(); }));
  } else {
    watch_outputs();
  }
}

void NodeCommand::watch_outputs() {
  for (CommandOutput& output : outputs_) {
    if (output.descriptor.valid() && output.watch == posix::WatchId::none && !held_) {
      output.watch = loop_.watch(output.descriptor.get(), EPOLLIN,
                                 [this, &output](uint32_t) { read_some(output); });
    }
  }
}

void NodeCommand::stop_reading() {
  for (CommandOutput& output : outputs_) {
    loop_.unwatch(std::exchange(output.watch, posix::WatchId::none));
  }
}

void NodeCommand::close_input() {
  loop_.unwatch(std::exchange(input_watch_, posix::WatchId::none));
  input_.reset();
}

}  // namespace

apiserver::OpenCommand node_commands(posix::EventLoop& loop, FindNodeFiles find_node) {
  return [&loop, find_node = std::move(find_node)](
             const CommandOrder& order,
             CommandListener& listener) -> Result<std::unique_ptr<apiserver::RunningCommand>> {
    const std::string& node = order.pod->spec().node_name();
    const auto directory = find_node(node);
    if (!directory) {
      return fail(bad_request(
          fmt::format("the containers of node \"{}\" are not in reach: it is a hollow node, or the "
                      "data directory of its `windlass node` is not that of this server",
                      node)));
    }
    auto command = std::make_unique<NodeCommand>(loop, listener, order.container);
    if (const auto opened = command->open(supervisor_directory(*directory), order); !opened) {
      return fail(
          bad_request(fmt::format("container {}: {}", order.container, opened.error().message)));
    }
    return std::unique_ptr<apiserver::RunningCommand>(std::move(command));
  };
}

}  // namespace windlass::plane
