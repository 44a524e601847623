#include "node/registration.h"

#include <google/protobuf/message.h>

#include <algorithm>
#include <utility>

#include "client/object_identity.h"
#include "node/node_object.h"

namespace windlass::node {

Registration::Registration(client::ClientEnv env, const AgentConfig& config)
    : env_(env), config_(config) {}

Registration::~Registration() {
  env_.executor.cancel(timer_);
}

client::ObjectRef Registration::ref() const {
  return {&api::kinds::node(), "", config_.node_name};
}

void Registration::start(std::function<void()> on_registered) {
  on_registered_ = std::move(on_registered);
  create();
}

void Registration::create() {
  env_.client.create(ref(), make_node(config_, env_.clock.now()),
                     self_.bind(&Registration::on_created));
}

void Registration::on_created(const Result<client::ObjectPtr>& node) {
  if (node) {
    finish(*node);
  } else if (is_already_exists(node.error())) {
    read();
  } else {
    retry(node.error());
  }
}

void Registration::read() {
  env_.client.get(ref(), self_.bind(&Registration::on_read));
}

// Labels and status are two writes: the status subresource leaves metadata alone and the main one
// leaves status alone (api.md N2).
void Registration::on_read(const Result<client::ObjectPtr>& node) {
  if (!node) {
    retry(node.error());
    return;
  }
  // Or it would say that it is ready until it has heard of its order again.
  health_.shutting_down = has_shutdown_order(**node);
  write(*node, "", &Registration::on_metadata_written);
}

void Registration::on_metadata_written(const Result<client::ObjectPtr>& node) {
  if (!node) {
    retry(node.error());
    return;
  }
  write(*node, "status", &Registration::on_status_written);
}

void Registration::on_status_written(const Result<client::ObjectPtr>& node) {
  if (!node) {
    retry(node.error());
    return;
  }
  finish(*node);
}

void Registration::finish(const client::ObjectPtr& node) {
  uid_ = client::uid_of(*node);
  posted_ = env_.clock.monotonic();
  on_registered_();
}

void Registration::keep_current(std::function<void(bool there)> on_seen) {
  on_seen_ = std::move(on_seen);
  look_later();
}

void Registration::set_health(const NodeHealth& health) {
  health_ = health;
  if (looking_) {
    look_again_ = true;
  } else if (timer_ != env::TimerId::none && on_seen_) {
    env_.executor.cancel(std::exchange(timer_, env::TimerId::none));
    look();
  }
}

void Registration::look() {
  looking_ = true;
  env_.client.get(ref(), self_.bind(&Registration::on_looked));
}

void Registration::look_later() {
  looking_ = false;
  if (std::exchange(look_again_, false)) {
    look();
    return;
  }
  timer_ = env_.executor.schedule(config_.heartbeats.period, [this] {
    timer_ = env::TimerId::none;
    look();
  });
}

// As with a kubelet, a deleted Node object is not made again; one that another client makes is this
// node's (G-7).
void Registration::on_looked(const Result<client::ObjectPtr>& node) {
  if (node && client::uid_of(**node) != uid_) {
    write(*node, "", &Registration::on_taken_up);
    return;
  }
  if (node || is_not_found(node.error())) {
    on_seen_(node.has_value());
  }
  const bool due = env_.clock.monotonic() - posted_ >= kStatusPeriod;
  if (node && (due || !same_status(**node, *refreshed(**node)))) {
    write(*node, "status", &Registration::on_corrected);
  } else {
    look_later();
  }
}

// It has this node's labels by now.
void Registration::on_taken_up(const Result<client::ObjectPtr>& node) {
  if (!node) {
    on_corrected(node);
    return;
  }
  uid_ = client::uid_of(**node);
  env_.log.info("the Node object was replaced, taking up the new one",
                {{"node", config_.node_name}});
  on_seen_(true);
  write(*node, "status", &Registration::on_corrected);
}

void Registration::on_corrected(const Result<client::ObjectPtr>& node) {
  if (node) {
    posted_ = env_.clock.monotonic();
  } else if (is_conflict(node.error())) {
    look_again_ = true;
  } else {
    env_.log.warning("writing the node's status failed, will try again",
                     {{"node", config_.node_name}, {"error", node.error().message}});
  }
  look_later();
}

void Registration::write(const client::ObjectPtr& node, std::string_view subresource,
                         void (Registration::*next)(const Result<client::ObjectPtr>&)) {
  env_.client.update(ref(), subresource, refreshed(*node), self_.bind(next));
}

std::shared_ptr<api::Message> Registration::refreshed(const api::Message& node) const {
  std::shared_ptr<api::Message> changed(node.New());
  changed->CopyFrom(node);
  refresh_node(config_, env_.clock.now(), *changed, health_);
  return changed;
}

void Registration::retry(const Status& why) {
  env_.log.warning("registering the node failed",
                   {{"node", config_.node_name}, {"error", why.message}});
  timer_ = env_.executor.schedule(retry_, [this] {
    timer_ = env::TimerId::none;
    create();
  });
  retry_ = std::min(retry_ * 2, kMaxRetry);
}

}  // namespace windlass::node
