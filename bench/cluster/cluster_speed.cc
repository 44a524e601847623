// windlass_cluster_speed KUBECONFIG MANAGER NAMESPACE latency|fairness [N]: two figures of a Job
// controller on any cluster without nodes, whose part it plays by writing the status of pods.
//
//   latency   how long from the end of a Job's last pod until the Job is Complete, N times (20),
//             each time when nothing else happens
//   fairness  N Jobs (1000) of 1 to 10 pods that are there before their controller:
//   `bench/cluster/run`
//             starts it when this says `created`. When each Job is Complete, by its size.
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/codec/json/json.h"
#include "api/job/job_status.h"
#include "base/check.h"
#include "base/generator.h"
#include "client/informer.h"
#include "posix/event_loop.h"
#include "posix/files/posix_files.h"
#include "posix/posix_clock.h"
#include "posix/posix_log.h"
#include "posix/posix_random.h"
#include "remote/kubeconfig.h"
#include "remote/remote_client.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cluster_bench {
namespace {

using api::batch::v1::Job;

constexpr Duration kQuiet = milliseconds(300);  // before a pod ends: nothing else is under way
constexpr Duration kPatience = minutes(10);
constexpr int kSizes = 10;
constexpr const char* kEnded =
    R"({"status":{"phase":"Succeeded","containerStatuses":[{"name":"c","image":"i","imageID":"i",)"
    R"("ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0}}}]}})";

void say(const std::string& text) {
  std::fputs((text + "\n").c_str(), stdout);
  std::fflush(stdout);
}

double to_ms(Duration duration) {
  return static_cast<double>(duration.count()) / 1e6;
}

struct PodNews {
  std::string name;
  std::string job;
  bool over = false;
};

PodNews read_pod(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  const auto job = pod.metadata().labels().find("batch.kubernetes.io/job-name");
  return {pod.metadata().name(), job == pod.metadata().labels().end() ? "" : job->second,
          pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed"};
}

struct JobNews {
  std::string name;
  bool over = false;
};

JobNews read_job(const api::Message& message) {
  const auto& job = static_cast<const Job&>(message);
  return {job.metadata().name(), api::is_finished(job)};
}

class Measurement {
 public:
  Measurement(remote::ClusterAccess access, std::string manager, std::string ns, bool fairness,
              int count)
      : credentials_(files_, clock_, std::move(access)),
        manager_(std::move(manager)),
        ns_(std::move(ns)),
        prefix_(fmt::format("speed-{}-", name_suffix(random_))),
        fairness_(fairness),
        count_(count) {
    pods_.add_handler({[this](const PodNews& pod) { on_pod(pod); }, {}, {}});
    jobs_.add_handler({[this](const JobNews& job) { on_job(job); },
                       [this](const JobNews&, const JobNews& job) { on_job(job); },
                       {}});
    jobs_.when_synced([this] { pods_.start(); });
    pods_.when_synced([this] { begin(); });
  }

  int run() {
    loop_.post([this] { jobs_.start(); });
    loop_.schedule(kPatience, [this] {
      say("not all Jobs have ended in time");
      loop_.stop();
    });
    loop_.run();
    return fairness_ ? report_fairness() : report_latency();
  }

 private:
  std::string job_name(int number) const { return fmt::format("{}{:04}", prefix_, number); }

  void begin() {
    if (!fairness_) {
      return create(0, 1);
    }
    // The largest first: a controller that works in order of age serves the smallest last.
    for (int i = 0; i < count_; ++i) {
      const int size = i + 1 == count_ ? 1 : kSizes - i * (kSizes - 1) / count_;
      sizes_[job_name(i)] = size;
      create(i, size);
    }
  }

  void create(int number, int size) {
    auto job = std::make_shared<Job>();
    const auto decoded = api::decode_json(
        fmt::format(
            R"({{"metadata":{{"name":"{}","namespace":"{}","labels":{{)"
            R"("windlass.dev/bench":"speed"}}}},"spec":{{"completions":{},"parallelism":{},)"
            R"("template":{{"metadata":{{"labels":{{"windlass.dev/bench":"speed"}}}},)"
            R"("spec":{{"restartPolicy":"Never",)"
            R"("automountServiceAccountToken":false,"schedulerName":"nobody",)"
            R"("containers":[{{"name":"c","image":"i"}}]}}}}}}}})",
            job_name(number), ns_, size, size),
        *job);
    CHECK(decoded.has_value(), "the Job can be read");
    if (!manager_.empty()) {
      job->mutable_spec()->set_managed_by(manager_);
    }
    client_.create({&api::kinds::job(), ns_, job_name(number)}, job,
                   [this](const Result<client::ObjectPtr>& made) { on_created(made); });
  }

  void on_created(const Result<client::ObjectPtr>& made) {
    if (!made) {
      say("a Job was refused: " + made.error().message);
      return loop_.stop();
    }
    if (fairness_ && ++created_ == count_) {
      say("created");
    }
  }

  void on_pod(const PodNews& pod) {
    if (!pod.job.starts_with(prefix_) || pod.over) {
      return;
    }
    if (fairness_) {
      if (!started_) {
        started_ = clock_.monotonic();
      }
      return end(pod);
    }
    loop_.schedule(kQuiet, [this, pod] { end(pod); });
  }

  void end(const PodNews& pod) {
    ended_at_ = clock_.monotonic();
    client_.patch({&api::kinds::pod(), ns_, pod.name}, "status", client::PatchType::strategic,
                  kEnded, [this](const Result<client::ObjectPtr>& written) {
                    if (!written) {
                      say("a pod's status was refused: " + written.error().message);
                      loop_.stop();
                    }
                  });
  }

  void on_job(const JobNews& job) {
    if (!job.name.starts_with(prefix_) || !job.over || !over_.insert(job.name).second) {
      return;
    }
    const MonotonicTime now = clock_.monotonic();
    took_.push_back({job.name, now - (fairness_ ? *started_ : ended_at_)});
    if (static_cast<int>(over_.size()) == count_) {
      return loop_.stop();
    }
    if (!fairness_) {
      loop_.schedule(kQuiet, [this] { create(static_cast<int>(over_.size()), 1); });
    }
  }

  int report_latency() {
    std::vector<Duration> all;
    for (const auto& [name, took] : took_) {
      all.push_back(took);
    }
    if (static_cast<int>(all.size()) != count_) {
      return 1;
    }
    std::sort(all.begin(), all.end());
    say(fmt::format("last pod's end to Complete: median {:.1f} ms, worst {:.1f} ms of {}",
                    to_ms(all[all.size() / 2]), to_ms(all.back()), all.size()));
    return 0;
  }

  int report_fairness() {
    if (static_cast<int>(took_.size()) != count_) {
      return 1;
    }
    struct OfSize {
      int jobs = 0;
      Duration first = Duration::max();
      Duration sum = Duration::zero();
    };
    std::map<int, OfSize> by_size;
    for (const auto& [name, took] : took_) {
      OfSize& size = by_size[sizes_.at(name)];
      ++size.jobs;
      size.first = std::min(size.first, took);
      size.sum += took;
    }
    for (const auto& [size, of] : by_size) {
      say(fmt::format("{} Jobs of {} pods: the first after {:.0f} ms, on average {:.0f} ms",
                      of.jobs, size, to_ms(of.first), to_ms(of.sum / of.jobs)));
    }
    const auto smallest = std::find_if(took_.begin(), took_.end(), [this](const auto& each) {
      return sizes_.at(each.first) == 1;
    });
    say(fmt::format("the smallest is number {} of {} to be Complete", smallest - took_.begin() + 1,
                    count_));
    return 0;
  }

  posix::PosixClock clock_;
  posix::PosixRandom random_;
  posix::PosixFiles files_;
  posix::PosixLog log_{clock_, env::LogLevel::warning};
  posix::EventLoop loop_{clock_};
  remote::Credentials credentials_;
  remote::Dialer dialer_{loop_, clock_, credentials_};
  remote::Transport transport_{loop_, clock_, random_, dialer_, {}};
  remote::RemoteClient client_{transport_, random_};
  const std::string manager_;
  const std::string ns_;
  const std::string prefix_;
  const bool fairness_;
  const int count_;
  int created_ = 0;
  std::optional<MonotonicTime> started_;  // the first pod is there
  MonotonicTime ended_at_;
  std::map<std::string, int> sizes_;  // by Job
  std::set<std::string> over_;
  std::vector<std::pair<std::string, Duration>> took_;  // in the order of their ends
  client::Informer<PodNews> pods_{
      {client_, loop_, clock_, random_, log_}, {&api::kinds::pod(), ns_, "", ""}, read_pod};
  client::Informer<JobNews> jobs_{
      {client_, loop_, clock_, random_, log_}, {&api::kinds::job(), ns_, "", ""}, read_job};
};

}  // namespace
}  // namespace windlass::cluster_bench

int main(int count, char** arguments) {
  ::signal(SIGPIPE, SIG_IGN);
  const std::vector<std::string> words(arguments + 1, arguments + count);
  const bool fairness = words.size() > 3 && words[3] == "fairness";
  if (words.size() < 4 || words.size() > 5 || (!fairness && words[3] != "latency")) {
    std::fputs("usage: windlass_cluster_speed KUBECONFIG MANAGER NAMESPACE latency|fairness [N]\n",
               stderr);
    return 2;
  }
  windlass::posix::PosixFiles files;
  auto access = windlass::remote::load_kubeconfig(files, {words[0]}, "");
  if (!access) {
    std::fputs((access.error().message + "\n").c_str(), stderr);
    return 2;
  }
  const int wanted = words.size() > 4 ? std::atoi(words[4].c_str()) : fairness ? 1000 : 20;
  windlass::cluster_bench::Measurement measurement(*std::move(access), words[1], words[2], fairness,
                                                   wanted);
  return measurement.run();
}
