#include "cluster/preparation.h"

#include <fmt/format.h>

#include <utility>

#include "api/codec/json/json.h"
#include "base/check.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/core/v1/namespace.pb.h"
#include "schema/core/v1/service_account.pb.h"

namespace windlass::cluster_tests {
namespace {

using api::batch::v1::Job;

constexpr Duration kBetweenLooks = milliseconds(100);

constexpr const char* kProbeSpec =
    R"({"spec":{"suspend":true,"completionMode":"Indexed","completions":1,"parallelism":1,)"
    R"("managedBy":"windlass.dev/probe","backoffLimitPerIndex":1,"podReplacementPolicy":"Failed",)"
    R"("successPolicy":{"rules":[{"succeededCount":1}]},"podFailurePolicy":{"rules":[)"
    R"({"action":"FailJob","onExitCodes":{"operator":"In","values":[42]}}]},)"
    R"("template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}})";

remote::ServerFeatures kept_of(const Job& job) {
  remote::ServerFeatures kept;
  kept.managed_by = job.spec().has_managed_by();
  kept.backoff_limit_per_index = job.spec().has_backoff_limit_per_index();
  kept.pod_replacement_policy = job.spec().has_pod_replacement_policy();
  kept.success_policy = job.spec().has_success_policy();
  kept.pod_failure_policy = job.spec().has_pod_failure_policy();
  return kept;
}

}  // namespace

Preparation::Preparation(client::ClientEnv env, std::string ns, std::string probe, Done done,
                         Duration patience)
    : env_(env),
      ns_(std::move(ns)),
      probe_(std::move(probe)),
      done_(std::move(done)),
      patience_(patience),
      self_(std::make_shared<Preparation*>(this)) {}

void Preparation::start() {
  make_namespace();
}

void Preparation::make(const client::ObjectRef& ref, const client::ObjectPtr& object,
                       void (Preparation::*next)()) {
  env_.client.create(ref, object,
                     [weak = std::weak_ptr(self_), next](const Result<client::ObjectPtr>& made) {
                       const auto self = weak.lock();
                       if (!self) {
                         return;
                       }
                       if (made || is_already_exists(made.error())) {
                         return ((*self)->*next)();
                       }
                       (*self)->finish(fail(made.error()));
                     });
}

void Preparation::make_namespace() {
  auto ns = std::make_shared<api::core::v1::Namespace>();
  ns->mutable_metadata()->set_name(ns_);
  make({&api::kinds::namespace_(), "", ns_}, ns, &Preparation::make_service_account);
}

// The API server refuses pods until their service account is there, and only a controller of the
// cluster makes it.
void Preparation::make_service_account() {
  const api::Kind* kind = api::find_kind("v1", "ServiceAccount");
  CHECK(kind != nullptr, "the API has service accounts");
  auto account = std::make_shared<api::core::v1::ServiceAccount>();
  account->mutable_metadata()->set_name("default");
  account->mutable_metadata()->set_namespace_(ns_);
  make({kind, ns_, "default"}, account, &Preparation::try_job);
}

void Preparation::try_job() {
  auto job = std::make_shared<Job>();
  const auto decoded = api::decode_json(kProbeSpec, *job);
  CHECK(decoded.has_value(), "the probe is a Job");
  job->mutable_metadata()->set_name(probe_);
  job->mutable_metadata()->set_namespace_(ns_);
  env_.client.create({&api::kinds::job(), ns_, probe_}, job,
                     [weak = std::weak_ptr(self_)](const Result<client::ObjectPtr>& created) {
                       if (const auto self = weak.lock()) {
                         (*self)->on_job(created);
                       }
                     });
}

void Preparation::on_job(const Result<client::ObjectPtr>& job) {
  if (!job) {
    return finish(fail(job.error()));
  }
  kept_ = kept_of(static_cast<const Job&>(**job));
  look_until_ = env_.clock.monotonic() + (kept_.managed_by ? Duration::zero() : patience_);
  look_at_job();
}

void Preparation::look_at_job() {
  if (env_.clock.monotonic() >= look_until_) {
    return remove_job(kept_);
  }
  env_.client.get({&api::kinds::job(), ns_, probe_},
                  [weak = std::weak_ptr(self_)](const Result<client::ObjectPtr>& job) {
                    if (const auto self = weak.lock()) {
                      (*self)->on_look(job);
                    }
                  });
}

void Preparation::on_look(const Result<client::ObjectPtr>& job) {
  if (!job) {
    return finish(fail(job.error()));
  }
  if (static_cast<const Job&>(**job).status().conditions_size() > 0) {
    return remove_job(fail(plain_error(
        "Jobs cannot name their controller here, and the cluster's own one is at work: it has "
        "written the status of " +
        ns_ + "/" + probe_)));
  }
  env_.executor.schedule(kBetweenLooks, [weak = std::weak_ptr(self_)] {
    if (const auto self = weak.lock()) {
      (*self)->look_at_job();
    }
  });
}

void Preparation::remove_job(Result<remote::ServerFeatures> kept) {
  client::DeleteOptions background;
  background.propagation_policy = "Background";
  env_.client.remove({&api::kinds::job(), ns_, probe_}, background,
                     [weak = std::weak_ptr(self_),
                      kept = std::move(kept)](const Result<client::ObjectPtr>& /*removed*/) {
                       if (const auto self = weak.lock()) {
                         (*self)->finish(kept);
                       }
                     });
}

void Preparation::finish(Result<remote::ServerFeatures> kept) {
  std::exchange(done_, nullptr)(std::move(kept));
}

}  // namespace windlass::cluster_tests
