// For tests only: `windlass controller` in the test's own process, and a user of the same cluster.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/codec/json/json.h"
#include "cli/commands/controller/cluster_testing.h"
#include "cli/commands/controller/controller.h"
#include "client/object_identity.h"
#include "remote/testing.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::cli::testing {

using client::ObjectPtr;
using Job = api::batch::v1::Job;

// Of a Job: pods that end well after a moment.
inline constexpr const char* kQuickPods =
    R"({"metadata":{"annotations":{"windlass.dev/hollow-duration":"10ms"}},
       "spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}})";

// A `windlass controller` on a thread of its own.
class RunningController {
 public:
  RunningController(remote::ClusterAccess access, ControllerOptions options, std::string identity)
      : loop_(clock_) {
    thread_ = std::thread([this, access = std::move(access), options = std::move(options),
                           identity = std::move(identity)] { run(access, options, identity); });
  }
  ~RunningController() { stop(); }

  void wait_for(const std::string& text) {
    EXPECT_EQ(output_.seen(text).wait_for(std::chrono::seconds(remote::testing::kPatienceSeconds)),
              std::future_status::ready)
        << text << " is not in:\n"
        << output_.text();
  }
  ExitCode stop() {
    if (thread_.joinable()) {
      loop_.post([this] { session_->interrupt(); });
      thread_.join();
    }
    return code_;
  }
  ExitCode join() {
    thread_.join();
    return code_;
  }
  std::string said() { return output_.text(); }
  // As a process that is stopped; time goes on.
  void pause() {
    resumed_ = std::promise<void>();
    loop_.post([resumed = resumed_.get_future().share()] { resumed.wait(); });
  }
  void resume() { resumed_.set_value(); }

 private:
  // Tells when a text has been written.
  class Told final : public Output {
   public:
    void out(std::string_view text) override { err(text); }
    void err(std::string_view text) override {
      const std::lock_guard lock(mutex_);
      text_ += text;
      if (!awaited_.empty() && text_.find(awaited_) != std::string::npos) {
        awaited_.clear();
        promise_.set_value();
      }
    }
    bool interactive() const override { return false; }
    std::future<void> seen(const std::string& text) {
      const std::lock_guard lock(mutex_);
      promise_ = std::promise<void>();
      awaited_ = text;
      if (text_.find(text) != std::string::npos) {
        awaited_.clear();
        promise_.set_value();
      }
      return promise_.get_future();
    }
    std::string text() {
      const std::lock_guard lock(mutex_);
      return text_;
    }

   private:
    std::mutex mutex_;
    std::string text_;
    std::string awaited_;
    std::promise<void> promise_;
  };

  void run(const remote::ClusterAccess& access, const ControllerOptions& options,
           const std::string& identity) {
    posix::PosixFiles files;
    session_.emplace(env::Env{clock_, random_, loop_, log_, files}, loop_, access, options,
                     identity, output_, [this](ExitCode code) {
                       code_ = code;
                       loop_.stop();
                     });
    session_->start();
    loop_.run();
    session_.reset();
  }

  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::EventLoop loop_;
  net::testing::TextLog log_;
  Told output_;
  std::optional<ControllerSession> session_;
  std::promise<void> resumed_;
  ExitCode code_ = ExitCode::ok;
  std::thread thread_;
};

class ControllerOnCluster : public ::testing::Test {
 protected:
  static ControllerOptions options() {
    ControllerOptions options;
    options.manager = "windlass.dev/job-controller";
    options.listen = "";
    options.verbosity = 0;
    return options;
  }

  // `key` is namespace/name.
  void create_job(const std::string& key, const std::string& spec,
                  const std::string& annotations = "{}") {
    const client::KeyParts parts = client::split_key(key);
    auto job = std::make_shared<Job>();
    const std::string json = R"({"metadata":{"name":")" + parts.name + R"(","annotations":)" +
                             annotations + R"(},"spec":)" + spec + "}";
    const auto decoded = api::decode_json(json, *job);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
    const auto created = user_.await<ObjectPtr>([&](auto done) {
      user_.client.create({&api::kinds::job(), parts.ns, parts.name}, job, std::move(done));
    });
    ASSERT_TRUE(created.has_value()) << created.error().message;
  }

  // The Job once its status has this terminal condition.
  std::shared_ptr<const Job> wait_for(const std::string& key, const std::string& type) {
    const client::KeyParts parts = client::split_key(key);
    std::shared_ptr<const Job> found;
    std::unique_ptr<client::Watch> watch;
    user_.loop.post([&] {
      watch = user_.client.watch(
          {&api::kinds::job(), parts.ns, "", "metadata.name=" + parts.name}, "0",
          {[&](const client::WatchEvent& event) {
             const auto job = api::object_as<Job>(event.object);
             for (const auto& condition : job->status().conditions()) {
               if (event.type != client::EventType::bookmark && condition.type() == type) {
                 found = job;
                 user_.loop.stop();
               }
             }
           },
           [&](const Status& status) {
             ADD_FAILURE() << status.message;
             user_.loop.stop();
           }});
    });
    user_.run();
    return found;
  }

  std::vector<ObjectPtr> list(const api::Kind& kind, const std::string& ns) {
    const auto listed = user_.await<client::ObjectList>([&](auto done) {
      user_.client.list({&kind, ns, "", ""}, {}, std::move(done));
    });
    EXPECT_TRUE(listed.has_value());
    return listed ? listed->items : std::vector<ObjectPtr>();
  }

  // Asks again and again.
  void wait_until(const std::function<bool()>& holds) {
    const MonotonicTime deadline =
        user_.clock.monotonic() + seconds(remote::testing::kPatienceSeconds);
    while (!holds()) {
      ASSERT_LT(user_.clock.monotonic(), deadline);
      user_.loop.schedule(milliseconds(10), [this] { user_.loop.stop(); });
      user_.loop.run();
    }
  }

  TestCluster cluster_;
  remote::testing::TestClient user_{cluster_.access()};
};

}  // namespace windlass::cli::testing
