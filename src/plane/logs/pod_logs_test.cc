// Logs as a client gets them, from files in memory.
#include "plane/logs/pod_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/rest/rest_testing.h"
#include "node/container/cri_log.h"
#include "node/pod/pod_files.h"
#include "schema/core/v1/pod.pb.h"
#include "virtual_world/virtual_files.h"

namespace windlass::plane {
namespace {

using api::core::v1::Pod;

constexpr size_t kMiB = size_t{1024} * 1024;

// Lines of a kilobyte, each with a time of its own.
std::string log_lines(int first, int last) {
  std::string log;
  for (int i = first; i <= last; ++i) {
    std::string number = std::to_string(i);
    number.insert(0, 9 - number.size(), '0');
    log += "2026-01-02T03:04:05." + number + "Z stdout F " + number + std::string(1014, '.') + "\n";
  }
  return log;
}

class PodLogsTest : public apiserver::ServerTest {
 protected:
  PodLogsTest() {
    const auto created = must_create(
        pod("p"),
        apiserver::with_spec("{}", R"({"nodeName":"n","containers":[{"name":"c","image":"i"}]})"));
    auto known = std::make_shared<Pod>(*api::object_as<Pod>(created));
    auto* status = known->mutable_status()->add_container_statuses();
    status->set_name("c");
    status->mutable_state()->mutable_running();
    request.pod = known;
    request.container = "c";
    path = node::PodFiles(files, world.log(), "/data", "default", "p", known->metadata().uid())
               .log_path("c", 0);
  }

  std::shared_ptr<apiserver::FakeExchange> read() {
    auto exchange = std::make_shared<apiserver::FakeExchange>();
    exchange->reads = false;
    logs.read(request, exchange);
    // As a client that takes what there is, again and again. The store knows of no run of the
    // container, so that the log of one that is followed has an end.
    for (int i = 0; i < 1000 && !exchange->finished; ++i) {
      world.run_for(milliseconds(200));
      exchange->take();
    }
    EXPECT_TRUE(exchange->finished);
    return exchange;
  }

  virtual_world::VirtualFiles files;
  PodLogs logs{env::Env{world.clock(), world.random(), world.executor(), world.log(), files},
               server, [](const std::string&) { return std::optional<std::string>("/data"); }};
  apiserver::LogRequest request;
  std::string path;
};

TEST_F(PodLogsTest, P100_ALongLogComesWholeAndInPieces) {
  constexpr int kLines = 6 * 1024;  // each a kilobyte of text
  files.put(node::rotated_name(path, 3), log_lines(1, kLines));
  files.put(node::rotated_name(path, 2), log_lines(kLines + 1, 2 * kLines));
  files.put(node::rotated_name(path, 1), log_lines(2 * kLines + 1, 3 * kLines));
  files.put(path, log_lines(3 * kLines + 1, 3 * kLines + 10));
  for (const bool follow : {false, true}) {
    request.follow = follow;
    const auto exchange = read();
    EXPECT_EQ(exchange->status, 200);
    EXPECT_EQ(exchange->body.size(), size_t{3 * kLines + 10} * 1024);
    EXPECT_EQ(exchange->body.substr(0, 9), "000000001");
    EXPECT_LE(exchange->most_unsent, 2 * kMiB) << "a client must get to take it";
  }
}

TEST_F(PodLogsTest, P100_TheLastLinesAcrossFiles) {
  files.put(node::rotated_name(path, 1), log_lines(1, 5000));
  files.put(path, log_lines(5001, 8000));
  for (const bool follow : {false, true}) {
    request.follow = follow;
    for (const int64_t lines : {int64_t{3}, int64_t{3000}, int64_t{3001}, int64_t{7500}}) {
      request.tail_lines = lines;
      const auto exchange = read();
      EXPECT_EQ(exchange->body.size(), static_cast<size_t>(lines) * 1024) << lines;
      EXPECT_EQ(std::stoll(exchange->body.substr(0, 9)), 8001 - lines);
    }
    request.tail_lines = 0;
    EXPECT_EQ(read()->body, "");
    request.tail_lines = 9000;
    EXPECT_EQ(read()->body.size(), size_t{8000} * 1024);
  }
}

TEST_F(PodLogsTest, P100_OnlySoManyBytes) {
  files.put(path, log_lines(1, 3000));
  request.limit_bytes = 1024 * 1024 + 10;
  EXPECT_EQ(read()->body.size(), kMiB + 10);
}

TEST_F(PodLogsTest, ALogThatIsNotThereIsEmpty) {
  EXPECT_EQ(read()->body, "");
}

}  // namespace
}  // namespace windlass::plane
