#include "plane/attempt_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "apiserver/testing.h"
#include "evidence/attempt_recorder.h"
#include "ledger/sqlite/attempt_reader.h"
#include "posix/files/data_directory.h"
#include "posix/files/posix_files.h"
#include "posix/testing.h"
#include "schema/core/v1/config_map.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::plane {
namespace {

using apiserver::testing::Pod;
using apiserver::testing::SimulatedApi;
using controllers::job::AttemptEnd;
using controllers::job::AttemptVerdict;
using ::testing::HasSubstr;

constexpr const char* kCanary = "c4nary-0f-a-l0ng-passw0rd";
constexpr const char* kCanaryInBase64 = "YzRuYXJ5LTBmLWEtbDBuZy1wYXNzdzByZA";

struct AttemptLedgerTest : public ::testing::Test {
  void SetUp() override {
    ASSERT_TRUE(posix::make_data_directory(folder.path() + "/data"));
    auto opened = open_ledger(
        {api.world.clock(), api.world.random(), api.world.executor(), api.world.log(), files},
        api.world.executor("ledger"), metrics, folder.path() + "/data", "ledger.db", {});
    ASSERT_TRUE(opened) << opened.error().message;
    ledger = *std::move(opened);
  }

  std::string all_bytes() {
    std::string bytes;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder.path() + "/data")) {
      std::ifstream file(entry.path(), std::ios::binary);
      bytes.append(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return bytes;
  }

  const posix::TemporaryDirectory folder;
  SimulatedApi api;
  posix::PosixFiles files;
  MetricRegistry metrics;
  std::unique_ptr<ledger::SqliteLedger> ledger;
};

// safety.md H6
TEST_F(AttemptLedgerTest, H6_NothingOfASecretIsInTheFile) {
  api.create<api::core::v1::Secret>(
      api::kinds::secret(),
      std::string("{metadata: {name: s}, data: {p: ") + kCanaryInBase64 + "==}}");
  evidence::AttemptRecorder::Options options;
  options.evidence.read_log = [](const api::ObjectPtr&, const std::string&, size_t,
                                 const auto& done) {
    const std::string canary = kCanary;
    done(evidence::LogTail{
        canary.substr(7) + "\nlogin " + canary + "\nBasic " + kCanaryInBase64 + "==\nthe last line",
        true, ""});
  };
  evidence::AttemptRecorder recorder(api.client_env(), *ledger, std::move(options));
  const auto pod = std::make_shared<Pod>(api::testing::from_yaml<Pod>(
      std::string("{metadata: {name: p, namespace: default, uid: pod-uid}, spec: {containers: ["
                  "{name: c, envFrom: [{secretRef: {name: s}}]}]}, status: {phase: Failed,"
                  " startTime: '2040-01-01T00:00:00Z', message: bad ") +
      kCanary + ", containerStatuses: [{name: c, state: {terminated: {exitCode: 1, message: " +
      kCanary + "}}}]}}"));
  bool kept = false;
  recorder.keep(
      {pod, "pod-uid", "j", "job-uid", 0, AttemptVerdict{engine::Counted::failed, -1, "", "", "c"}},
      [&kept] { kept = true; });
  ASSERT_TRUE(api.world.run_until([&kept] { return kept; }, minutes(1)));
  recorder.forget("pod-uid");
  const std::string bytes = all_bytes();
  // The record is there, and not packed.
  EXPECT_THAT(bytes, HasSubstr("the last line"));
  EXPECT_THAT(bytes, HasSubstr("[redacted]"));
  const std::string canary = kCanary;
  for (size_t length = 6; length <= canary.size(); ++length) {
    EXPECT_EQ(bytes.find(canary.substr(canary.size() - length)), std::string::npos) << length;
  }
  EXPECT_EQ(bytes.find(canary.substr(0, 8)), std::string::npos);
  EXPECT_EQ(bytes.find(kCanaryInBase64), std::string::npos);
}

TEST_F(AttemptLedgerTest, ARecordHasAtMostAKibibyteBesidesItsLog) {
  evidence::AttemptRecorder recorder(api.client_env(), *ledger, {});
  const size_t empty = all_bytes().size();
  constexpr size_t kRecords = 2'000;
  size_t kept = 0;
  for (size_t i = 0; i < kRecords; ++i) {
    const std::string name = "train-" + std::to_string(i) + "-abcde";
    auto pod = std::make_shared<Pod>(api::testing::from_yaml<Pod>(
        "{metadata: {namespace: ml, creationTimestamp: '2026-01-01T10:00:00Z'},"
        " spec: {nodeName: node-1, containers: [{name: main, image: registry.example.com/train:1,"
        "   resources: {requests: {cpu: 500m, memory: 1Gi}, limits: {memory: 1Gi}}}]},"
        " status: {phase: Failed, containerStatuses: [{name: main, state: {terminated: {"
        "   exitCode: 1, reason: Error, startedAt: '2026-01-01T10:00:02Z',"
        "   finishedAt: '2026-01-01T10:00:03Z'}}}]}}"));
    pod->mutable_metadata()->set_name(name);
    const std::string uid = "0f8fad5b-d9cb-469f-a165-" + std::to_string(100'000'000'000 + i);
    pod->mutable_metadata()->set_uid(uid);
    recorder.keep({pod, uid, "train", "7c9e6679-7425-40de-944b-e07fc1f90ae7", 0,
                   AttemptVerdict{engine::Counted::failed, 1, "rule", "Count", "main"}},
                  [&kept] { ++kept; });
  }
  ASSERT_TRUE(api.world.run_until([&kept] { return kept == kRecords; }, minutes(1)));
  ledger.reset();
  api.world.run_for(seconds(1));
  std::filesystem::remove(folder.path() + "/data/ledger.db-wal");
  EXPECT_LE((all_bytes().size() - empty) / kRecords, 1024U);
}

}  // namespace
}  // namespace windlass::plane
