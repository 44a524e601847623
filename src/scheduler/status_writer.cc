#include "scheduler/status_writer.h"

#include <utility>

#include "api/pod/pod_condition.h"
#include "client/update_status.h"
#include "schema/core/v1/pod.pb.h"

namespace windlass::scheduler {

SchedulingStatusWriter::SchedulingStatusWriter(
    client::ClientEnv env, std::function<void(const std::string& uid)> on_dropped)
    : env_(env), on_dropped_(std::move(on_dropped)) {}

SchedulingStatusWriter::~SchedulingStatusWriter() {
  for (const auto& [uid, report] : reports_) {
    env_.executor.cancel(report.timer);
  }
}

void SchedulingStatusWriter::report(const PodInfo& pod, News news) {
  const auto [entry, added] = reports_.try_emplace(pod.uid);
  Report& report = entry->second;
  report.ns = pod.ns;
  report.name = pod.name;
  report.fresh = true;
  if (news.unscheduled) {
    report.news.unscheduled = std::move(news.unscheduled);
  }
  if (news.nominated_node) {
    report.news.nominated_node = std::move(news.nominated_node);
  }
  if (added) {
    waiting_.push_back(pod.uid);
    send_next();
  }
}

void SchedulingStatusWriter::send_next() {
  while (in_flight_ < kMaxInFlight && !waiting_.empty()) {
    const std::string uid = std::move(waiting_.front());
    waiting_.pop_front();
    send(uid);
  }
}

void SchedulingStatusWriter::send(const std::string& uid) {
  ++in_flight_;
  const Report& report = reports_.at(uid);
  client::update_status(
      env_.client, {&api::kinds::pod(), report.ns, report.name}, uid,
      self_.bind(
          [uid](SchedulingStatusWriter& self, api::Message& pod) { return self.apply(uid, pod); }),
      self_.bind([uid](SchedulingStatusWriter& self, const Result<client::ObjectPtr>& pod) {
        self.on_written(uid, pod);
      }));
}

bool SchedulingStatusWriter::apply(const std::string& uid, api::Message& pod) {
  Report& report = reports_.at(uid);
  report.fresh = false;
  bool changed = false;
  if (report.news.unscheduled) {
    changed = set_unscheduled(pod, *report.news.unscheduled, env_.clock.now());
  }
  if (report.news.nominated_node) {
    changed = set_nominated_node(pod, *report.news.nominated_node) || changed;
  }
  return changed;
}

void SchedulingStatusWriter::on_written(const std::string& uid,
                                        const Result<client::ObjectPtr>& pod) {
  --in_flight_;
  Report& report = reports_.at(uid);
  if (!pod) {
    retry(uid, pod.error());
  } else if (report.fresh) {
    report.tries = 0;
    report.delay = kFirstDelay;
    waiting_.push_back(uid);
  } else {
    reports_.erase(uid);
  }
  send_next();
}

void SchedulingStatusWriter::retry(const std::string& uid, const Status& why) {
  Report& report = reports_.at(uid);
  if (is_not_found(why) || ++report.tries >= kMaxTries) {
    if (!is_not_found(why)) {
      env_.log.warning("a pod's scheduling condition cannot be written",
                       {{"pod", report.ns + "/" + report.name}, {"error", why.message}});
    }
    reports_.erase(uid);
    on_dropped_(uid);
    return;
  }
  report.timer = env_.executor.schedule(report.delay, [this, uid] {
    reports_.at(uid).timer = env::TimerId::none;
    waiting_.push_back(uid);
    send_next();
  });
  report.delay *= kDelayGrowth;
}

bool set_unscheduled(api::Message& message, const ScheduledCondition& wanted, Time now) {
  auto& pod = static_cast<api::core::v1::Pod&>(message);
  return pod.spec().node_name().empty() &&
         api::set_pod_condition(pod, "PodScheduled", "False", now, wanted.reason, wanted.message);
}

bool set_nominated_node(api::Message& message, const std::string& node) {
  auto& pod = static_cast<api::core::v1::Pod&>(message);
  if (!pod.spec().node_name().empty() || pod.status().nominated_node_name() == node) {
    return false;
  }
  if (node.empty()) {
    pod.mutable_status()->clear_nominated_node_name();
  } else {
    pod.mutable_status()->set_nominated_node_name(node);
  }
  return true;
}

}  // namespace windlass::scheduler
