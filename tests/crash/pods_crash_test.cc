// Kills `windlass up` and its supervisor in turn while a Job with retries runs as real processes.
// Every process writes into a ledger when it begins and when it ends; the ledger and the Job's
// status must agree (reliability.md N1, N3).
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <simdjson.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <thread>

#include "api_connection.h"
#include "posix/file_descriptor.h"
#include "posix/testing.h"
#include "up_process.h"

namespace windlass::crash {
namespace {

constexpr int kIndexes = 60;
constexpr int kKills = 6;
constexpr auto kPatience = seconds(60);
constexpr auto kBetweenKills = milliseconds(700);
constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";

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

struct Attempt {
  int begins = 0;
  std::vector<int> ends;
};

// Each line: begin|end POD-UID [CODE].
std::map<std::string, Attempt> read_ledger(const std::string& path) {
  std::map<std::string, Attempt> attempts;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string what;
    std::string uid;
    int code = 0;
    words >> what >> uid >> code;
    Attempt& attempt = attempts[uid];
    what == "begin" ? static_cast<void>(++attempt.begins) : attempt.ends.push_back(code);
  }
  return attempts;
}

class PodsCrash : public ::testing::Test {
 protected:
  // Index 0, 5, 10, ... fail the first time they come as far as their end.
  std::string job() const {
    const std::string script = fmt::format(
        R"(cd {} && echo begin $UID_ >> ledger; sleep 0.2; code=0; )"
        R"(if [ $((JOB_COMPLETION_INDEX % 5)) = 0 ] && mkdir m$JOB_COMPLETION_INDEX 2>&-; )"
        R"(then code=3; fi; echo end $UID_ $code >> ledger; exit $code)",
        folder_.path());
    return fmt::format(
        R"({{"metadata":{{"name":"j"}},"spec":{{"completionMode":"Indexed","completions":{},)"
        R"("parallelism":5,"backoffLimit":1000,"template":{{"spec":{{"restartPolicy":"Never",)"
        R"("containers":[{{"name":"c","image":"i","command":["sh","-c","{}"],)"
        R"("env":[{{"name":"UID_","valueFrom":{{"fieldRef":)"
        R"({{"fieldPath":"metadata.uid"}}}}}}]}}]}}}}}}}})",
        kIndexes, script);
  }

  bool start(const char* program) {
    up_ = std::make_unique<UpProcess>(
        program, data_ / "data", data_ / "log",
        std::vector<std::string>{"--backoff-base", "100ms", "--backoff-cap", "200ms"});
    if (!up_->wait_until_ready(kPatience)) {
      return false;
    }
    api_ = std::make_unique<ApiConnection>(data_.read("data/kubeconfig"));
    return true;
  }

  // Invalid when there is none. Whoever has the number by now is asked whether it is one.
  posix::FileDescriptor find_supervisor() {
    const pid_t pid = std::atoi(data_.read("data/nodes/node-1/supervisor/lock").c_str());
    posix::FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
    const std::string words((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    return words.find("supervisor") != std::string::npos ? std::move(process)
                                                         : posix::FileDescriptor();
  }
  bool kill_supervisor() {
    const posix::FileDescriptor process = find_supervisor();
    return process.valid() &&
           ::syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0;
  }
  // One that has given its directory back may have a leak check before it.
  bool supervisor_is_gone() {
    const posix::FileDescriptor process = find_supervisor();
    pollfd end = {process.get(), POLLIN, 0};
    return !process.valid() || ::poll(&end, 1, static_cast<int>(kPatience / milliseconds(1))) == 1;
  }
  // What the test leaves is ended by the command that is there for it.
  void TearDown() override {
    up_.reset();
    const char* program = std::getenv("WINDLASS_CRASH_PROGRAM");
    if (program == nullptr) {
      return;
    }
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::execl(program, program, "down", "--data-dir", (data_ / "data").c_str(), nullptr);
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0) << "windlass down";
    EXPECT_TRUE(supervisor_is_gone()) << "one is left";
  }

  // Follows the Job to its terminal condition.
  std::string wait_for_end() {
    ApiConnection watch(data_.read("data/kubeconfig"));
    if (watch.open_stream(fmt::format("{}?watch=1&timeoutSeconds=60", kJobs)) != 200) {
      return "the watch is refused";
    }
    while (const auto line = watch.next_line()) {
      element event;
      simdjson::dom::array conditions;
      if (parser_.parse(*line).get(event) != simdjson::SUCCESS ||
          event.at_pointer("/object/status/conditions").get(conditions) != simdjson::SUCCESS) {
        continue;
      }
      for (const element condition : conditions) {
        const std::string type = text_at(condition, "/type");
        if (type == "Complete" || type == "Failed") {
          return type;
        }
      }
    }
    return "nothing";
  }

  void compare_with_ledger() {
    const auto attempts = read_ledger(folder_.path() + "/ledger");
    int good = 0;
    for (const auto& [uid, attempt] : attempts) {
      EXPECT_EQ(attempt.begins, 1) << "N1: " << uid << " ran more than once";
      good += attempt.ends == std::vector<int>{0} ? 1 : 0;
    }
    EXPECT_GE(good, kIndexes);
    const Answer answer = api_->request("GET", kPods);
    element list;
    ASSERT_EQ(parser_.parse(answer.body).get(list), simdjson::SUCCESS) << answer.body;
    int succeeded = 0;
    for (const element pod : list["items"].get_array()) {
      const std::string uid = text_at(pod, "/metadata/uid");
      const std::string phase = text_at(pod, "/status/phase");
      const auto code = number_at(pod, "/status/containerStatuses/0/state/terminated/exitCode");
      const auto found = attempts.find(uid);
      const std::vector<int> ends =
          found == attempts.end() ? std::vector<int>() : found->second.ends;
      succeeded += phase == "Succeeded" ? 1 : 0;
      if (phase == "Succeeded") {
        EXPECT_EQ(ends, std::vector<int>{0}) << uid;
      } else if (code != 137 && code != 143) {  // a kill, or an end that nobody saw
        EXPECT_EQ(ends, std::vector<int>{static_cast<int>(code)}) << uid;
      }
    }
    EXPECT_EQ(succeeded, kIndexes);
  }

  const LedgerFolder folder_;
  const posix::TemporaryDirectory data_;
  std::unique_ptr<UpProcess> up_;
  std::unique_ptr<ApiConnection> api_;
  simdjson::dom::parser parser_;
};

TEST_F(PodsCrash, N1_N3_TheLedgerAgreesWithTheStatusWhoeverIsKilled) {
  const char* program = std::getenv("WINDLASS_CRASH_PROGRAM");
  ASSERT_NE(program, nullptr) << "names windlass; see tests/crash/README.md";
  ASSERT_TRUE(start(program)) << data_.read("log");
  const Answer created = api_->request("POST", kJobs, "application/json", job());
  ASSERT_EQ(created.status, 201) << created.body;
  for (int kill = 0; kill < kKills; ++kill) {
    std::this_thread::sleep_for(kBetweenKills);
    if (kill % 2 == 0) {
      EXPECT_TRUE(up_->kill()) << "it ended by itself";
      ASSERT_TRUE(start(program)) << data_.read("log");
    } else {
      EXPECT_TRUE(kill_supervisor());
    }
  }
  EXPECT_EQ(wait_for_end(), "Complete");
  compare_with_ledger();
  element status;
  const Answer answer = api_->request("GET", std::string(kJobs) + "/j");
  ASSERT_EQ(parser_.parse(answer.body).get(status), simdjson::SUCCESS);
  EXPECT_EQ(number_at(status, "/status/succeeded"), kIndexes);
  EXPECT_GE(number_at(status, "/status/failed"), kIndexes / 5);
  if (HasFailure()) {
    fmt::print("what the server logged:\n{}\n", data_.read("log"));
  }
}

}  // namespace
}  // namespace windlass::crash
