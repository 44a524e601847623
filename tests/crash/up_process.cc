#include "up_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/check.h"

namespace windlass::crash {

UpProcess::UpProcess(const std::string& program, const std::string& data_dir,
                     const std::string& log_file, std::vector<std::string> more) {
  std::vector<std::string> words = {program,    "up",          "--data-dir",    data_dir,
                                    "--listen", "127.0.0.1:0", "--host-root=rw"};
  words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  std::array<int, 2> ends = {};
  CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe");
  const int log = ::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  CHECK(log >= 0, "the log can be opened");
  pid_ = ::fork();
  CHECK(pid_ >= 0, "fork");
  if (pid_ == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::dup2(log, STDERR_FILENO);
    ::execv(program.c_str(), arguments.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  ::close(log);
  output_ = ends[0];
}

UpProcess::~UpProcess() {
  kill();
  ::close(output_);
}

bool UpProcess::wait_until_ready(Duration patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::string heard;
  while (heard.find('\n') == std::string::npos) {
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    pollfd ready{output_, POLLIN, 0};
    if (left <= milliseconds(0) || ::poll(&ready, 1, static_cast<int>(left.count())) < 0) {
      return false;
    }
    std::array<char, 4096> buffer;
    const ssize_t got = ready.revents == 0 ? 0 : ::read(output_, buffer.data(), buffer.size());
    if (got <= 0) {
      return false;
    }
    heard.append(buffer.data(), static_cast<size_t>(got));
  }
  return true;
}

bool UpProcess::kill() {
  if (pid_ < 0) {
    return false;
  }
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

}  // namespace windlass::crash
