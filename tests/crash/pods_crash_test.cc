// Kills `windlass up` (control plane and agents in one) and the supervisors, alone and together, in
// any order, again and again while Jobs with retries run as real processes. Every process writes
// into a ledger when it begins and when it ends; the ledger, the attempt ledger and the Job's
// status must agree (safety.md N1, N3, F7), and when the Job is deleted nothing of it is left (N4).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <simdjson.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "api_connection.h"
#include "attempt_records.h"
#include "base/generator.h"
#include "pod_ledger.h"
#include "posix/files/file_descriptor.h"
#include "posix/testing.h"
#include "up_process.h"

namespace windlass::crash {
namespace {

constexpr int kIndexes = 200;
constexpr int kAtOnce = 20;
constexpr int kKillsPerJob = 12;
// Within what every run of the tests can spare; a Job that has begun is followed to its end.
constexpr auto kBudget = seconds(40);
constexpr auto kPatience = seconds(60);
constexpr uint64_t kLongestBetweenKillsMillis = 700;
constexpr uint64_t kLongestStartMillis = 150;
constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";
const std::vector<std::string> kNodes = {"node-1", "node-2"};

using simdjson::dom::element;

std::string text_at(const element& object, const std::string& pointer) {
  std::string_view text;
  return object.at_pointer(pointer).get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

int64_t number_at(const element& object, const std::string& pointer) {
  int64_t number = -1;
  return object.at_pointer(pointer).get(number) == simdjson::SUCCESS ? number : -1;
}

// Outside of /tmp, of which containers have their own.
class LedgerFolder {
 public:
  LedgerFolder() {
    std::string name = "/var/tmp/windlass-ledger-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~LedgerFolder() { std::filesystem::remove_all(path_); }
  LedgerFolder(const LedgerFolder&) = delete;
  LedgerFolder& operator=(const LedgerFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Who is killed: in this order, one right after the other.
enum class Victims { up, up_while_it_starts, supervisor, supervisors, up_first, up_last };

class PodsCrash : public ::testing::Test {
 protected:
  std::string marker() const { return "WINDLASS_LEDGER=" + folder_.path(); }
  std::string ledger(const std::string& job) const { return folder_.path() + "/" + job; }

  // Index 0, 5, 10, ... fail the first time they come as far as their end.
  std::string job(const std::string& name) const {
    const std::string script = fmt::format(
        R"(cd $WINDLASS_LEDGER && echo begin $UID_ >> {0}; sleep 0.1; code=0; )"
        R"(if [ $((JOB_COMPLETION_INDEX % 5)) = 0 ] && mkdir m-{0}-$JOB_COMPLETION_INDEX 2>&-; )"
        R"(then code=3; fi; echo end $UID_ $code >> {0}; exit $code)",
        name);
    return fmt::format(
        R"({{"metadata":{{"name":"{}"}},"spec":{{"completionMode":"Indexed","completions":{},)"
        R"("parallelism":{},"backoffLimit":100000,"template":{{"spec":{{"restartPolicy":"Never",)"
        R"("containers":[{{"name":"c","image":"i","command":["sh","-c","{}"],)"
        R"("env":[{{"name":"WINDLASS_LEDGER","value":"{}"}},{{"name":"UID_","valueFrom":)"
        R"({{"fieldRef":{{"fieldPath":"metadata.uid"}}}}}}]}}]}}}}}}}})",
        name, kIndexes, kAtOnce, script, folder_.path());
  }

  void launch() {
    up_ = std::make_unique<UpProcess>(
        program_, data_ / "data", data_ / "log",
        std::vector<std::string>{"--nodes", fmt::format("{}", kNodes.size()), "--backoff-base",
                                 "50ms", "--backoff-cap", "100ms"});
  }
  bool start() {
    launch();
    if (!up_->wait_until_ready(kPatience)) {
      return false;
    }
    api_ = std::make_unique<ApiConnection>(data_.read("data/kubeconfig"));
    return true;
  }

  // Invalid when there is none. Another process may have the pid by now, so this checks what it is.
  posix::FileDescriptor find_supervisor(const std::string& node) {
    const std::string lock = fmt::format("data/nodes/{}/supervisor/lock", node);
    const pid_t pid = std::atoi(data_.read(lock).c_str());
    posix::FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
    const std::string words((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    return words.find("supervisor") != std::string::npos ? std::move(process)
                                                         : posix::FileDescriptor();
  }
  // One that has been killed and not yet been followed by another is not there to be killed again.
  void kill_supervisor(const std::string& node) {
    const posix::FileDescriptor process = find_supervisor(node);
    if (process.valid() &&
        ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0) {
      ++supervisor_kills_;
    }
  }
  void kill_supervisors() {
    for (const std::string& node : kNodes) {
      kill_supervisor(node);
    }
  }
  void kill_up() {
    EXPECT_TRUE(up_->kill()) << "it ended by itself";
    ++up_kills_;
  }
  // One that has given its directory back may have a leak check before it.
  bool supervisor_is_gone(const std::string& node) {
    const posix::FileDescriptor process = find_supervisor(node);
    pollfd end = {process.get(), POLLIN, 0};
    return !process.valid() || ::poll(&end, 1, static_cast<int>(kPatience / milliseconds(1))) == 1;
  }

  void wait_up_to(uint64_t millis) {
    std::this_thread::sleep_for(std::chrono::milliseconds(random_.uniform(millis)));
  }

  void kill(Victims victims) {
    switch (victims) {
      case Victims::up:
        kill_up();
        break;
      case Victims::up_while_it_starts:
        kill_up();
        launch();
        wait_up_to(kLongestStartMillis);
        kill_up();
        break;
      case Victims::supervisor:
        kill_supervisor(kNodes[random_.uniform(kNodes.size())]);
        return;
      case Victims::supervisors:
        kill_supervisors();
        return;
      case Victims::up_first:
        kill_up();
        kill_supervisors();
        break;
      case Victims::up_last:
        kill_supervisors();
        kill_up();
        break;
    }
    ASSERT_TRUE(start()) << data_.read("log");
  }

  Victims draw(bool supervisors_too) {
    return static_cast<Victims>(random_.uniform(supervisors_too ? 6 : 2));
  }

  // What the test leaves is ended by the command that is there for it.
  void TearDown() override {
    up_.reset();
    if (program_.empty()) {
      return;
    }
    const std::string data = data_ / "data";
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl(program_.c_str(), program_.c_str(), "down", "--data-dir", data.c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0) << "windlass down";
    for (const std::string& node : kNodes) {
      EXPECT_TRUE(supervisor_is_gone(node)) << "one is left";
    }
    EXPECT_EQ(left_behind(data, kNodes, marker()), std::vector<std::string>());
    EXPECT_EQ(groups_of(data, kNodes), std::vector<std::string>());
  }

  // Follows the Jobs until the event is the wanted one.
  bool wait_for(const std::function<bool(const element&)>& wanted) {
    ApiConnection watch(data_.read("data/kubeconfig"));
    if (watch.open_stream(fmt::format("{}?watch=1&timeoutSeconds=60", kJobs)) != 200) {
      return false;
    }
    while (const auto line = watch.next_line()) {
      element event;
      if (parser_.parse(*line).get(event) == simdjson::SUCCESS && wanted(event)) {
        return true;
      }
    }
    return false;
  }

  // Each pod as its process says; nothing that ran is missing, nothing ran twice.
  void compare_with_ledger(const std::string& name, bool supervisors_too) {
    const auto attempts = read_pod_ledger(ledger(name));
    for (const auto& [uid, attempt] : attempts) {
      EXPECT_EQ(attempt.begins, 1) << "N1: " << uid << " ran more than once";
    }
    const Answer answer = api_->request("GET", kPods);
    element list;
    ASSERT_EQ(parser_.parse(answer.body).get(list), simdjson::SUCCESS) << answer.body;
    size_t known = 0;
    int64_t succeeded = 0;
    int64_t failed = 0;
    for (const element pod : list["items"].get_array()) {
      const std::string uid = text_at(pod, "/metadata/uid");
      const auto found = attempts.find(uid);
      const Attempt attempt = found == attempts.end() ? Attempt() : found->second;
      known += found == attempts.end() ? 0U : 1U;
      (text_at(pod, "/status/phase") == "Succeeded" ? succeeded : failed)++;
      compare_pod(pod, attempt, supervisors_too);
    }
    EXPECT_EQ(known, attempts.size()) << "of each process there is a pod";
    std::vector<element> pods;
    for (const element pod : list["items"].get_array()) {
      pods.push_back(pod);
    }
    compare_with_records(name, pods);
    compare_job(name, succeeded, failed);
  }

  // The attempt ledger has each pod once, as it ended, however often its writer was killed.
  void compare_with_records(const std::string& name, const std::vector<element>& pods) {
    const auto records = read_attempt_records(data_ / "data");
    ASSERT_TRUE(records);
    const auto of_job = std::count_if(records->begin(), records->end(), [&name](const auto& each) {
      return each.second.job == name;
    });
    EXPECT_EQ(static_cast<size_t>(of_job), pods.size()) << "F7: one record for each pod";
    for (const element& pod : pods) {
      const auto found = records->find(text_at(pod, "/metadata/uid"));
      if (found == records->end()) {
        ADD_FAILURE() << "F7: no record of " << simdjson::minify(pod);
        continue;
      }
      const std::string phase = text_at(pod, "/status/phase");
      const int64_t code = number_at(pod, "/status/containerStatuses/0/state/terminated/exitCode");
      EXPECT_EQ(found->second.phase, phase);
      EXPECT_EQ(found->second.counted, phase);
      EXPECT_EQ(found->second.exit_code.value_or(-1), code);
    }
  }

  void compare_pod(const element& pod, const Attempt& attempt, bool supervisors_too) {
    const std::string ended = "/status/containerStatuses/0/state/terminated";
    const int64_t code = number_at(pod, ended + "/exitCode");
    if (text_at(pod, ended + "/reason") == "ContainerStatusUnknown") {
      // It may have run, and even have come to its end, but that was never known for sure.
      lost_++;
      EXPECT_TRUE(supervisors_too) << "N3: an exit code is lost: " << simdjson::minify(pod);
      EXPECT_EQ(code, 137);
      EXPECT_EQ(text_at(pod, "/status/phase"), "Failed");
      return;
    }
    EXPECT_EQ(text_at(pod, "/status/phase"), code == 0 ? "Succeeded" : "Failed");
    EXPECT_EQ(attempt.ends, std::vector<int>{static_cast<int>(code)}) << simdjson::minify(pod);
  }

  void compare_job(const std::string& name, int64_t succeeded, int64_t failed) {
    element job;
    const Answer answer = api_->request("GET", std::string(kJobs) + "/" + name);
    ASSERT_EQ(parser_.parse(answer.body).get(job), simdjson::SUCCESS);
    EXPECT_EQ(succeeded, kIndexes);
    EXPECT_EQ(number_at(job, "/status/succeeded"), kIndexes);
    EXPECT_EQ(number_at(job, "/status/failed"), failed);
    EXPECT_GE(failed, kIndexes / 5);
    attempts_ += succeeded + failed;
  }

  // Who deletes the Job is told when the objects are gone; the files follow.
  void delete_and_look(const std::string& name) {
    const Answer deleted =
        api_->request("DELETE", std::string(kJobs) + "/" + name, "application/json",
                      R"({"propagationPolicy":"Foreground"})");
    ASSERT_EQ(deleted.status, 200) << deleted.body;
    const std::string target = std::string(kJobs) + "/" + name;
    const auto end = std::chrono::steady_clock::now() + kPatience;
    const auto late = [end] { return std::chrono::steady_clock::now() > end; };
    while (api_->request("GET", target).status != 404 && !late()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::vector<std::string> left;
    do {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      left = left_behind(data_ / "data", kNodes, marker());
    } while (!left.empty() && !late());
    EXPECT_EQ(left, std::vector<std::string>());
    EXPECT_EQ(api_->request("GET", target).status, 404);
  }

  // One Job among kills. Without supervisors among the victims no exit code may be lost.
  void live(const std::string& name, bool supervisors_too) {
    SCOPED_TRACE(fmt::format("{}, {}", name, supervisors_too ? "all are killed" : "only up"));
    const Answer created = api_->request("POST", kJobs, "application/json", job(name));
    ASSERT_EQ(created.status, 201) << created.body;
    for (int i = 0; i < kKillsPerJob && !HasFatalFailure(); ++i) {
      wait_up_to(kLongestBetweenKillsMillis);
      kill(draw(supervisors_too));
    }
    ASSERT_FALSE(HasFatalFailure());
    EXPECT_TRUE(wait_for([](const element& event) {
      return !text_at(event, "/object/status/completionTime").empty();
    }));
    compare_with_ledger(name, supervisors_too);
    delete_and_look(name);
  }

  const LedgerFolder folder_;
  const posix::TemporaryDirectory data_;
  std::string program_;
  Generator random_{20'261'116};
  std::unique_ptr<UpProcess> up_;
  std::unique_ptr<ApiConnection> api_;
  simdjson::dom::parser parser_;
  int up_kills_ = 0;
  int supervisor_kills_ = 0;
  int64_t attempts_ = 0;
  int64_t lost_ = 0;
};

TEST_F(PodsCrash, N1_N3_N4_F7_TheLedgerAgreesWithTheStatusWhoeverIsKilled) {
  const char* program = std::getenv("WINDLASS_CRASH_PROGRAM");
  ASSERT_NE(program, nullptr) << "names windlass; see tests/crash/README.md";
  const char* wanted = std::getenv("WINDLASS_CRASH_SECONDS");
  const auto budget = wanted == nullptr ? kBudget : seconds(std::atoi(wanted));
  const char* seed = std::getenv("WINDLASS_CRASH_SEED");
  random_ = Generator(seed == nullptr ? 20'261'116 : std::strtoull(seed, nullptr, 10));
  program_ = program;
  ASSERT_TRUE(start()) << data_.read("log");
  const auto begin = std::chrono::steady_clock::now();
  int jobs = 0;
  do {
    live(fmt::format("j{}", jobs), jobs % 2 == 1);
    ++jobs;
  } while (!HasFailure() && (jobs < 2 || std::chrono::steady_clock::now() - begin < budget));
  if (HasFailure()) {
    fmt::print("what the server logged:\n{}\n", data_.read("log"));
  }
  fmt::print(
      "{} Jobs, {} attempts, {} lost with their supervisor; windlass up killed {} times, "
      "supervisors {} times\n",
      jobs, attempts_, lost_, up_kills_, supervisor_kills_);
}

}  // namespace
}  // namespace windlass::crash
