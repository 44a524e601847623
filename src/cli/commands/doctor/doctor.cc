#include "cli/commands/doctor/doctor.h"

#include <fmt/format.h>

#include <utility>

#include "api/codec/json/json_value.h"
#include "cli/commands/doctor/doctor_checks.h"
#include "cli/flags/command_line.h"
#include "cli/flags/manifest_flags.h"
#include "cli/output/text.h"
#include "cli/process.h"
#include "controllers/job/worker.h"
#include "plane/version.h"
#include "remote/remote_client.h"
#include "remote/server_features.h"

namespace windlass::cli {
namespace {

constexpr int64_t kPageSize = 500;

std::string findings_as_json(const std::vector<Finding>& findings) {
  api::JsonValue all = api::JsonValue::array();
  for (const Finding& finding : findings) {
    api::JsonValue& item = all.items.emplace_back(api::JsonValue::object());
    item.members["check"] = api::JsonValue::string(finding.check);
    item.members["object"] = api::JsonValue::string(finding.object);
    item.members["problem"] = api::JsonValue::string(finding.what);
    item.members["advice"] = api::JsonValue::string(finding.advice);
  }
  return api::to_json_text(all) + "\n";
}

std::string findings_as_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    text += fmt::format("{}: {}: {}\n    {}\n", finding.check, finding.object, finding.what,
                        finding.advice);
  }
  return text;
}

ExitCode examine_cluster(const DoctorOptions& options, Output& output) {
  Process process(0);
  const auto access = open_cluster(options.cluster, LocalCluster::yes, process.files, output);
  if (!access) {
    return ExitCode::usage;
  }
  return process.run_session<DoctorSession>(
      [&](std::optional<DoctorSession>& session, const OnFinished& on_finished) {
        session.emplace(process.env(), process.loop, *access, options, output, on_finished);
      });
}

}  // namespace

void declare_flags(Flags& flags, DoctorOptions& options) {
  declare_cluster_flags(flags, options.cluster, LocalCluster::yes);
  declare_namespace_filter(flags, options.ns);
  flags.duration("--wait DURATION", options.wait,
                 "Time between the two examinations; only problems found in both are reported");
  flags.duration("--patience DURATION", options.patience,
                 "Time that a controller may take before a delay counts as a problem");
  declare_json_output(flags, options.json);
  flags.paragraph(
      "Finds pods that a tracking finalizer keeps from being deleted (stuck-pod), counters that "
      "disagree with the pods (counters), Jobs that no controller has started (unmanaged), Jobs "
      "with two controllers (two-managers), and status updates that the API server rejects "
      "(refused-status). Changes nothing.");
  flags.exit_codes({{0, "No problems"},
                    {1, "Problems found"},
                    {2, "Wrong usage, or the cluster cannot be read"}});
  flags.examples({"windlass doctor --kubeconfig prod.yaml", "windlass doctor -n training -o json"});
}

Command doctor_command() {
  return make_command<DoctorOptions>("doctor", "Find problems with the Jobs of a cluster",
                                     examine_cluster);
}

class DoctorSession::Impl {
 public:
  Impl(env::Env env, posix::EventLoop& loop, remote::ClusterAccess access, DoctorOptions options,
       Output& output, std::function<void(ExitCode)> on_finished)
      : env_(env),
        loop_(loop),
        options_(std::move(options)),
        output_(output),
        on_finished_(std::move(on_finished)),
        credentials_(env.files, env.clock, std::move(access), remote::plugin_runner(loop)),
        dialer_(loop, env.clock, credentials_),
        transport_(loop, env.clock, env.random, dialer_, transport_options()),
        client_(transport_, env.random, [] { return false; }) {}

  void start() {
    client_.get_text("/version", [this](const Result<std::string>& text) {
      if (!text) {
        return give_up(text.error());
      }
      version_ = remote::read_version(*text).value_or("an unknown version");
      look();
    });
  }

  void interrupt() { finish(ExitCode::interrupted); }

 private:
  static remote::Transport::Options transport_options() {
    remote::Transport::Options options;
    options.user_agent = "windlass-doctor/" + plane::version_number();
    return options;
  }

  // Jobs before pods: a pod whose Job is missing has lost it, or is newer than the list of Jobs.
  void look() {
    facts_ = {};
    list_all(
        {&api::kinds::job(), options_.ns, "", ""},
        [this](const api::Message& job) { facts_.jobs.push_back(read_job_facts(job)); },
        [this] { look_at_pods(); });
  }
  void look_at_pods() {
    list_all(
        {&api::kinds::pod(), options_.ns, "", ""},
        [this](const api::Message& pod) {
          if (auto facts = read_pod_facts(pod)) {
            facts_.pods.push_back(*std::move(facts));
          }
        },
        [this] { look_at_events(); });
  }
  void look_at_events() {
    const std::string selector = fmt::format("reason={}", engine::kReasonStatusRefused);
    list_all(
        {&api::kinds::event(), options_.ns, "", selector},
        [this](const api::Message& event) { facts_.refusals.push_back(read_refusal(event)); },
        [this] { on_looked(); });
  }

  using OnItem = std::function<void(const api::Message&)>;

  void list_all(const client::Collection& collection, OnItem on_item, std::function<void()> then,
                const std::string& continue_token = "") {
    client_.list(collection, {kPageSize, continue_token},
                 [this, collection, on_item = std::move(on_item),
                  then = std::move(then)](const Result<client::ObjectList>& page) {
                   if (!page) {
                     return give_up(page.error());
                   }
                   for (const client::ObjectPtr& object : page->items) {
                     on_item(*object);
                   }
                   if (page->continue_token.empty()) {
                     return then();
                   }
                   list_all(collection, on_item, then, page->continue_token);
                 });
  }

  void on_looked() {
    std::vector<Finding> findings = examine(facts_, {env_.clock.now(), options_.patience});
    if (!looked_once_ && !findings.empty()) {
      looked_once_ = true;
      first_ = std::move(findings);
      output_.err(fmt::format("Examining again in {}, to report only problems that persist\n",
                              format_duration(options_.wait)));
      loop_.schedule(options_.wait, [this] { look(); });
      return;
    }
    report(lasting(first_, std::move(findings)));
  }

  void report(const std::vector<Finding>& findings) {
    output_.out(options_.json ? findings_as_json(findings) : findings_as_text(findings));
    output_.err(
        fmt::format("{} ({}): {} with {}: {}\n", credentials_.access().server.text(), version_,
                    counted(facts_.jobs.size(), "Job"), counted(facts_.pods.size(), "pod"),
                    findings.empty() ? "no problems" : counted(findings.size(), "problem")));
    finish(findings.empty() ? ExitCode::ok : ExitCode::failed);
  }

  void give_up(const Status& why) {
    output_.err(fmt::format("error: cannot examine the cluster at {}: {}\n",
                            credentials_.access().server.text(), why.message));
    finish(ExitCode::usage);
  }

  void finish(ExitCode code) {
    if (auto on_finished = std::exchange(on_finished_, nullptr)) {
      loop_.post([on_finished = std::move(on_finished), code] { on_finished(code); });
    }
  }

  env::Env env_;
  posix::EventLoop& loop_;
  const DoctorOptions options_;
  Output& output_;
  std::function<void(ExitCode)> on_finished_;
  std::string version_;
  ClusterFacts facts_;
  bool looked_once_ = false;
  std::vector<Finding> first_;
  remote::Credentials credentials_;
  remote::Dialer dialer_;
  remote::Transport transport_;
  remote::RemoteClient client_;
};

DoctorSession::DoctorSession(env::Env env, posix::EventLoop& loop, remote::ClusterAccess access,
                             DoctorOptions options, Output& output,
                             std::function<void(ExitCode)> on_finished)
    : impl_(std::make_unique<Impl>(env, loop, std::move(access), std::move(options), output,
                                   std::move(on_finished))) {}

DoctorSession::~DoctorSession() = default;

void DoctorSession::start() {
  impl_->start();
}

void DoctorSession::interrupt() {
  impl_->interrupt();
}

}  // namespace windlass::cli
