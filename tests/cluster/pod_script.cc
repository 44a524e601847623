#include "cluster/pod_script.h"

#include <fmt/format.h>

#include "client/object_identity.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::cluster_tests {
namespace {

constexpr Duration kRetry = milliseconds(200);

std::string annotation_of(const api::core::v1::Pod& pod, const std::string& key) {
  const auto found = pod.metadata().annotations().find(key);
  return found == pod.metadata().annotations().end() ? "" : found->second;
}

std::string label_of(const api::core::v1::Pod& pod, const std::string& key) {
  const auto found = pod.metadata().labels().find(key);
  return found == pod.metadata().labels().end() ? "" : found->second;
}

// `D143`, `0`
std::string status_body(const std::string& uid, std::string end) {
  std::string conditions;
  if (end.starts_with("D")) {
    conditions =
        R"("conditions":[{"type":"DisruptionTarget","status":"True","reason":"EvictionByEvictionAPI",)"
        R"("message":"by a scenario"}],)";
    end.erase(0, 1);
  }
  return fmt::format(
      R"({{"metadata":{{"uid":"{}"}},"status":{{"phase":"{}",{}"containerStatuses":[{{"name":"c",)"
      R"("image":"i","imageID":"i","ready":false,"restartCount":0,)"
      R"("state":{{"terminated":{{"exitCode":{}}}}}}}]}}}})",
      uid, end == "0" ? "Succeeded" : "Failed", conditions, end);
}

}  // namespace

PodScript::PodScript(client::ClientEnv env, const std::string& ns, Scripts scripts)
    : env_(env),
      ns_(ns),
      scenarios_(std::move(scripts)),
      self_(std::make_shared<PodScript*>(this)),
      pods_(env, {&api::kinds::pod(), ns, "", ""}, read) {
  pods_.add_handler({[this](const PodNews& pod) { on_pod(pod); }, {}, {}});
}

PodScript::PodNews PodScript::read(const api::Message& message) {
  const auto& pod = static_cast<const api::core::v1::Pod&>(message);
  PodNews news;
  news.name = pod.metadata().name();
  news.uid = pod.metadata().uid();
  news.job = label_of(pod, "batch.kubernetes.io/job-name");
  const std::string index = annotation_of(pod, "batch.kubernetes.io/job-completion-index");
  news.index = index.empty() ? -1 : std::stoi(index);
  news.over = pod.status().phase() == "Succeeded" || pod.status().phase() == "Failed" ||
              pod.metadata().has_deletion_timestamp();
  return news;
}

void PodScript::on_pod(const PodNews& pod) {
  const auto scenario = scenarios_.find(pod.job);
  if (scenario == scenarios_.end() || pod.over) {
    return;
  }
  waiting_[pod.job].push_back(pod);
  if (++seen_[pod.job] >= scenario->second->together) {
    for (const PodNews& each : std::exchange(waiting_[pod.job], {})) {
      end(each);
    }
  }
}

void PodScript::end(const PodNews& pod) {
  const int attempt = attempts_[{pod.job, pod.index}]++;
  const std::string how = end_of_pod(scenarios_.at(pod.job)->ends, pod.index, attempt);
  if (how != "-") {
    write(pod.name, status_body(pod.uid, how));
  }
}

void PodScript::write(const std::string& name, const std::string& body) {
  env_.client.patch(
      {&api::kinds::pod(), ns_, name}, "status", client::PatchType::strategic, body,
      [weak = std::weak_ptr(self_), name, body](const Result<client::ObjectPtr>& written) {
        const auto self = weak.lock();
        if (!self || written || is_not_found(written.error()) || written.error().code == 422) {
          return;
        }
        (*self)->env_.executor.schedule(kRetry, [weak, name, body] {
          if (const auto still = weak.lock()) {
            (*still)->write(name, body);
          }
        });
      });
}

}  // namespace windlass::cluster_tests
