#include "crash_driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>

#include "base/check.h"

namespace windlass::crash {
namespace {

constexpr size_t kMaxFaults = 20;
// With a program that never comes as far as it should.
constexpr auto kPatience = seconds(60);

struct Child {
  pid_t pid;
  int output;
};

Child start(const std::string& program, const std::string& directory, uint64_t seed) {
  std::array<int, 2> ends = {};
  CHECK(::pipe2(ends.data(), O_CLOEXEC) == 0, "pipe");
  const std::string seed_text = std::to_string(seed);
  const pid_t pid = ::fork();
  CHECK(pid >= 0, "fork");
  if (pid == 0) {
    ::dup2(ends[1], STDOUT_FILENO);
    ::execl(program.c_str(), program.c_str(), directory.c_str(), seed_text.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

// Takes the lines off `heard` that are complete.
std::vector<std::string> take_lines(std::string& heard) {
  std::vector<std::string> lines;
  size_t from = 0;
  for (size_t to = heard.find('\n'); to != std::string::npos; to = heard.find('\n', from)) {
    lines.push_back(heard.substr(from, to - from));
    from = to + 1;
  }
  heard.erase(0, from);
  return lines;
}

bool is_acknowledgement(const std::string& line) {
  return line.starts_with("put ") || line.starts_with("gone ");
}

// All it says until it is killed; a line without its end was never said.
std::vector<std::string> listen_and_kill(const Child& child, const Life& life) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + (life.writes == 0 ? life.delay : kPatience);
  std::vector<std::string> lines;
  std::string heard;
  std::array<char, 65'536> buffer;
  int writes = 0;
  bool killed = false;
  while (true) {
    const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
    if (!killed && left <= milliseconds(0)) {
      ::kill(child.pid, SIGKILL);
      killed = true;
    }
    pollfd ready{child.output, POLLIN, 0};
    if (::poll(&ready, 1, killed ? -1 : static_cast<int>(left.count())) <= 0) {
      continue;
    }
    const ssize_t got = ::read(child.output, buffer.data(), buffer.size());
    if (got <= 0) {
      break;
    }
    heard.append(buffer.data(), static_cast<size_t>(got));
    for (std::string& line : take_lines(heard)) {
      if (is_acknowledgement(line) && ++writes == life.writes) {
        end = Clock::now() + (life.damage ? Duration(kPatience) : life.delay);
        if (life.damage) {
          life.damage();
        }
      }
      lines.push_back(std::move(line));
    }
  }
  ::close(child.output);
  return lines;
}

}  // namespace

void Driver::live(uint64_t seed, const Life& life) {
  found_.clear();
  refusal_.clear();
  stopped_ = false;
  const Child child = start(program_, directory_, seed);
  const std::vector<std::string> lines = listen_and_kill(child, life);
  int status = 0;
  ::waitpid(child.pid, &status, 0);
  for (const std::string& line : lines) {
    hear(line);
  }
  const bool killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  if (life.damage && killed) {
    fault("the program goes on although its files are damaged");
  } else if (!killed && refusal_.empty() && !stopped_) {
    fault(fmt::format("the program ended by itself (status {})", status));
  }
}

void Driver::hear(const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  std::string key;
  uint64_t revision = 0;
  words >> verb;
  if (verb == "revision") {
    words >> start_;
    return;
  }
  if (verb == "ready") {
    check_found();
    return;
  }
  if (verb == "refused") {
    std::getline(words, refusal_);
    return;
  }
  if (verb == "stopped") {
    stopped_ = true;
    return;
  }
  words >> key >> revision;
  Entry& entry = entries_[key];
  if (verb == "have") {
    int good = 0;
    words >> good;
    found_[key] = revision;
    if (good != 1) {
      fault(fmt::format("{} at revision {} has the wrong content", key, revision));
    }
  } else if (verb == "delete") {
    entry.may_be_gone = true;
  } else if (verb == "put" || verb == "gone") {
    if (revision <= start_ || revision <= entry.revision || !used_.insert(revision).second) {
      fault(fmt::format("revision {} of {} is not new", revision, key));
    }
    entry = {revision, verb == "put", false};
    ++acknowledged_;
  } else {
    fault("not a line of this protocol: " + line);
  }
}

void Driver::check_found() {
  ++lives_;
  if (!used_.empty() && start_ < *used_.rbegin()) {
    fault(
        fmt::format("the newest revision is {}, but {} was acknowledged", start_, *used_.rbegin()));
  }
  for (auto& [key, entry] : entries_) {
    const auto found = found_.find(key);
    const uint64_t revision = found == found_.end() ? 0 : found->second;
    if (revision == 0 && entry.present && !entry.may_be_gone) {
      fault(fmt::format("{} of revision {} is lost", key, entry.revision));
    } else if (revision != 0 && revision < entry.revision) {
      fault(
          fmt::format("{} is at revision {}, {} was acknowledged", key, revision, entry.revision));
    } else if (revision > start_) {
      fault(fmt::format("{} is at revision {} of {}", key, revision, start_));
    }
    // An unacknowledged write was stored or was not; from now on that does not change.
    entry = {std::max(entry.revision, revision), revision != 0, false};
  }
}

void Driver::fault(const std::string& text) {
  if (faults_.size() < kMaxFaults) {
    faults_.push_back(text);
  }
}

}  // namespace windlass::crash
