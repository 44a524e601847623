#include "node/status_writer.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "client/object_identity.h"
#include "node/callback.h"
#include "node/status_message.h"

namespace windlass::node {

StatusWriter::StatusWriter(Host host, PodIdentity pod, std::function<void()> on_gone,
                           std::function<void()> on_idle)
    : host_(std::move(host)),
      pod_(std::move(pod)),
      on_gone_(std::move(on_gone)),
      on_idle_(std::move(on_idle)),
      self_(std::make_shared<StatusWriter*>(this)) {}

StatusWriter::~StatusWriter() {
  host_.executor.cancel(timer_);
}

client::ObjectRef StatusWriter::ref() const {
  return {&api::kinds::pod(), pod_.ns, pod_.name};
}

void StatusWriter::submit(PodStatusView view) {
  if (gone_) {
    return;
  }
  if (!host_.disruption_conditions) {
    view.disruption.reset();
  }
  pending_ = std::move(view);
  pump();
}

void StatusWriter::remove() {
  if (gone_) {
    return;
  }
  wants_removal_ = true;
  pump();
}

void StatusWriter::pump() {
  if (busy_ || timer_ != env::TimerId::none) {
    return;
  }
  if (pending_) {
    sending_ = std::exchange(pending_, std::nullopt);
    read();
  } else if (wants_removal_) {
    send_removal();
  }
}

void StatusWriter::read() {
  busy_ = true;
  host_.api.get(ref(), guarded(self_, &StatusWriter::on_read));
}

void StatusWriter::on_read(Result<client::ObjectPtr> pod) {
  if (!pod) {
    fail_and_retry(pod.error());
    return;
  }
  if (client::uid_of(**pod) != pod_.uid) {
    vanish();
    return;
  }
  if (pending_) {
    sending_ = std::exchange(pending_, std::nullopt);
  }
  std::shared_ptr<api::Message> changed((*pod)->New());
  changed->CopyFrom(**pod);
  const StatusFacts facts{host_.address, host_.address, host_.clock.now(), start_time_};
  if (!apply_status(*sending_, facts, *changed)) {
    succeed();
    return;
  }
  host_.api.update(ref(), "status", std::move(changed), guarded(self_, &StatusWriter::on_written));
}

void StatusWriter::on_written(const Result<client::ObjectPtr>& pod) {
  if (pod) {
    succeed();
  } else if (is_conflict(pod.error()) && ++conflicts_ <= kMaxConflicts) {
    read();
  } else {
    fail_and_retry(pod.error());
  }
}

void StatusWriter::send_removal() {
  busy_ = true;
  client::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.preconditions.uid = pod_.uid;
  host_.api.remove(ref(), options, guarded(self_, &StatusWriter::on_removed));
}

void StatusWriter::on_removed(const Result<client::ObjectPtr>& pod) {
  if (pod) {
    wants_removal_ = false;
    succeed();
  } else if (is_conflict(pod.error())) {
    // The UID precondition, or something else that is in the way for now: the pod itself tells.
    host_.api.get(ref(), guarded(self_, &StatusWriter::on_looked));
  } else {
    fail_and_retry(pod.error());
  }
}

void StatusWriter::on_looked(const Result<client::ObjectPtr>& pod) {
  if (pod && client::uid_of(**pod) != pod_.uid) {
    vanish();
  } else {
    fail_and_retry(pod ? conflict({"", "pods", pod_.name}, "not deleted yet") : pod.error());
  }
}

void StatusWriter::succeed() {
  busy_ = false;
  sending_.reset();
  conflicts_ = 0;
  retry_ = kFirstRetry;
  pump();
  if (idle()) {
    on_idle_();
  }
}

void StatusWriter::fail_and_retry(const Status& why) {
  if (is_not_found(why)) {
    vanish();
    return;
  }
  host_.log.warning("writing a pod's status failed",
                    {{"pod", pod_.ns + "/" + pod_.name}, {"error", why.message}});
  busy_ = false;
  conflicts_ = 0;
  if (sending_ && !pending_) {
    pending_ = std::move(sending_);
  }
  sending_.reset();
  timer_ = host_.executor.schedule(retry_, [this] {
    timer_ = env::TimerId::none;
    pump();
  });
  retry_ = std::min(retry_ * 2, kMaxRetry);
}

void StatusWriter::vanish() {
  busy_ = false;
  gone_ = true;
  wants_removal_ = false;
  pending_.reset();
  sending_.reset();
  on_gone_();
}

}  // namespace windlass::node
