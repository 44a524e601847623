#include "cli/node_session.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "base/uuid.h"
#include "cli/local_nodes.h"
#include "cli/machine_watch.h"
#include "cli/node_name_check.h"
#include "cli/version.h"
#include "cli/words.h"
#include "posix/data_directory.h"
#include "remote/remote_client.h"

namespace windlass::cli {
namespace {

constexpr Duration kLastWordLook = milliseconds(200);
constexpr Duration kCheckAgain = seconds(2);
constexpr size_t kMaxIdentityBytes = 100;
constexpr unsigned kIdentityMode = 0600;

remote::Transport::Options transport_options() {
  remote::Transport::Options options;
  options.user_agent = "windlass-node/" + version_number();
  return options;
}

}  // namespace

class NodeSession::Impl {
 public:
  Impl(env::Env env, posix::EventLoop& loop, ContainerFactory containers, remote::Access access,
       NodeOptions options, NodeMachine machine, Output& output,
       std::function<void(ExitCode)> on_finished)
      : env_(env),
        make_containers_(std::move(containers)),
        options_(std::move(options)),
        machine_(std::move(machine)),
        output_(output),
        on_finished_(std::move(on_finished)),
        credentials_(env.files, env.clock, std::move(access), remote::plugin_runner(loop)),
        dialer_(loop, env.clock, credentials_),
        transport_(loop, env.clock, env.random, dialer_, transport_options()),
        client_(transport_, env.random) {}

  ~Impl() {
    env_.executor.cancel(last_words_);
    env_.executor.cancel(retry_);
  }

  void start() {
    // `windlass up` may hold it, and `windlass down` takes no other.
    if (const auto made = posix::make_data_directory(options_.data_dir); !made) {
      return fail_with(made.error());
    }
    const std::string folder = joined_nodes_folder(options_.data_dir);
    auto held = posix::open_data_directory(folder + "/" + options_.name);
    if (!held) {
      return fail_with(held.error());
    }
    directory_ = *std::move(held);
    const auto identity = own_identity();
    if (!identity) {
      return fail_with(identity.error());
    }
    nodes_ = std::make_unique<LocalNodes>(
        env_, make_containers_, client_,
        LocalNodes::Options{{options_.name},
                            folder,
                            false,
                            {.capacity = machine_.capacity,
                             .environment = machine_.environment,
                             .disruption_conditions =
                                 options_.gates.enabled(api::Feature::pod_disruption_conditions),
                             .shutdown = options_.shutdown,
                             .images = options_.images,
                             .pressure = options_.limits.pressure,
                             .address = options_.address,
                             .labels = options_.labels,
                             .annotations = {{kAgentAnnotation, *identity}},
                             .system = machine_.system},
                            machine_.network,
                            machine_.supplies});
    check_name(*identity);
  }

  void interrupt() {
    if (nodes_ && nodes_->running_pods() > 0) {
      output_.err(fmt::format(
          "{} on until the next `windlass node --name {}`; `windlass down --data-dir {}` ends "
          "all\n",
          goes_text(nodes_->running_pods()), options_.name, shell_word(options_.data_dir)));
    }
    finish(ExitCode::ok);
  }

  void power_down() {
    // Asked again, it goes on as it does.
    if (std::exchange(stopping_, true) || !nodes_) {
      return;
    }
    output_.err(fmt::format("Stopping {}\n", pods_text(nodes_->running_pods())));
    nodes_->stop([this] { finish(ExitCode::ok); });
    wait_for_last_words();
  }

 private:
  // Which agent this is: the same one whenever it is started with this folder.
  Result<std::string> own_identity() {
    const std::string path = directory_->path() + "/identity";
    if (auto kept = env_.files.read(path, kMaxIdentityBytes); kept && !kept->empty()) {
      return kept;
    }
    std::array<std::byte, 16> bytes;
    env_.random.fill(bytes);
    std::string made = Uuid::from_random(bytes).to_string();
    TRY_VOID(env_.files.write(path, made, kIdentityMode));
    return made;
  }

  void check_name(const std::string& identity) {
    check_node_name(
        client_, env_.clock, options_.name, identity, [this, identity](const Result<void>& free) {
          if (stopping_) {
            return;
          }
          if (free) {
            return start_node();
          }
          // Nothing changes these by waiting.
          if (is_conflict(free.error()) || free.error().code == 401 || free.error().code == 403) {
            return fail_with(free.error());
          }
          env_.log.warning("the server cannot be asked about the node",
                           {{"node", options_.name}, {"error", free.error().message}});
          retry_ = env_.executor.schedule(kCheckAgain, [this, identity] { check_name(identity); });
        });
  }

  void start_node() {
    nodes_->start([this] { say_ready(); },
                  [this](const std::vector<std::string>& missing) {
                    for (const std::string& what : missing) {
                      output_.err(fmt::format("note: {}\n", what));
                    }
                  });
    if (machine_.shutdown != nullptr) {
      follow_machine(*machine_.shutdown, *nodes_, options_.shutdown, output_,
                     [this] { return stopping_; });
    }
  }

  void say_ready() {
    output_.err(fmt::format("windlass {}: node {} is ready at {}, its files are in {}\n",
                            version_number(), options_.name, credentials_.access().server.text(),
                            directory_->path()));
  }

  // The server may be gone for good, and this machine goes down all the same: how the pods ended is
  // in the supervisor's journal, and told at the next start.
  void wait_for_last_words() {
    const MonotonicTime now = env_.clock.monotonic();
    if (nodes_->running_pods() > 0) {
      all_ended_.reset();
    } else if (!all_ended_) {
      all_ended_ = now;
    } else if (now - *all_ended_ >= options_.last_words) {
      output_.err("The server does not answer: how pods ended is told at the next start\n");
      nodes_->end_supervisors([this] { finish(ExitCode::ok); });
      return;
    }
    last_words_ = env_.executor.schedule(kLastWordLook, [this] { wait_for_last_words(); });
  }

  void fail_with(const Status& status) {
    output_.err(fmt::format("error: {}\n", status.message));
    finish(ExitCode::failed);
  }

  void finish(ExitCode code) {
    stopping_ = true;
    if (auto on_finished = std::exchange(on_finished_, nullptr)) {
      env_.executor.post([on_finished = std::move(on_finished), code] { on_finished(code); });
    }
  }

  env::Env env_;
  ContainerFactory make_containers_;
  const NodeOptions options_;
  const NodeMachine machine_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  bool stopping_ = false;
  std::optional<MonotonicTime> all_ended_;  // the pods, as far as they are known
  env::TimerId last_words_ = env::TimerId::none;
  env::TimerId retry_ = env::TimerId::none;

  std::unique_ptr<env::DataDirectory> directory_;
  remote::Credentials credentials_;
  remote::Dialer dialer_;
  remote::Transport transport_;
  remote::RemoteClient client_;
  std::unique_ptr<LocalNodes> nodes_;
};

NodeSession::NodeSession(env::Env env, posix::EventLoop& loop, ContainerFactory containers,
                         remote::Access access, NodeOptions options, NodeMachine machine,
                         Output& output, std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(env, loop, std::move(containers), std::move(access),
                                   std::move(options), std::move(machine), output,
                                   std::move(on_finished))) {}

NodeSession::~NodeSession() = default;

void NodeSession::start() {
  impl_->start();
}

void NodeSession::interrupt() {
  impl_->interrupt();
}

void NodeSession::power_down() {
  impl_->power_down();
}

}  // namespace windlass::cli
