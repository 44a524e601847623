#include "dashboard/page_service.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "base/json_writer.h"
#include "http/status_response.h"
#include "schema/core/v1/pod.pb.h"
#include "schema/ledger/v1/attempt.pb.h"

namespace windlass::dashboard {
namespace {

using api::core::v1::Pod;

constexpr std::string_view kDefaultContainer = "kubectl.kubernetes.io/default-container";

Access reading(std::string verb, std::string group, std::string resource, const std::string& ns) {
  return {std::move(verb), std::move(group), std::move(resource), "", ns};
}

Access reading_logs(const std::string& ns) {
  return {"get", "", "pods", "log", ns};
}

Access reading_attempts(const std::string& ns) {
  return reading("list", "ledger.windlass.dev", "attempts", ns);
}

// Names come from the page, and end up in paths.
Result<void> check_names(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (!api::is_dns1123_subdomain(name)) {
      return fail(bad_request("not a name of an object"));
    }
  }
  return {};
}

}  // namespace

PageService::PageService(client::ClientEnv env, env::Executor& worker,
                         ledger::AttemptSource& attempts, Backend& backend, PageScope scope)
    : env_(env),
      worker_(worker),
      attempts_(attempts),
      backend_(backend),
      scope_(std::move(scope)) {}

PageService::~PageService() {
  env_.executor.cancel(sweep_);
  env_.executor.cancel(farewell_);
}

void PageService::check_all(const ViewerPtr& viewer, std::vector<Access> accesses,
                            client::Done<void> done) {
  if (accesses.empty()) {
    return done({});
  }
  const Access next = std::move(accesses.back());
  accesses.pop_back();
  backend_.check(*viewer, next,
                 self_.bind([viewer, accesses = std::move(accesses), done = std::move(done)](
                                PageService& self, Result<void> allowed) {
                   allowed ? self.check_all(viewer, accesses, done) : done(allowed);
                 }));
}

void PageService::overview(const ViewerPtr& viewer, const std::string& since, Answer answer) {
  // Causes have lines of logs.
  check_all(viewer,
            {reading_attempts(scope_.ns), reading_logs(scope_.ns), reading("list", "", "nodes", ""),
             reading("list", "batch", "jobs", scope_.ns)},
            [this, since, answer = std::move(answer)](const Result<void>& allowed) {
              if (!allowed) {
                return answer(fail(allowed.error()));
              }
              if (ended_) {
                return answer(fail(*ended_));
              }
              if (!overview_) {
                overview_ = std::make_unique<OverviewFeed>(env_, worker_, attempts_, scope_.ns);
              }
              overview_->feed().ask(since, answer);
            });
}

JobFeed* PageService::feed_of(const JobName& job) {
  if (const auto found = jobs_.find(job); found != jobs_.end()) {
    return found->second.get();
  }
  if (jobs_.size() >= kMaxJobs) {
    auto oldest = jobs_.end();
    for (auto each = jobs_.begin(); each != jobs_.end(); ++each) {
      Feed& feed = each->second->feed();
      if (!feed.has_readers() &&
          (oldest == jobs_.end() || feed.last_asked() < oldest->second->feed().last_asked())) {
        oldest = each;
      }
    }
    if (oldest == jobs_.end()) {
      return nullptr;
    }
    jobs_.erase(oldest);
  }
  if (sweep_ == env::TimerId::none) {
    sweep_ = env_.executor.schedule(kIdle, self_.bind(&PageService::drop_idle));
  }
  auto feed = std::make_unique<JobFeed>(env_, worker_, attempts_,
                                        client::ObjectRef{&api::kinds::job(), job.ns, job.name},
                                        scope_.reruns);
  return jobs_.emplace(job, std::move(feed)).first->second.get();
}

void PageService::drop_idle() {
  const MonotonicTime now = env_.clock.monotonic();
  std::erase_if(jobs_, [now](const auto& each) {
    Feed& feed = each.second->feed();
    return !feed.has_readers() && now - feed.last_asked() > kIdle;
  });
  sweep_ = jobs_.empty() ? env::TimerId::none
                         : env_.executor.schedule(kIdle, self_.bind(&PageService::drop_idle));
}

void PageService::job(const ViewerPtr& viewer, const JobName& job, const std::string& since,
                      Answer answer) {
  if (const auto checked = check_names({job.ns, job.name}); !checked) {
    return answer(fail(checked.error()));
  }
  check_all(viewer,
            {reading_attempts(job.ns), reading_logs(job.ns), reading("list", "", "pods", job.ns),
             reading("get", "batch", "jobs", job.ns)},
            [this, job, since, answer = std::move(answer)](const Result<void>& allowed) {
              if (!allowed) {
                return answer(fail(allowed.error()));
              }
              if (ended_) {
                return answer(fail(*ended_));
              }
              JobFeed* const feed = feed_of(job);
              if (feed == nullptr) {
                return answer(fail(http::too_many_requests("too many Jobs are looked at")));
              }
              feed->feed().ask(since, answer);
            });
}

void PageService::log(const ViewerPtr& viewer, const std::string& ns, const std::string& pod,
                      const std::string& container, Answer answer) {
  if (const auto checked = check_names({ns, pod}); !checked) {
    return answer(fail(checked.error()));
  }
  check_all(
      viewer, {reading_logs(ns), reading("get", "", "pods", ns)},
      [this, viewer, ns, pod, container, answer = std::move(answer)](const Result<void>& allowed) {
        if (!allowed) {
          return answer(fail(allowed.error()));
        }
        env_.client.get({&api::kinds::pod(), ns, pod},
                        self_.bind([viewer, container, answer](
                                       PageService& self, const Result<client::ObjectPtr>& found) {
                          found ? self.read_log(viewer, *found, container, answer)
                                : answer(fail(found.error()));
                        }));
      });
}

void PageService::read_log(const ViewerPtr& viewer, const client::ObjectPtr& object,
                           std::string container, Answer answer) {
  const auto pod = api::object_as<Pod>(object);
  std::vector<std::string> containers;
  for (const auto& each : pod->spec().containers()) {
    containers.push_back(each.name());
  }
  for (const auto& each : pod->spec().init_containers()) {
    containers.push_back(each.name());
  }
  if (std::find(containers.begin(), containers.end(), container) == containers.end()) {
    const auto& annotations = pod->metadata().annotations();
    const auto found = annotations.find(std::string(kDefaultContainer));
    const bool known = found != annotations.end() && std::find(containers.begin(), containers.end(),
                                                               found->second) != containers.end();
    container = known ? found->second : containers.empty() ? "" : containers.front();
  }
  if (const auto checked = check_names({container}); !checked) {
    return answer(fail(checked.error()));
  }
  const std::string path =
      fmt::format("/api/v1/namespaces/{}/pods/{}/log?container={}&tailLines={}",
                  pod->metadata().namespace_(), pod->metadata().name(), container, kLogLines);
  backend_.read_text(*viewer, path,
                     [container, containers = std::move(containers),
                      answer = std::move(answer)](const Result<std::string>& text) {
                       if (!text) {
                         return answer(fail(text.error()));
                       }
                       std::string json_text;
                       JsonWriter json(json_text);
                       json.open_object().member("container", container);
                       json.strings("containers", containers);
                       json.member("text", *text).close_object();
                       answer(std::move(json_text));
                     });
}

void PageService::kept_log(const ViewerPtr& viewer, const std::string& ns,
                           const std::string& pod_uid, Answer answer) {
  check_all(viewer, {reading_attempts(ns), reading_logs(ns)},
            [this, ns, pod_uid, answer = std::move(answer)](const Result<void>& allowed) {
              if (!allowed) {
                return answer(fail(allowed.error()));
              }
              attempts_.find({.ns = ns, .pod_uid = pod_uid}, 1, "",
                             [answer](const Result<ledger::AttemptPage>& page) {
                               if (!page || page->items.empty() || !page->items[0]->has_log()) {
                                 return answer(fail(plain_error(
                                     "its pod is gone, and the ledger has no log of it")));
                               }
                               const auto& log = page->items[0]->log();
                               if (!log.error().empty()) {
                                 return answer(fail(plain_error(log.error())));
                               }
                               std::string text;
                               JsonWriter json(text);
                               json.open_object().member("text", log.tail()).close_object();
                               answer(std::move(text));
                             });
            });
}

void PageService::rights(const ViewerPtr& viewer, const std::string& ns, const Answer& answer) {
  backend_.check(*viewer, reading("create", "batch", "jobs", ns),
                 [answer](const Result<void>& allowed) {
                   answer(std::string(allowed ? R"({"rerun":true})" : R"({"rerun":false})"));
                 });
}

void PageService::rerun(const ViewerPtr& viewer, RerunOrder order, Answer answer) {
  if (const auto checked = check_names({order.ns, order.job}); !checked) {
    return answer(fail(checked.error()));
  }
  check_all(
      viewer,
      {reading("create", "batch", "jobs", order.ns), reading("get", "batch", "jobs", order.ns)},
      [this, order, answer = std::move(answer)](const Result<void>& allowed) {
        if (!allowed) {
          return answer(fail(allowed.error()));
        }
        backend_.rerun(order, [answer](const Result<std::string>& name) {
          if (!name) {
            return answer(fail(name.error()));
          }
          std::string text;
          JsonWriter json(text);
          json.open_object().member("job", *name).close_object();
          answer(std::move(text));
        });
      });
}

std::vector<Feed*> PageService::feeds() {
  std::vector<Feed*> all;
  if (overview_) {
    all.push_back(&overview_->feed());
  }
  for (const auto& [name, job] : jobs_) {
    all.push_back(&job->feed());
  }
  return all;
}

void PageService::end(const Status& why, const std::function<void()>& then) {
  // The last changes are on their way.
  constexpr Duration kSettle = milliseconds(200);
  const MonotonicTime limit = env_.clock.monotonic() + kLongestFarewell;
  farewell_ = env_.executor.schedule(feeds().empty() ? Duration::zero() : kSettle,
                                     [this, why, limit, then] { end_when_told(why, limit, then); });
}

void PageService::end_when_told(const Status& why, MonotonicTime limit,
                                const std::function<void()>& then) {
  constexpr Duration kLook = milliseconds(20);
  farewell_ = env::TimerId::none;
  const std::vector<Feed*> all = feeds();
  if (env_.clock.monotonic() < limit &&
      !std::all_of(all.begin(), all.end(), [](const Feed* feed) { return feed->is_told(); })) {
    farewell_ = env_.executor.schedule(
        kLook, [this, why, limit, then] { end_when_told(why, limit, then); });
    return;
  }
  ended_ = why;
  for (Feed* feed : all) {
    feed->end(why);
  }
  env_.executor.post(then);
}

}  // namespace windlass::dashboard
