#include "cli/manifests/attempt_collector.h"

#include <utility>

#include "explain/job_pods.h"
#include "explain/pod_attempts.h"
#include "schema/batch/v1/job.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::cli {

const explain::AttemptDigest* AttemptCollector::digest() const {
  const auto found = digests_.find(newest_);
  return found == digests_.end() ? nullptr : &found->second;
}

void AttemptCollector::add(const ledger::AttemptPtr& attempt) {
  const std::string& uid = attempt->job().uid();
  if (!digests_.contains(uid) && digests_.size() == kMaxJobs) {
    return;
  }
  digests_.try_emplace(uid, wanted_).first->second.add(attempt);
  newest_ = uid;
}

void AttemptCollector::read(const ledger::AttemptFilter& filter, const std::string& continue_token,
                            Done done) {
  source_.find(filter, ledger::AttemptSource::kDefaultPage, continue_token,
               [this, filter, done = std::move(done)](const Result<ledger::AttemptPage>& page) {
                 if (!page) {
                   return done(fail(page.error()));
                 }
                 for (const ledger::AttemptPtr& attempt : page->items) {
                   add(attempt);
                 }
                 if (page->next.empty()) {
                   return done({});
                 }
                 read(filter, page->next, done);
               });
}

void AttemptCollector::collect(const client::ObjectPtr& job, Done done) {
  const auto& metadata = api::metadata_of(*job);
  ledger::AttemptFilter filter;
  filter.ns = metadata.namespace_();
  filter.job_uid = metadata.uid();
  read(filter, "", [this, job, done = std::move(done)](const Result<void>& read) {
    if (read && digest() != nullptr) {
      return done({});
    }
    digests_.clear();  // part of the pages
    read_pods(job, done);
  });
}

void AttemptCollector::collect_gone(const std::string& ns, const std::string& name, Done done) {
  ledger::AttemptFilter filter;
  filter.ns = ns;
  filter.job = name;
  read(filter, "", [this, ns, name, done = std::move(done)](const Result<void>& read_by_name) {
    if (!read_by_name || digest() != nullptr) {
      return done(read_by_name);
    }
    ledger::AttemptFilter by_uid;
    by_uid.ns = ns;
    by_uid.job_uid = name;
    read(by_uid, "", done);
  });
}

void AttemptCollector::read_pods(const client::ObjectPtr& job, const Done& done) {
  from_pods_ = true;
  explain::list_job_pods(
      api_, job, [this, job, done](const Result<std::vector<client::ObjectPtr>>& pods) {
        if (!pods) {
          return done(fail(pods.error()));
        }
        for (const ledger::AttemptPtr& attempt : explain::attempts_of_pods(*job, *pods)) {
          add(attempt);
        }
        done({});
      });
}

}  // namespace windlass::cli
