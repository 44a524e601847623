#include "node/node_watch.h"

#include <utility>

#include "node/shutdown_order.h"
#include "placement/read_needs.h"
#include "schema/core/v1/node.pb.h"

namespace windlass::node {

NodeWatch::NodeWatch(client::ClientEnv env, std::string node,
                     std::function<void(bool ordered)> on_order)
    : env_(env),
      node_(std::move(node)),
      on_order_(std::move(on_order)),
      nodes_(env, {&api::kinds::node(), "", "", "metadata.name=" + node_}, see),
      self_(std::make_shared<NodeWatch*>(this)) {
  nodes_.add_handler({[this](const Seen& seen) { note(seen); },
                      [this](const Seen&, const Seen& seen) { note(seen); }, [](const Seen&) {}});
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
  env_.client.get({&api::kinds::node(), "", node_},
                  [weak = std::weak_ptr<NodeWatch*>(self_),
                   done = std::move(done)](const Result<client::ObjectPtr>& node) {
                    const auto self = weak.lock();
                    if (!self) {
                      return;
                    }
                    if (node) {
                      (*self)->traits_ = see(**node).traits;
                    }
                    done();
                  });
}

}  // namespace windlass::node
