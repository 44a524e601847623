// The signs of life of nodes: a Lease for each in kube-node-lease, renewed every ten seconds
// (disruption.md N-1). Serves one node or a thousand: one timer, each node at its own moment of the
// period, and one write per renewal as long as no other client writes to the Lease.
//
// Lives on the client's executor; nothing is called after destruction.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/weak_self.h"
#include "client/reflector.h"
#include "node/config.h"

namespace windlass::node {

class Heartbeats {
 public:
  Heartbeats(client::ClientEnv env, HeartbeatTiming timing);
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

  // The first one at once. The Lease belongs to the Node of this UID, and goes with it.
  void add(const std::string& node, const std::string& node_uid);
  // The Node was made anew: the Lease is said to be the new one's at once.
  void set_owner(const std::string& node, const std::string& node_uid);
  // A silent node renews nothing.
  void set_silent(const std::string& node, bool silent);

 private:
  // Renewals that are due so close to each other are sent together.
  static constexpr Duration kTick = milliseconds(100);
  static constexpr int kRetriesPerPeriod = 4;

  struct Node {
    std::string uid;
    client::ObjectPtr lease;  // as the server last told it
    MonotonicTime due;
    bool silent = false;
    bool busy = false;
    bool read_again = false;  // for this renewal; a second time it waits
  };

  void plan(const std::string& name, Node& node, MonotonicTime due);
  void arm();
  void run();
  void renew(const std::string& name, Node& node);
  void read(const std::string& name);
  void on_answer(const std::string& name, const Result<client::ObjectPtr>& answer);
  void on_read(const std::string& name, const Result<client::ObjectPtr>& answer);
  client::Done<client::ObjectPtr> callback(
      const std::string& name,
      void (Heartbeats::*method)(const std::string&, const Result<client::ObjectPtr>&));

  client::ClientEnv env_;
  HeartbeatTiming timing_;
  std::map<std::string, Node> nodes_;
  std::map<std::pair<MonotonicTime, std::string>, Node*> plan_;
  env::TimerId timer_ = env::TimerId::none;
  WeakSelf<Heartbeats> self_{this};
};

}  // namespace windlass::node
