#include "verify/simulation/scripted_action.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "api/codec/json/json.h"
#include "api/codec/yaml/yaml.h"
#include "api/job/job_constants.h"
#include "base/check.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/node.pb.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/policy/v1/pod_disruption_budget.pb.h"
#include "verify/simulation/cluster.h"

namespace windlass::verify::simulation {
namespace {

using apiserver::Server;
using client::ObjectRef;
using Job = api::batch::v1::Job;
using Node = api::core::v1::Node;
using Pod = api::core::v1::Pod;

constexpr const char* kNamespace = "default";
constexpr const char* kTestTaint = "test";

// One action on its way through the API.
class Performance {
 public:
  Performance(TestedCluster& cluster, const Manifests& manifests, const ScriptedAction& action)
      : cluster_(cluster), manifests_(manifests), words_(action.words) {}

  void run();

 private:
  const std::string& word(size_t i) const {
    static const std::string none;
    return i < words_.size() ? words_[i] : none;
  }
  Server& server() { return cluster_.host().server(); }
  ObjectRef job() const { return {&api::kinds::job(), kNamespace, word(1)}; }
  ObjectRef node() const { return {&api::kinds::node(), "", word(1)}; }

  bool run_on_job();
  bool run_on_pod();
  bool run_on_node();
  bool run_on_cluster();

  void create();
  void create_budget();
  void edit_job(const std::string& spec);
  void remove_job(const std::string& policy);
  void edit_pod(const PodSnapshot& pod, const std::string& patch);
  void remove_pod(const std::string& key, std::optional<int64_t> grace);
  ObjectRef pod_ref(const std::string& key) const;
  std::string job_uid() const;
  // The N-th pod of the Job that has not ended, in the order of their names.
  std::optional<PodSnapshot> chosen_pod() const;
  void drain();
  void taint(bool on);

  TestedCluster& cluster_;
  const Manifests& manifests_;
  const std::vector<std::string>& words_;
};

void Performance::run() {
  CHECK(run_on_job() || run_on_pod() || run_on_node() || run_on_cluster(),
        "a schedule names known actions");
}

bool Performance::run_on_job() {
  const std::string& verb = word(0);
  if (verb == "create") {
    create();
  } else if (verb == "delete-job") {
    remove_job(word(2));
  } else if (verb == "recreate") {
    remove_job("Background");
    create();
  } else if (verb == "suspend" || verb == "resume") {
    edit_job(fmt::format(R"("suspend":{})", verb == "suspend"));
  } else if (verb == "parallelism") {
    edit_job(fmt::format(R"("parallelism":{})", word(2)));
  } else if (verb == "completions") {
    edit_job(fmt::format(R"("completions":{0},"parallelism":{0})", word(2)));
  } else if (verb == "deadline") {
    edit_job(fmt::format(R"("activeDeadlineSeconds":{})", word(2)));
  } else if (verb == "ttl") {
    edit_job(fmt::format(R"("ttlSecondsAfterFinished":{})", word(2)));
  } else if (verb == "budget") {
    create_budget();
  } else {
    return false;
  }
  return true;
}

void Performance::create() {
  const auto manifest = manifests_.find(word(1));
  CHECK(manifest != manifests_.end(), "a schedule creates what the scenario has");
  const auto documents = api::parse_yaml(manifest->second);
  CHECK(documents.has_value() && documents->size() == 1, "a manifest is one document");
  auto message = std::make_unique<Job>();
  const auto decoded = api::decode_json(documents->front().json, *message);
  CHECK(decoded.has_value() && decoded->problems.empty(), manifest->second);
  message->mutable_metadata()->set_namespace_(kNamespace);
  message->mutable_metadata()->set_name(word(1));
  const apiserver::WriteResult decision = server().create(job(), std::move(message));
  if (!decision.answer) {
    cluster_.world().trace("create refused: " + decision.answer.error().message);
    CHECK(!is_conflict(decision.answer.error()) && decision.answer.error().code != 422,
          decision.answer.error().message);
  }
}

// Of the Job's pods at least so many stay.
void Performance::create_budget() {
  auto budget = std::make_unique<api::policy::v1::PodDisruptionBudget>();
  budget->mutable_metadata()->set_namespace_(kNamespace);
  budget->mutable_metadata()->set_name(word(1));
  budget->mutable_spec()->mutable_min_available()->set_int_val(std::atoi(word(2).c_str()));
  (*budget->mutable_spec()->mutable_selector()->mutable_match_labels())[std::string(
      api::kJobNameLabel)] = word(1);
  const api::Kind* kind = api::find_kind("policy/v1", "PodDisruptionBudget");
  (void)server().create({kind, kNamespace, word(1)}, std::move(budget));
}

void Performance::edit_job(const std::string& spec) {
  (void)server().patch(job(), "", client::PatchType::merge,
                       fmt::format(R"({{"spec":{{{}}}}})", spec));
}

void Performance::remove_job(const std::string& policy) {
  client::DeleteOptions options;
  options.propagation_policy = policy;
  (void)server().remove(job(), options);
}

ObjectRef Performance::pod_ref(const std::string& key) const {
  return {&api::kinds::pod(), kNamespace, key.substr(key.find('/') + 1)};
}

std::string Performance::job_uid() const {
  for (const auto& [uid, life] : cluster_.history().jobs()) {
    if (life.exists && life.now.key == std::string(kNamespace) + '/' + word(1)) {
      return uid;
    }
  }
  return {};
}

std::optional<PodSnapshot> Performance::chosen_pod() const {
  std::map<std::string, const PodSnapshot*> running;
  for (const PodLife* pod : cluster_.history().stored_pods(job_uid())) {
    if (!pod->now.terminal()) {
      running.emplace(pod->now.key, &pod->now);
    }
  }
  if (running.empty()) {
    return std::nullopt;
  }
  const auto n = static_cast<size_t>(std::atoi(word(2).c_str()));
  return *std::next(running.begin(), static_cast<long>(n % running.size()))->second;
}

void Performance::edit_pod(const PodSnapshot& pod, const std::string& patch) {
  (void)server().patch(pod_ref(pod.key), "", client::PatchType::merge, patch);
}

void Performance::remove_pod(const std::string& key, std::optional<int64_t> grace) {
  client::DeleteOptions options;
  options.grace_period_seconds = grace;
  (void)server().remove(pod_ref(key), options);
}

bool Performance::run_on_pod() {
  const std::string& verb = word(0);
  if (verb == "delete-ended-pods") {
    for (const PodLife* pod : cluster_.history().stored_pods(job_uid())) {
      if (pod->now.terminal()) {
        remove_pod(pod->now.key, std::nullopt);
      }
    }
    return true;
  }
  if (!verb.ends_with("-pod")) {
    return false;
  }
  const std::optional<PodSnapshot> pod = chosen_pod();
  if (!pod) {
    return true;
  }
  if (verb == "delete-pod") {
    remove_pod(pod->key, std::nullopt);
  } else if (verb == "force-delete-pod") {
    remove_pod(pod->key, 0);
  } else if (verb == "evict-pod") {
    (void)server().evict(pod_ref(pod->key), {});
  } else if (verb == "strip-pod") {
    cluster_.history().vandalise(pod->job);
    edit_pod(*pod, R"({"metadata":{"finalizers":null}})");
  } else if (verb == "orphan-pod") {
    cluster_.history().vandalise(pod->job);
    edit_pod(*pod, R"({"metadata":{"ownerReferences":null}})");
  } else if (verb == "annotate-pod") {
    cluster_.history().vandalise(pod->job);
    edit_pod(*pod, fmt::format(R"({{"metadata":{{"annotations":{{"{}":"{}"}}}}}})",
                               api::kIndexFailureCountAnnotation, word(3)));
  } else if (verb == "mark-pod") {
    (void)server().patch(
        pod_ref(pod->key), "status", client::PatchType::strategic,
        R"({"status":{"conditions":[{"type":"DisruptionTarget","status":"True","reason":"Test"}]}})");
  } else {
    return false;
  }
  return true;
}

void Performance::taint(bool on) {
  const Result<client::ObjectPtr> stored = server().get(node());
  if (!stored) {
    return;
  }
  auto changed = std::make_unique<Node>(static_cast<const Node&>(**stored));
  auto& taints = *changed->mutable_spec()->mutable_taints();
  for (int i = taints.size() - 1; i >= 0; --i) {
    if (taints[i].key() == kTestTaint) {
      taints.DeleteSubrange(i, 1);
    }
  }
  if (on) {
    auto& added = *taints.Add();
    added.set_key(kTestTaint);
    added.set_effect("NoExecute");
  }
  (void)server().update(node(), "", std::move(changed));
}

void Performance::drain() {
  for (const auto& [uid, pod] : cluster_.history().pods()) {
    if (pod.exists && pod.now.node == word(1)) {
      (void)server().evict(pod_ref(pod.now.key), {});
    }
  }
}

bool Performance::run_on_node() {
  const std::string& verb = word(0);
  const auto edit = [this](std::string_view spec) {
    (void)server().patch(node(), "", client::PatchType::merge,
                         fmt::format(R"({{"spec":{{{}}}}})", spec));
  };
  if (verb == "cordon" || verb == "drain") {
    edit(R"("unschedulable":true)");
  }
  if (verb == "drain") {
    drain();
  } else if (verb == "uncordon") {
    edit(R"("unschedulable":null)");
  } else if (verb == "taint" || verb == "untaint") {
    taint(verb == "taint");
  } else if (verb == "delete-node") {
    (void)server().remove(node(), {});
  } else if (verb == "delete-namespace") {
    (void)server().remove({&api::kinds::namespace_(), "", word(1)}, {});
  } else {
    return verb == "cordon";
  }
  return true;
}

bool Performance::run_on_cluster() {
  const std::string& verb = word(0);
  const auto length = [this](size_t i) { return parse_duration(word(i)).value_or(seconds(1)); };
  if (verb == "crash") {
    cluster_.sightings().see(word(1) == kApiServer ? "action crash api-server" : "action crash");
    cluster_.crash(word(1), length(2));
  } else if (verb == "pause") {
    cluster_.sightings().see("action pause");
    cluster_.pause(word(1), length(2));
  } else if (verb == "clock") {
    cluster_.sightings().see("action clock");
    cluster_.world().clock().shift_wall(length(1));
    cluster_.history().on_clock_jump(length(1));
  } else if (verb == "gate") {
    for (const api::Feature feature : api::all_features()) {
      if (api::feature_name(feature) == word(1)) {
        cluster_.restart_with(cluster_.gates().with(feature, word(2) == "on"));
      }
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string text_of(const ScriptedAction& action) {
  std::string text = format_duration(action.at);
  for (const std::string& word : action.words) {
    text += ' ' + word;
  }
  return text;
}

Result<ScriptedAction> parse_action(std::string_view text) {
  std::istringstream words{std::string(text)};
  ScriptedAction action;
  std::string at;
  words >> at;
  TRY(action.at, parse_duration(at));
  for (std::string word; words >> word;) {
    action.words.push_back(word);
  }
  if (action.words.empty()) {
    return fail(bad_request(fmt::format("not an action: {} (as in 12s delete-pod j 0)", text)));
  }
  return action;
}

bool perform(TestedCluster& cluster, const Manifests& manifests, const ScriptedAction& action) {
  const std::string& verb = action.words.front();
  const bool needs_server = verb != "crash" && verb != "pause" && verb != "clock" && verb != "gate";
  if (needs_server && !cluster.host().is_up()) {
    return false;
  }
  cluster.world().trace(text_of(action));
  Performance(cluster, manifests, action).run();
  return true;
}

}  // namespace windlass::verify::simulation
