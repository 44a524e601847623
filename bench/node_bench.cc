// Real pods through the whole durable stack: `windlass up` with its store on disk and its
// supervisor, beside programs that start processes and nothing else, in the same run. `./dev bench
// node`; with words (rate, memory, status, up, run) only these, with --indexes=N, --at-once=N,
// --rounds=N other sizes; --peers=0 leaves the others out. Prints every run; the limits are in
// docs/reference/performance.md. Windlass and container runtimes also start it from an image of
// /bin/busybox; of those, what is installed and runs on this machine.
#include <fmt/format.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bare_clones.h"
#include "base/check.h"
#include "posix/testing.h"
#include "tests/crash/api_connection.h"
#include "tests/crash/up_process.h"

namespace windlass {
namespace {

using crash::ApiConnection;
using crash::UpProcess;
using simdjson::dom::element;

constexpr const char* kProgram = WINDLASS_PROGRAM;
constexpr const char* kJobs = "/apis/batch/v1/namespaces/default/jobs";
constexpr const char* kPods = "/api/v1/namespaces/default/pods";
constexpr Duration kPatience = seconds(60);
// Outside of /tmp, of which containers have their own; the usual data directories are, too.
constexpr const char* kFolder = "/var/tmp";

struct Sizes {
  int indexes = 10'000;
  int at_once = 32;
  int rounds = 3;
  int peers = 1;  // 0: without them, for a profiler
};

double wall_seconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// Of this process and all that it has waited for.
double processor_seconds() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    ::getrusage(who, &usage);
    sum += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return sum;
}

struct Times {
  double own = 0;
  double children = 0;  // those it has waited for
};

Times processor_seconds_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::vector<double> numbers;
  std::string word;
  while (fields >> word) {
    numbers.push_back(std::strtod(word.c_str(), nullptr));
  }
  const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {(numbers.at(11) + numbers.at(12)) / tick, (numbers.at(13) + numbers.at(14)) / tick};
}

// What belongs to the process alone, from the kernel's account of it.
double private_kilobytes(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/smaps_rollup", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Private_Dirty:")) {
      return std::strtod(line.c_str() + 14, nullptr);
    }
  }
  return 0;
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<size_t>(part * last + 0.5)];
}

// A peer: everything that the shell command takes.
double run_command(const std::string& command) {
  const double start = wall_seconds();
  const int status = std::system(command.c_str());
  CHECK(status == 0, "a peer fails");
  return wall_seconds() - start;
}

double run_bare(int runs, size_t at_once) {
  const double start = wall_seconds();
  run_bare_clones(runs, at_once);
  return wall_seconds() - start;
}

std::string text_at(const element& object, const std::string& pointer) {
  std::string_view text;
  return object.at_pointer(pointer).get(text) == simdjson::SUCCESS ? std::string(text) : "";
}

int64_t number_at(const element& object, const std::string& pointer) {
  int64_t number = 0;
  return object.at_pointer(pointer).get(number) == simdjson::SUCCESS ? number : 0;
}

// In the store of Image, and else the machine's root.
constexpr const char* kImage = "busybox:bench";

std::string pod_template(const std::string& command, const std::string& image) {
  return fmt::format(
      R"({{"spec":{{"restartPolicy":"Never","terminationGracePeriodSeconds":0,"containers":)"
      R"([{{"name":"c","image":"{}","command":{}}}]}}}})",
      image, command);
}

std::string indexed_job(const std::string& name, int completions, int at_once,
                        const std::string& command, const std::string& image = "none") {
  return fmt::format(
      R"({{"apiVersion":"batch/v1","kind":"Job","metadata":{{"name":"{}"}},"spec":{{)"
      R"("completionMode":"Indexed","completions":{},"parallelism":{},"template":{}}}}})",
      name, completions, at_once, pod_template(command, image));
}

// A root file system of busybox: in an image store, and as a bundle of runc.
class Image {
 public:
  Image() : folder_(fmt::format("{}/windlass-bench-XXXXXX", kFolder)) {
    CHECK(::mkdtemp(folder_.data()) != nullptr, "a folder for the image");
    run_command(
        fmt::format("cd {} && {} image load --name {} --from-static /bin/busybox "
                    "--image-dir store >/dev/null",
                    folder_, kProgram, kImage));
    run_command(
        fmt::format("cd {} && mkdir -p rootfs/bin rootfs/proc rootfs/sys rootfs/dev && cp "
                    "/bin/busybox rootfs/bin && ln -s busybox rootfs/bin/true",
                    folder_));
  }
  ~Image() { std::filesystem::remove_all(folder_); }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  std::string store() const { return folder_ + "/store"; }
  // Commands that run /bin/true in it as `{}` and remove the container.
  std::string with_runc() const {
    return fmt::format("runc run --bundle {} windlass-bench-{{}}", folder_);
  }
  std::string with_podman() const {
    return fmt::format(
        "podman run --rm --runtime runc --network host --ulimit nofile=1024:1024 "
        "--ulimit nproc=4096:4096 --rootfs {}/rootfs /bin/true",
        folder_);
  }
  bool runc_runs() const {
    const std::string words =
        R"(sed -i 's/"terminal": true/"terminal": false/; s/"sh"$/"\/bin\/true"/' config.json)";
    return std::system(fmt::format("cd {} && runc spec 2>/dev/null && {} && runc run first "
                                   ">/dev/null 2>&1",
                                   folder_, words)
                           .c_str()) == 0;
  }
  bool podman_runs() const {
    return std::system((with_podman() + " >/dev/null 2>&1").c_str()) == 0;
  }

 private:
  std::string folder_;
};

// `windlass up` with one node on a data directory of its own.
class Cluster {
 public:
  explicit Cluster(const std::vector<std::string>& flags = {})
      : start_(wall_seconds()),
        up_(kProgram, folder_ / "data", folder_ / "log", with_one_node(flags)) {
    CHECK(up_.wait_until_ready(kPatience), "windlass up is ready");
    api_ = std::make_unique<ApiConnection>(kubeconfig());
  }
  ~Cluster() {
    up_.kill();
    run_command(fmt::format("{} down --data-dir {} >/dev/null 2>&1", kProgram, folder_ / "data"));
  }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  std::string kubeconfig() const { return folder_.read("data/kubeconfig"); }
  void create(const char* collection, const std::string& body) {
    const crash::Answer answer = api_->request("POST", collection, "application/json", body);
    CHECK(answer.status == 201, "it is created");
  }

  // Watches until the predicate holds for an object.
  void watch_until(ApiConnection& watch, const std::function<bool(const element&)>& holds) {
    while (const auto line = watch.next_line()) {
      element event;
      element object;
      if (parser_.parse(*line).get(event) == simdjson::SUCCESS &&
          event["object"].get(object) == simdjson::SUCCESS && holds(object)) {
        return;
      }
    }
    CHECK(false, "the watch ended");
  }
  std::unique_ptr<ApiConnection> watch(const char* collection) {
    auto connection = std::make_unique<ApiConnection>(kubeconfig());
    CHECK(connection->open_stream(fmt::format("{}?watch=1", collection)) == 200, "it watches");
    return connection;
  }

  double start() const { return start_; }
  pid_t pid() const { return up_.pid(); }
  pid_t supervisor() const {
    return std::atoi(folder_.read("data/nodes/node-1/supervisor/lock").c_str());
  }

 private:
  static std::vector<std::string> with_one_node(std::vector<std::string> flags) {
    flags.insert(flags.end(), {"--nodes", "1"});
    return flags;
  }

  posix::TemporaryDirectory folder_;
  double start_;
  UpProcess up_;
  std::unique_ptr<ApiConnection> api_;
  simdjson::dom::parser parser_;
};

std::function<bool(const element&)> completed(const std::string& name) {
  return [name](const element& job) {
    CHECK(number_at(job, "/status/failed") == 0, "nothing fails");
    return text_at(job, "/metadata/name") == name &&
           !text_at(job, "/status/completionTime").empty();
  };
}

struct RunTimes {
  double wall = 0;
  double up = 0;
  double supervisor = 0;
  double containers = 0;
};

RunTimes run_windlass(int indexes, int at_once, const std::string& image,
                      const std::vector<std::string>& flags) {
  Cluster cluster(flags);
  const auto watch = cluster.watch(kJobs);
  const double start = wall_seconds();
  cluster.create(kJobs, indexed_job("j", indexes, at_once, R"(["/bin/true"])", image));
  cluster.watch_until(*watch, completed("j"));
  const double wall = wall_seconds() - start;
  const Times supervisor = processor_seconds_of(cluster.supervisor());
  return {wall, processor_seconds_of(cluster.pid()).own, supervisor.own, supervisor.children};
}

// Rates per second of one run; those of the others are compared with the first.
class Rates {
 public:
  void print(const std::string& what, int runs, double wall, double processor) {
    const double rate = runs / wall;
    first_ = first_ == 0 ? rate : first_;
    fmt::print("| {} | {} | {:.2f} | {:.0f} | {:.2f} | {:.2f} |\n", what, runs, wall, rate,
               1e3 * processor / runs, rate / first_);
    std::fflush(stdout);
  }

 private:
  double first_ = 0;
};

void measure_peers(const Sizes& sizes, const Image& image, Rates& rates) {
  const auto measure = [&rates](const char* what, int runs, const std::function<double()>& run) {
    const double before = processor_seconds();
    const double wall = run();
    rates.print(what, runs, wall, processor_seconds() - before);
  };
  measure("bare clone3 and wait", sizes.indexes,
          [&] { return run_bare(sizes.indexes, static_cast<size_t>(sizes.at_once)); });
  measure("xargs -P", sizes.indexes, [&] {
    return run_command(
        fmt::format("seq {} | xargs -n 1 -P {} /bin/true", sizes.indexes, sizes.at_once));
  });
  if (std::system("command -v parallel >/dev/null") != 0) {
    fmt::print("| GNU parallel is not installed | | | | | |\n");
  } else {
    const int fewer = std::max(sizes.indexes / 10, 1);  // it takes its time
    measure("GNU parallel", fewer, [&] {
      return run_command(fmt::format("seq {} | parallel -j {} /bin/true", fewer, sizes.at_once));
    });
  }
  const auto measure_runtime = [&](const char* what, bool runs, const std::string& command) {
    if (!runs) {
      fmt::print("| {} does not run here | | | | | |\n", what);
      return;
    }
    const int few = std::max(sizes.indexes / 50, 1);
    measure(what, few, [&] {
      return run_command(
          fmt::format("seq {} | xargs -I{{}} -P {} {}", few, sizes.at_once, command));
    });
  };
  measure_runtime("runc run", image.runc_runs(), image.with_runc());
  measure_runtime("podman run", image.podman_runs(), image.with_podman());
}

void measure_rate(const Sizes& sizes) {
  fmt::print("/bin/true, {} at a time\n\n", sizes.at_once);
  fmt::print(
      "| what | runs | seconds | per second | processor ms each | rate against bare |\n"
      "|---|---|---|---|---|---|\n");
  const Image image;
  struct Way {
    const char* name;
    const char* image;
    std::vector<std::string> flags;
  };
  const std::vector<Way> ways = {{"on the root of this machine", "none", {}},
                                 {"on an image", kImage, {"--image-dir", image.store()}}};
  for (int round = 0; round < sizes.rounds; ++round) {
    Rates rates;
    if (sizes.peers != 0) {
      measure_peers(sizes, image, rates);
    }
    for (const Way& way : ways) {
      const RunTimes times = run_windlass(sizes.indexes, sizes.at_once, way.image, way.flags);
      rates.print(fmt::format("windlass {} (server {:.2f} s, supervisor {:.2f} s, containers "
                              "{:.2f} s)",
                              way.name, times.up, times.supervisor, times.containers),
                  sizes.indexes, times.wall, times.up + times.supervisor + times.containers);
    }
  }
  fmt::print("\n");
}

void measure_memory() {
  Cluster cluster;
  const auto run = [&cluster](const char* name, int pods) {
    const auto watch = cluster.watch(kPods);
    std::set<std::string> running;
    cluster.create(kJobs, indexed_job(name, pods, pods, R"(["/bin/sleep","1000"])"));
    cluster.watch_until(*watch, [&](const element& pod) {
      if (text_at(pod, "/status/phase") == "Running" &&
          text_at(pod, "/metadata/labels/job-name") == name) {
        running.insert(text_at(pod, "/metadata/name"));
      }
      return running.size() == static_cast<size_t>(pods);
    });
  };
  constexpr int kMore = 400;
  run("few", 50);
  const double server = private_kilobytes(cluster.pid());
  const double supervisor = private_kilobytes(cluster.supervisor());
  run("many", kMore);
  fmt::print(
      "memory of one more running pod, of {}: supervisor {:.1f} KB, server with its agent {:.1f} "
      "KB\n",
      kMore, (private_kilobytes(cluster.supervisor()) - supervisor) / kMore,
      (private_kilobytes(cluster.pid()) - server) / kMore);
}

// A process that writes down when it began and ended, and takes so long.
int be_stamp(const std::string& file, int milliseconds_long) {
  const double begin = wall_seconds();
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds_long));
  {
    std::ofstream out(file);
    out << fmt::format("{:.6f} {:.6f}", begin, wall_seconds());
  }
  ::_exit(0);
}

class Stamp {
 public:
  Stamp() : folder_(fmt::format("{}/windlass-bench-XXXXXX", kFolder)) {
    CHECK(::mkdtemp(folder_.data()) != nullptr, "a folder for stamps");
    std::filesystem::copy_file("/proc/self/exe", folder_ + "/program");
  }
  ~Stamp() { std::filesystem::remove_all(folder_); }
  Stamp(const Stamp&) = delete;
  Stamp& operator=(const Stamp&) = delete;

  std::string command(int milliseconds_long) const {
    return fmt::format(R"(["{0}/program","stamp","{0}/stamp","{1}"])", folder_, milliseconds_long);
  }
  std::pair<double, double> read() const {
    std::ifstream in(folder_ + "/stamp");
    std::pair<double, double> times;
    in >> times.first >> times.second;
    return times;
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }

 private:
  std::string folder_;
};

void print_times(const char* what, const std::vector<double>& times) {
  fmt::print("{}: median {:.1f} ms, p99 {:.1f}, slowest {:.1f}, of {}\n", what,
             1e3 * percentile(times, 0.5), 1e3 * percentile(times, 0.99),
             1e3 * percentile(times, 1), times.size());
}

// One Job after the other, on a server that has nothing else to do.
void measure_status(const Sizes& sizes) {
  constexpr int kRuns = 100;
  for (int round = 0; round < sizes.rounds; ++round) {
    Cluster cluster;
    const Stamp stamp;
    const auto watch = cluster.watch(kJobs);
    std::vector<double> times;
    for (int i = 0; i < kRuns; ++i) {
      const std::string name = fmt::format("j{}", i);
      cluster.create(kJobs, indexed_job(name, 1, 1, stamp.command(30)));
      cluster.watch_until(*watch, completed(name));
      times.push_back(wall_seconds() - stamp.read().second);
    }
    print_times("end of the process to Complete in the Job's status", times);
  }
}

void measure_up(const Sizes& sizes) {
  std::vector<double> times;
  for (int i = 0; i < 10 * sizes.rounds; ++i) {
    Cluster cluster;
    const auto watch = cluster.watch(kPods);
    cluster.create(kJobs, indexed_job("j", 1, 1, R"(["/bin/sleep","1000"])"));
    cluster.watch_until(
        *watch, [](const element& pod) { return text_at(pod, "/status/phase") == "Running"; });
    times.push_back(wall_seconds() - cluster.start());
  }
  print_times("windlass up to the first pod that runs", times);
}

void measure_run(const Sizes& sizes) {
  const Stamp stamp;
  const std::string manifest = stamp.file("job.json", indexed_job("j", 1, 1, stamp.command(100)));
  std::vector<double> after;
  std::vector<double> more;
  for (int i = 0; i < 10 * sizes.rounds; ++i) {
    const double took =
        run_command(fmt::format("{} run --host-root=rw {} >/dev/null 2>&1", kProgram, manifest));
    const auto [begin, end] = stamp.read();
    after.push_back(wall_seconds() - end);
    more.push_back(took - (end - begin));
  }
  print_times("windlass run: from the end of its process to its own", after);
  print_times("windlass run: what it takes more than its process", more);
}

int measure(const std::vector<std::string>& words) {
  Sizes sizes;
  std::set<std::string> wanted;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    const int number = equals == std::string::npos ? 0 : std::atoi(word.substr(equals + 1).c_str());
    if (word.starts_with("--indexes=")) {
      sizes.indexes = number;
    } else if (word.starts_with("--at-once=")) {
      sizes.at_once = number;
    } else if (word.starts_with("--rounds=")) {
      sizes.rounds = number;
    } else if (word.starts_with("--peers=")) {
      sizes.peers = number;
    } else {
      wanted.insert(word);
    }
  }
  const std::pair<const char*, std::function<void()>> parts[] = {
      {"rate", [&] { measure_rate(sizes); }},
      {"memory", [] { measure_memory(); }},
      {"status", [&] { measure_status(sizes); }},
      {"up", [&] { measure_up(sizes); }},
      {"run", [&] { measure_run(sizes); }}};
  for (const auto& [word, part] : parts) {
    if (wanted.empty() || wanted.contains(word)) {
      part();
    }
  }
  return 0;
}

}  // namespace
}  // namespace windlass

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "stamp") {
    return windlass::be_stamp(words[1], std::atoi(words[2].c_str()));
  }
  ::setenv("TMPDIR", windlass::kFolder, 0);
  return windlass::measure(words);
}
