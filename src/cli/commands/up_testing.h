// For tests only: `windlass up` in the test's own process, and a client of it that has a
// kubeconfig.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "api/codec/base64.h"
#include "cli/commands/up.h"
#include "cli/output/captured_output_testing.h"
#include "net/tls/tls_testing.h"
#include "plane/kubeconfig_text.h"
#include "posix/event_loop.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_random.h"
#include "posix/worker_thread.h"

namespace windlass::cli::testing {

using net::testing::TextLog;
using net::testing::TlsClient;

// Nodes for it, which it has none of otherwise.
struct UpMachine {
  size_t nodes = 0;
  // Called on the thread of the loop, before anything else.
  std::function<plane::ContainerFactory(posix::EventLoop&, env::Clock&)> containers = {};
  plane::NodeMachine machine = {};
  std::vector<std::string> server_names = {};
  bool ephemeral = false;
};

// A running `windlass up` in this process, on a thread of its own.
class RunningUp {
 public:
  RunningUp(const std::string& directory, const std::string& listen, UpMachine machine = {})
      : machine_(std::move(machine)), loop_(clock_) {
    UpOptions options;
    options.data_dir = directory;
    options.listen = listen;
    options.nodes = machine_.nodes;
    options.images.host_root = {true, true};
    options.server_names = machine_.server_names;
    options.ephemeral = machine_.ephemeral;
    thread_ = std::thread([this, options] { run(options); });
    ready.get_future().wait();
  }
  ~RunningUp() { stop(); }

  ExitCode stop() {
    if (thread_.joinable()) {
      loop_.post([this] {
        if (session_) {
          session_->interrupt();
        }
      });
      thread_.join();
    }
    return code_;
  }

  void post(env::Task task) { loop_.post(std::move(task)); }
  // On the thread of the loop, unless it is over.
  void post_to_session(const std::function<void(UpSession&)>& task) {
    loop_.post([this, task] {
      if (session_) {
        task(*session_);
      }
    });
  }
  // Until it ends by itself.
  ExitCode wait() {
    thread_.join();
    return code_;
  }

  // Read after stop(), or once ready.
  TextOutput output;
  TextLog log;

 private:
  // Tells when there is something to read.
  class Signalling final : public Output {
   public:
    explicit Signalling(RunningUp& owner) : owner_(owner) {}
    void out(std::string_view text) override {
      owner_.output.out(text);
      owner_.say_ready();
    }
    void err(std::string_view text) override { owner_.output.err(text); }
    bool interactive() const override { return false; }

   private:
    RunningUp& owner_;
  };

  void say_ready() {
    if (!std::exchange(said_ready_, true)) {
      ready.set_value();
    }
  }

  void run(const UpOptions& options) {
    posix::PosixFiles files;
    posix::WorkerThread worker(clock_, "journal");
    Signalling signalling(*this);
    session_.emplace(
        env::Env{clock_, random_, loop_, log, files}, loop_, worker,
        machine_.containers ? machine_.containers(loop_, clock_) : plane::ContainerFactory(),
        options, machine_.machine, signalling, [this](ExitCode code) {
          code_ = code;
          loop_.stop();
        });
    session_->start();
    loop_.run();
    session_.reset();
    say_ready();
  }

  const UpMachine machine_;
  std::promise<void> ready;
  bool said_ready_ = false;
  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::EventLoop loop_;
  std::optional<UpSession> session_;
  ExitCode code_ = ExitCode::ok;
  std::thread thread_;
};

inline std::string between(const std::string& text, const std::string& from,
                           const std::string& to) {
  const size_t begin = text.find(from) + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

// What a kubeconfig says.
struct Access {
  net::Endpoint endpoint;
  std::string authority;
  std::string token;  // "" when there is a certificate
  net::CertifiedKey certificate;

  explicit Access(const std::string& kubeconfig) {
    endpoint = *net::parse_endpoint(between(kubeconfig, "server: https://", "\n"));
    api::decode_base64(between(kubeconfig, "certificate-authority-data: ", "\n"), authority);
    token = plane::token_of_kubeconfig(kubeconfig).value_or("");
    if (token.empty()) {
      api::decode_base64(between(kubeconfig, "client-certificate-data: ", "\n"),
                         certificate.certificate_pem);
      api::decode_base64(between(kubeconfig, "client-key-data: ", "\n"), certificate.key_pem);
    }
  }

  std::string request(const std::string& line, const std::string& content_type = "",
                      const std::string& body = "") const {
    TlsClient client(endpoint, authority, {.certificate = certificate});
    EXPECT_TRUE(client.connected());
    const std::string proof = token.empty() ? "" : "Authorization: Bearer " + token + "\r\n";
    client.send(line + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + proof +
                "Content-Type: " + content_type +
                "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    return client.receive(~size_t{0});
  }
};

}  // namespace windlass::cli::testing
