#include "cluster/soak/controller_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "base/check.h"

namespace windlass::cluster_tests {

ControllerProcess::ControllerProcess(const std::string& program, const std::string& kubeconfig,
                                     std::chrono::seconds lease, const std::string& log_file) {
  // As Kubernetes has them: two thirds.
  const auto renew = lease * 2 / 3;
  std::vector<std::string> words = {
      program,
      "controller",
      "--kubeconfig",
      kubeconfig,
      "--managed-by",
      "windlass.dev/job-controller",
      "--listen",
      "",
      "--backoff-base",
      "100ms",
      "--leader-elect-lease-duration",
      fmt::format("{}s", lease.count()),
      "--leader-elect-renew-deadline",
      fmt::format("{}s", renew.count()),
  };
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  const int log = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  CHECK(log >= 0, "the log can be opened");
  pid_ = ::fork();
  CHECK(pid_ >= 0, "fork");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::dup2(log, STDERR_FILENO);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  ::close(log);
}

ControllerProcess::~ControllerProcess() {
  stop();
}

std::optional<int> ControllerProcess::wait(int flags) {
  int status = 0;
  if (!code_ && ::waitpid(pid_, &status, flags) == pid_) {
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return code_;
}

std::optional<int> ControllerProcess::ended() {
  return wait(WNOHANG);
}

int ControllerProcess::stop() {
  if (!ended()) {
    ::kill(pid_, SIGTERM);
    wait(0);
  }
  return code_.value_or(-1);
}

int64_t ControllerProcess::resident_kb() const {
  std::ifstream status(fmt::format("/proc/{}/status", pid_));
  std::string word;
  int64_t kb = 0;
  while (status >> word) {
    if (word == "VmRSS:") {
      status >> kb;
      break;
    }
  }
  return kb;
}

Duration ControllerProcess::cpu() const {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid_));
  std::string word;
  for (int i = 0; i < 13; ++i) {
    stat >> word;
  }
  int64_t user = 0;
  int64_t system = 0;
  stat >> user >> system;
  return milliseconds((user + system) * 1000 / ::sysconf(_SC_CLK_TCK));
}

}  // namespace windlass::cluster_tests
