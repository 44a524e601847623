#include "explain/job_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "client/object_identity.h"
#include "controllers/job/adapter.h"
#include "schema/batch/v1/job.pb.h"

namespace windlass::explain {
namespace {

using api::batch::v1::Job;

// Empty, which asks for all pods, where the selector is more than a list of labels.
std::string selector_text(const Job& job) {
  if (job.spec().selector().match_expressions_size() > 0) {
    return "";
  }
  std::vector<std::string> labels;
  for (const auto& [key, value] : job.spec().selector().match_labels()) {
    labels.push_back(key + "=" + value);
  }
  std::sort(labels.begin(), labels.end());
  return fmt::format("{}", fmt::join(labels, ","));
}

}  // namespace

client::Collection job_pod_collection(const client::ObjectPtr& object) {
  const auto job = api::object_as<Job>(object);
  return {&api::kinds::pod(), job->metadata().namespace_(), selector_text(*job), ""};
}

void list_job_pods(client::ApiClient& api, const client::ObjectPtr& job,
                   client::Done<std::vector<client::ObjectPtr>> done) {
  api.list(
      job_pod_collection(job), {},
      [uid = client::uid_of(*job), done = std::move(done)](const Result<client::ObjectList>& pods) {
        if (!pods) {
          return done(fail(pods.error()));
        }
        std::vector<client::ObjectPtr> own;
        std::copy_if(pods->items.begin(), pods->items.end(), std::back_inserter(own),
                     [&uid](const client::ObjectPtr& pod) {
                       return controllers::job::owner_job_uid(*pod) == uid;
                     });
        done(std::move(own));
      });
}

}  // namespace windlass::explain
