#include "node/pod/pod_status_writer.h"

#include <algorithm>
#include <utility>

#include "client/object_identity.h"
#include "client/update_status.h"
#include "node/pod/status_message.h"

namespace windlass::node {

PodStatusWriter::PodStatusWriter(Host host, PodIdentity pod, std::function<void()> on_gone,
                                 std::function<void()> on_idle)
    : host_(std::move(host)),
      pod_(std::move(pod)),
      on_gone_(std::move(on_gone)),
      on_idle_(std::move(on_idle)) {}

PodStatusWriter::~PodStatusWriter() {
  host_.executor.cancel(timer_);
}

client::ObjectRef PodStatusWriter::ref() const {
  return {&api::kinds::pod(), pod_.ns, pod_.name};
}

void PodStatusWriter::submit(PodStatusView view) {
  if (gone_) {
    return;
  }
  if (!host_.disruption_conditions) {
    view.disruption.reset();
  }
  pending_ = std::move(view);
  pump();
}

void PodStatusWriter::remove() {
  if (gone_) {
    return;
  }
  wants_removal_ = true;
  pump();
}

void PodStatusWriter::pump() {
  if (busy_ || timer_ != env::TimerId::none) {
    return;
  }
  if (pending_) {
    write();
  } else if (wants_removal_) {
    send_removal();
  }
}

void PodStatusWriter::write() {
  busy_ = true;
  client::update_status(
      host_.api, ref(), pod_.uid,
      [this, alive = self_.lifetime()](api::Message& pod) {
        return !alive.expired() && change(pod);
      },
      self_.bind(&PodStatusWriter::on_written));
}

// Runs again after a conflict, by then perhaps with a newer view.
bool PodStatusWriter::change(api::Message& pod) {
  if (pending_) {
    sending_ = std::exchange(pending_, std::nullopt);
  }
  return apply_status(*sending_, {host_.address, host_.address, host_.clock.now(), start_time_},
                      pod);
}

void PodStatusWriter::on_written(const Result<client::ObjectPtr>& pod) {
  if (pod) {
    succeed();
  } else {
    fail_and_retry(pod.error());
  }
}

void PodStatusWriter::send_removal() {
  busy_ = true;
  client::DeleteOptions options;
  options.grace_period_seconds = 0;
  options.preconditions.uid = pod_.uid;
  host_.api.remove(ref(), options, self_.bind(&PodStatusWriter::on_removed));
}

void PodStatusWriter::on_removed(const Result<client::ObjectPtr>& pod) {
  if (pod) {
    wants_removal_ = false;
    succeed();
  } else if (is_conflict(pod.error())) {
    // The UID precondition, or something else that is in the way for now: the pod itself tells.
    host_.api.get(ref(), self_.bind(&PodStatusWriter::on_looked));
  } else {
    fail_and_retry(pod.error());
  }
}

void PodStatusWriter::on_looked(const Result<client::ObjectPtr>& pod) {
  if (pod && client::uid_of(**pod) != pod_.uid) {
    vanish();
  } else {
    fail_and_retry(pod ? conflict({"", "pods", pod_.name}, "not deleted yet") : pod.error());
  }
}

void PodStatusWriter::succeed() {
  busy_ = false;
  sending_.reset();
  retry_ = kFirstRetry;
  pump();
  if (idle()) {
    on_idle_();
  }
}

void PodStatusWriter::fail_and_retry(const Status& why) {
  if (is_not_found(why)) {
    vanish();
    return;
  }
  host_.log.warning("writing a pod's status failed",
                    {{"pod", pod_.ns + "/" + pod_.name}, {"error", why.message}});
  busy_ = false;
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

void PodStatusWriter::vanish() {
  busy_ = false;
  gone_ = true;
  wants_removal_ = false;
  pending_.reset();
  sending_.reset();
  on_gone_();
}

}  // namespace windlass::node
