// What others have written to the Node object of an agent: labels and taints, which decide about
// new pods, and the order to shut down. Watches the object, and reads it anew where that matters.
//
// Owned by the agent, on the client's executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/weak_self.h"
#include "client/informer.h"
#include "placement/needs.h"

namespace windlass::node {

class NodeWatch {
 public:
  NodeWatch(client::ClientEnv env, std::string node, std::function<void(bool ordered)> on_order);
  ~NodeWatch();
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;

  // `on_synced` runs once the object is known.
  void start(std::function<void()> on_synced);
  // From now on `on_order` hears when the order to shut down comes and goes; at first only if it is
  // there.
  void tell_orders();
  // As far as it is known.
  const placement::NodeTraits& traits() const { return traits_; }
  // Asks the server, until it answers: what is known may be old. `done` runs then; if the object is
  // gone, what is known has to do.
  void read(std::function<void()> done);

 private:
  struct Seen {
    placement::NodeTraits traits;
    bool ordered = false;
  };

  static constexpr Duration kReadRetry = seconds(1);

  static Seen see(const api::Message& node);
  void note(const Seen& seen);
  void ask();
  void on_answer(const Result<client::ObjectPtr>& node);

  client::ClientEnv env_;
  const std::string node_;
  std::function<void(bool)> on_order_;
  placement::NodeTraits traits_;
  bool ordered_ = false;
  bool told_ = false;                           // what on_order_ heard last
  bool telling_ = false;                        // it hears at all
  std::vector<std::function<void()>> readers_;  // wait for a question that is yet to be asked
  std::vector<std::function<void()>> asked_;    // wait for the answer
  env::TimerId retry_timer_ = env::TimerId::none;
  client::Informer<Seen> nodes_;
  WeakSelf<NodeWatch> self_{this};
};

}  // namespace windlass::node
