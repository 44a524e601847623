#include "cli/commands/simulate.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "base/check.h"
#include "base/generator.h"
#include "cli/flags/command_line.h"
#include "cli/flags/node_flags.h"
#include "cli/manifests/object_sink.h"
#include "cli/manifests/run_manifests.h"
#include "cli/output/final_jobs.h"
#include "cli/output/reporter.h"
#include "cli/output/text.h"
#include "node/hollow/hollow_nodes.h"
#include "plane/control_plane.h"
#include "posix/files/posix_files.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/event.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "virtual_world/world.h"

namespace windlass::cli {
namespace {

using api::batch::v1::Job;
using api::core::v1::Event;
using api::core::v1::Pod;
using client::ObjectRef;

// How long a node stays drained or lost.
constexpr Duration kAway = minutes(10);
constexpr Duration kStartUp = minutes(5);

// Of the pods that an object is or makes; "" for none.
const std::string& priority_class_of(const ObjectToCreate& next) {
  static const std::string kNone;
  if (next.ref.kind == &api::kinds::job()) {
    return static_cast<const Job&>(*next.object).spec().template_().spec().priority_class_name();
  }
  return next.ref.kind == &api::kinds::pod()
             ? static_cast<const Pod&>(*next.object).spec().priority_class_name()
             : kNone;
}

bool has_its_priority_classes(const RunPlan& plan) {
  std::set<std::string> there = {"", "system-cluster-critical", "system-node-critical"};
  for (const ObjectToCreate& next : plan.objects) {
    if (next.ref.kind->kind == "PriorityClass") {
      there.insert(next.ref.name);
    }
  }
  return std::all_of(plan.objects.begin(), plan.objects.end(), [&there](const auto& next) {
    return there.contains(priority_class_of(next));
  });
}

// Pods may name any service account, as in `windlass run`: a manifest comes without the cluster
// that has it. The same holds for priority classes, unless the manifests define all of them.
apiserver::Admission admission_for(const RunPlan& plan) {
  apiserver::Admission admission = apiserver::Admission::all();
  admission.service_accounts = false;
  admission.priorities = has_its_priority_classes(plan);
  return admission;
}

class Story {
 public:
  Story(const SimulateOptions& options, const RunPlan& plan, env::Files& files, Output& output)
      : options_(options),
        output_(output),
        world_(options.cluster.seed),
        plane_({world_.clock(), world_.random(), world_.executor(), world_.log(), files}, store_,
               plane_options(options, plan)),
        nodes_(plane_.client_env(), hollow_options(options)),
        job_sink_([this](const client::ObjectPtr& job) { on_job(job); }),
        pod_sink_([this](const client::ObjectPtr& pod) { on_pod(static_cast<const Pod&>(*pod)); }),
        warning_sink_([this](const client::ObjectPtr& event) {
          reporter_->event_seen(static_cast<const Event&>(*event), now());
        }),
        jobs_(plane_.client_env(), {&api::kinds::job()}, job_sink_),
        pods_(plane_.client_env(), {&api::kinds::pod()}, pod_sink_),
        warnings_(plane_.client_env(), {&api::kinds::event(), "", "", "type=Warning"},
                  warning_sink_) {}

  ExitCode tell(const RunPlan& plan) {
    set_up();
    reporter_.emplace(output_, now(),
                      Reporter::Backoff{options_.backoff_base, options_.backoff_cap});
    warnings_.start();
    start_ = now();
    if (!create(plan)) {
      return ExitCode::usage;
    }
    repeat(options_.cluster.drain_every, &Story::drain);
    repeat(options_.cluster.lose_node_every, &Story::lose);
    const bool ended = world_.run_until([&] { return jobs_seen_.finished() == plan.jobs; },
                                        options_.cluster.limit);
    conclude(plan.jobs);
    if (!ended) {
      output_.err(fmt::format("{} did not finish within {} of virtual time\n",
                              counted(plan.jobs - jobs_seen_.finished(), "Job"),
                              format_duration(options_.cluster.limit)));
      return ExitCode::timed_out;
    }
    return jobs_seen_.all_complete() ? ExitCode::ok : ExitCode::failed;
  }

 private:
  static plane::ControlPlaneOptions plane_options(const SimulateOptions& options,
                                                  const RunPlan& plan) {
    plane::ControlPlaneOptions plane;
    plane.gates = options.gates;
    plane.periods.backoff_base = options.backoff_base;
    plane.periods.backoff_cap = options.backoff_cap;
    plane.admission = admission_for(plan);
    return plane;
  }

  static node::hollow::HollowOptions hollow_options(const SimulateOptions& options) {
    node::hollow::HollowOptions hollow;
    for (size_t i = 0; i < options.cluster.nodes; ++i) {
      hollow.nodes.push_back(node::hollow::hollow_config(i));
    }
    hollow.mix = options.cluster.mix;
    hollow.mix.seed = options.cluster.seed;
    hollow.disruption_conditions = options.gates.enabled(api::Feature::pod_disruption_conditions);
    return hollow;
  }

  MonotonicTime now() { return world_.clock().monotonic(); }

  void set_up() {
    bool ready = false;
    plane_.start();
    nodes_.start([&ready] { ready = true; });
    jobs_.start();
    pods_.start();
    CHECK(world_.run_until([&ready] { return ready; }, kStartUp), "nodes register in no time");
  }

  bool create(const RunPlan& plan) {
    for (const ObjectToCreate& next : plan.objects) {
      std::optional<Result<client::ObjectPtr>> answer;
      plane_.client().create(next.ref, next.object,
                             [&answer](Result<client::ObjectPtr> got) { answer = std::move(got); });
      CHECK(world_.run_until([&answer] { return answer.has_value(); }, kStartUp),
            "a server in the same process answers");
      if (!*answer && !is_there_already(next, answer->error())) {
        output_.err(fmt::format("error: {}: {}\n", next.title, answer->error().message));
        return false;
      }
      // Before the next one exists: they are reported in the order of the files.
      if (next.ref.kind == &api::kinds::job()) {
        jobs_seen_.created(api::object_as<Job>(**answer));
      }
    }
    return true;
  }

  void on_pod(const Pod& pod) {
    seen_pods_.insert(pod.metadata().uid());
    reporter_->pod_changed(pod, now(), world_.clock().now());
  }

  void on_job(const client::ObjectPtr& object) {
    const auto job = api::object_as<Job>(object);
    reporter_->job_changed(*job, now(), world_.clock().now());
    jobs_seen_.seen(job, now() - start_);
  }

  void repeat(std::optional<Duration> period, void (Story::*what)(const std::string& node)) {
    if (!period) {
      return;
    }
    world_.executor().schedule(*period, [this, period, what] {
      const uint64_t number = uniform(world_.choices(), options_.cluster.nodes);
      (this->*what)(node::hollow::hollow_config(number).node_name);
      repeat(period, what);
    });
  }

  void cordon(const std::string& node, bool unschedulable) {
    static_cast<void>(plane_.server().patch(
        {&api::kinds::node(), "", node}, "", client::PatchType::merge,
        fmt::format(R"({{"spec":{{"unschedulable":{}}}}})", unschedulable ? "true" : "null")));
  }

  // As `kubectl drain` does it, without retries: pods that a budget protects stay.
  void drain(const std::string& node) {
    ++drains_;
    cordon(node, true);
    size_t evicted = 0;
    const auto pods =
        plane_.server().list({&api::kinds::pod(), "", "", "spec.nodeName=" + node}, {});
    CHECK(pods.has_value(), "pods can be listed by node");
    for (const client::ObjectPtr& object : pods->items) {
      const auto& pod = static_cast<const Pod&>(*object);
      const std::string& phase = pod.status().phase();
      if (phase != "Succeeded" && phase != "Failed") {
        const auto& metadata = pod.metadata();
        const ObjectRef ref{&api::kinds::pod(), metadata.namespace_(), metadata.name()};
        if (plane_.server().evict(ref, {}).answer) {
          ++evicted;
        }
      }
    }
    if (evicted > 0) {
      reporter_->note(fmt::format("node {} is drained: {} evicted", node, counted(evicted, "pod")),
                      now());
    }
    world_.executor().schedule(kAway, [this, node] { cordon(node, false); });
  }

  void lose(const std::string& node) {
    ++losses_;
    nodes_.set_silent(node, true);
    reporter_->note(fmt::format("node {} is unreachable for {}", node, format_duration(kAway)),
                    now());
    world_.executor().schedule(kAway, [this, node] { nodes_.set_silent(node, false); });
  }

  void conclude(size_t jobs) {
    jobs_seen_.print({jobs, options_.format, "",
                      [this](const std::string& uid) { return reporter_->ignored_failures(uid); }},
                     output_);
    output_.err(fmt::format("simulated {} with seed {}: {}, {}, {}\n",
                            format_elapsed(now() - start_), options_.cluster.seed,
                            counted(seen_pods_.size(), "pod"), counted(drains_, "drain"),
                            counted(losses_, "lost node")));
  }

  const SimulateOptions& options_;
  Output& output_;
  virtual_world::VirtualWorld world_;
  store::Store store_;
  plane::ControlPlane plane_;
  node::hollow::HollowNodes nodes_;
  std::optional<Reporter> reporter_;
  MonotonicTime start_;
  FinalJobs jobs_seen_;
  std::set<std::string> seen_pods_;  // uids
  size_t drains_ = 0;
  size_t losses_ = 0;
  ObjectSink job_sink_;
  ObjectSink pod_sink_;
  ObjectSink warning_sink_;
  client::Reflector jobs_;
  client::Reflector pods_;
  client::Reflector warnings_;
};

Result<void> parse_simulated_mix(const std::string& text, node::hollow::Mix& mix) {
  if (text.starts_with("seed=") || text.find(",seed=") != std::string::npos) {
    return fail(plain_error("--mix takes no seed: use --seed, which decides everything random"));
  }
  TRY(mix, node::hollow::parse_mix(text));
  return {};
}

}  // namespace

void declare_flags(Flags& flags, SimulateOptions& options) {
  SimulatedCluster& cluster = options.cluster;
  declare_job_flags(flags, options);
  flags.heading("Simulation");
  flags.number("--seed NUMBER", cluster.seed, "Seed of everything random",
               {0, std::numeric_limits<uint64_t>::max()});
  flags.number("--nodes NUMBER", cluster.nodes,
               "Number of nodes, each with 32 CPUs, 256 GiB of memory and 1 TiB of disk",
               {1, kMaxHollowNodes});
  flags.parsed(
      "--mix LIST",
      "Behaviour of pods without annotations that state it (default: duration=1s). "
      "Example: duration=1m..2h,fail=5%,exit-code=42",
      [&cluster](const std::string& text) { return parse_simulated_mix(text, cluster.mix); });
  flags.duration("--drain-every DURATION", cluster.drain_every,
                 "Period after which a random node is drained for ten minutes, such as 30m");
  flags.duration("--lose-node-every DURATION", cluster.lose_node_every,
                 "Period after which a random node is unreachable for ten minutes");
  flags.duration("--limit DURATION", cluster.limit, "Virtual time after which to give up");
  flags.paragraph(
      "No process runs: pods end as their annotations or --mix say. See docs/guide/simulate.md.");
  flags.exit_codes({{0, "All Jobs are Complete"},
                    {1, "A Job has Failed"},
                    {2, "Wrong usage, or a manifest is invalid"},
                    {124, "A Job did not finish within --limit"}});
  flags.examples({"windlass simulate -f job.yaml --mix duration=5m..20m,fail=2%,exit-code=1",
                  "windlass simulate -f job.yaml --mix duration=2h --drain-every 30m --seed 7"});
}

Command simulate_command() {
  return make_command<SimulateOptions>("simulate",
                                       "Predict the outcome of Jobs on a cluster, in virtual time",
                                       [](const SimulateOptions& options, Output& output) {
                                         posix::PosixFiles files;
                                         return simulate(options, files, output);
                                       });
}

ExitCode simulate(const SimulateOptions& options, env::Files& files, Output& output) {
  const auto plan = plan_run(options, files, output);
  return plan ? Story(options, *plan, files, output).tell(*plan) : ExitCode::usage;
}

}  // namespace windlass::cli
