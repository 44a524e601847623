#include "controllers/job/claims.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "client/object_identity.h"
#include "client/update_status.h"
#include "controllers/job/adapter.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/meta/v1/meta.pb.h"

namespace windlass::controllers::job {
namespace {

// As it is on the server now: another client may have been first.
bool adopt(api::Message& pod, const PodClaims::Claim& claim, const std::string& finalizer) {
  auto& metadata = api::mutable_metadata_of(pod);
  if (metadata.has_deletion_timestamp() ||
      std::any_of(metadata.owner_references().begin(), metadata.owner_references().end(),
                  [](const auto& owner) { return owner.controller(); })) {
    return false;
  }
  add_owner(pod, claim.job_name, claim.job_uid);
  const auto& finalizers = metadata.finalizers();
  if (std::find(finalizers.begin(), finalizers.end(), finalizer) == finalizers.end()) {
    metadata.add_finalizers(finalizer);
  }
  return true;
}

// It has found how it ends, and its pods are going: one more would be left behind.
bool is_decided(const api::Message& job) {
  const auto& conditions = static_cast<const api::batch::v1::Job&>(job).status().conditions();
  return std::any_of(conditions.begin(), conditions.end(), [](const auto& condition) {
    return condition.status() == "True" && condition.type() != "Suspended";
  });
}

bool release(api::Message& pod, const PodClaims::Claim& claim, const std::string& finalizer) {
  const auto& labels = api::metadata_of(pod).labels();
  if (claim.selector.matches(std::map<std::string, std::string>(labels.begin(), labels.end()))) {
    return false;
  }
  auto& owners = *api::mutable_metadata_of(pod).mutable_owner_references();
  const auto ours = std::find_if(owners.begin(), owners.end(), [&claim](const auto& owner) {
    return owner.uid() == claim.job_uid;
  });
  if (ours == owners.end()) {
    return false;
  }
  owners.erase(ours);
  remove_tracking_finalizer(pod, finalizer);
  return true;
}

}  // namespace

PodClaims::PodClaims(client::ClientEnv env, std::string finalizer, Hooks hooks)
    : env_(env),
      finalizer_(std::move(finalizer)),
      hooks_(std::move(hooks)),
      queue_(env.executor, env.clock, {kWorkers},
             [this](const std::string& key) { process(key); }) {}

void PodClaims::process(const std::string& key) {
  const std::optional<Claim> claim = hooks_.check(key);
  if (!claim) {
    finish(key, {});
    return;
  }
  if (claim->kind == Claim::Kind::later) {
    queue_.add_after(key, kLater);
    queue_.done(key);
    return;
  }
  if (claim->kind == Claim::Kind::release) {
    hooks_.before_release(
        key, self_.bind([key, claim = *claim](PodClaims& self) { self.write(key, claim); }));
    return;
  }
  adopting_[key] = claim->job_uid;
  env_.client.get(
      {&api::kinds::job(), client::split_key(key).ns, claim->job_name},
      self_.bind([key, claim = *claim](PodClaims& self, const Result<client::ObjectPtr>& job) {
        self.on_job_read(key, claim, job);
      }));
}

// 2.18
void PodClaims::on_job_read(const std::string& key, const Claim& claim,
                            const Result<client::ObjectPtr>& job) {
  if (job) {
    hooks_.on_job(*job);
  }
  if (!job) {
    finish(key, fail(job.error()));
  } else if (client::uid_of(**job) != claim.job_uid ||
             api::metadata_of(**job).has_deletion_timestamp() || is_decided(**job)) {
    finish(key, {});  // the watch will say so
  } else {
    write(key, claim);
  }
}

void PodClaims::write(const std::string& key, const Claim& claim) {
  client::KeyParts parts = client::split_key(key);
  client::update_object(
      env_.client, {&api::kinds::pod(), std::move(parts.ns), std::move(parts.name)}, claim.pod_uid,
      [claim, finalizer = finalizer_](api::Message& pod) {
        return claim.kind == Claim::Kind::adopt ? adopt(pod, claim, finalizer)
                                                : release(pod, claim, finalizer);
      },
      self_.bind([key, kind = claim.kind](PodClaims& self, const Result<client::ObjectPtr>& pod) {
        self.on_written(key, kind, pod);
      }));
}

void PodClaims::on_written(const std::string& key, Claim::Kind kind,
                           const Result<client::ObjectPtr>& pod) {
  if (pod && kind == Claim::Kind::adopt) {
    hooks_.on_adopted(*pod);
  }
  finish(key, pod ? Result<void>() : fail(pod.error()));
}

void PodClaims::finish(const std::string& key, const Result<void>& result) {
  if (result || is_not_found(result.error())) {
    queue_.forget(key);
  } else {
    env_.log.warning("claiming a pod failed, will try again",
                     {{"pod", key}, {"error", result.error().message}});
    queue_.add_rate_limited(key);
  }
  if (const auto adopted = adopting_.extract(key)) {
    hooks_.on_settled(adopted.mapped());
  }
  queue_.done(key);
}

bool PodClaims::adopting_for(const std::string& job_uid) const {
  return std::any_of(adopting_.begin(), adopting_.end(),
                     [&job_uid](const auto& each) { return each.second == job_uid; });
}

}  // namespace windlass::controllers::job
