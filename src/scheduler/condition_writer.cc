#include "scheduler/condition_writer.h"

#include <google/protobuf/message.h>

#include <utility>

#include "client/object_identity.h"
#include "scheduler/pod_condition.h"

namespace windlass::scheduler {

ConditionWriter::ConditionWriter(client::ClientEnv env)
    : env_(env), self_(std::make_shared<ConditionWriter*>(this)) {}

ConditionWriter::~ConditionWriter() {
  for (const auto& [uid, report] : reports_) {
    env_.executor.cancel(report.timer);
  }
}

void ConditionWriter::report(const std::string& ns, const std::string& name, const std::string& uid,
                             std::string reason, std::string message) {
  const auto [entry, added] = reports_.try_emplace(uid);
  Report& report = entry->second;
  report.ns = ns;
  report.name = name;
  report.reason = std::move(reason);
  report.message = std::move(message);
  report.fresh = true;
  if (added) {
    read(uid);
  }
}

client::Done<client::ObjectPtr> ConditionWriter::then(
    const std::string& uid,
    void (ConditionWriter::*next)(const std::string&, const Result<client::ObjectPtr>&)) {
  return [weak = std::weak_ptr<ConditionWriter*>(self_), uid,
          next](const Result<client::ObjectPtr>& pod) {
    if (const auto writer = weak.lock()) {
      ((*writer)->*next)(uid, pod);
    }
  };
}

void ConditionWriter::read(const std::string& uid) {
  const Report& report = reports_.at(uid);
  env_.client.get({&api::kinds::pod(), report.ns, report.name},
                  then(uid, &ConditionWriter::on_read));
}

void ConditionWriter::on_read(const std::string& uid, const Result<client::ObjectPtr>& pod) {
  if (!pod) {
    retry(uid, pod.error());
    return;
  }
  Report& report = reports_.at(uid);
  report.fresh = false;
  std::shared_ptr<api::Message> changed((*pod)->New());
  changed->CopyFrom(**pod);
  if (client::uid_of(**pod) != uid ||
      !set_unscheduled(*changed, report.reason, report.message, env_.clock.now())) {
    finish(uid);
    return;
  }
  env_.client.update({&api::kinds::pod(), report.ns, report.name}, "status", std::move(changed),
                     then(uid, &ConditionWriter::on_written));
}

void ConditionWriter::on_written(const std::string& uid, const Result<client::ObjectPtr>& pod) {
  pod ? finish(uid) : retry(uid, pod.error());
}

void ConditionWriter::finish(const std::string& uid) {
  Report& report = reports_.at(uid);
  if (!report.fresh) {
    reports_.erase(uid);
    return;
  }
  report.tries = 0;
  report.delay = kFirstDelay;
  read(uid);
}

void ConditionWriter::retry(const std::string& uid, const Status& why) {
  Report& report = reports_.at(uid);
  if (is_not_found(why) || ++report.tries >= kMaxTries) {
    if (!is_not_found(why)) {
      env_.log.warning("a pod's scheduling condition cannot be written",
                       {{"pod", report.ns + "/" + report.name}, {"error", why.message}});
    }
    reports_.erase(uid);
    return;
  }
  report.timer = env_.executor.schedule(report.delay, [this, uid] {
    reports_.at(uid).timer = env::TimerId::none;
    read(uid);
  });
  report.delay *= kDelayGrowth;
}

}  // namespace windlass::scheduler
