#include "node/node_watch.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "node/node_object.h"
#include "placement/needs.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::node {

NodeWatch::NodeWatch(client::ClientEnv env, std::string node,
                     std::function<void(bool ordered)> on_order)
    : env_(env),
      node_(std::move(node)),
      on_order_(std::move(on_order)),
      nodes_(env, {&api::kinds::node(), "", "", "metadata.name=" + node_}, see) {
  nodes_.add_handler({[this](const Seen& seen) { note(seen); },
                      [this](const Seen&, const Seen& seen) { note(seen); }, [](const Seen&) {}});
}

NodeWatch::~NodeWatch() {
  env_.executor.cancel(retry_timer_);
}

NodeWatch::Seen NodeWatch::see(const api::Message& node) {
  return {placement::read_traits(static_cast<const api::core::v1::Node&>(node)),
          has_shutdown_order(node)};
}

void NodeWatch::start(std::function<void()> on_synced) {
  nodes_.when_synced(std::move(on_synced));
  nodes_.start();
}

void NodeWatch::tell_orders() {
  telling_ = true;
  if (std::exchange(told_, ordered_) != ordered_) {
    on_order_(ordered_);
  }
}

void NodeWatch::note(const Seen& seen) {
  traits_ = seen.traits;
  ordered_ = seen.ordered;
  if (telling_) {
    tell_orders();
  }
}

void NodeWatch::read(std::function<void()> done) {
  readers_.push_back(std::move(done));
  if (asked_.empty() && retry_timer_ == env::TimerId::none) {
    ask();
  }
}

// An answer that is under way may be older than a question that comes now.
void NodeWatch::ask() {
  asked_ = std::exchange(readers_, {});
  env_.client.get({&api::kinds::node(), "", node_}, self_.bind(&NodeWatch::on_answer));
}

void NodeWatch::on_answer(const Result<client::ObjectPtr>& node) {
  std::vector<std::function<void()>> asked = std::exchange(asked_, {});
  if (!node && !is_not_found(node.error())) {
    env_.log.warning("reading the node failed, will try again",
                     {{"node", node_}, {"error", node.error().message}});
    std::move(readers_.begin(), readers_.end(), std::back_inserter(asked));
    readers_ = std::move(asked);
    retry_timer_ = env_.executor.schedule(kReadRetry, [this] {
      retry_timer_ = env::TimerId::none;
      ask();
    });
    return;
  }
  if (node) {
    traits_ = see(**node).traits;
  }
  for (const std::function<void()>& done : asked) {
    done();
  }
  if (!readers_.empty() && asked_.empty()) {
    ask();
  }
}

}  // namespace windlass::node
