// All pods on all hollow nodes of one process: watches pods once, lives their lives with one timer
// each, and writes their statuses, a bounded number at a time. A pod is held only from its binding
// until its end is stored; the rest of its object's life costs nothing here.
//
// Lives on the client's executor; nothing is called after destruction.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/weak_self.h"
#include "client/informer.h"
#include "node/hollow/hollow_pod.h"

namespace windlass::node::hollow {

// Decides a pod's life. Asked once per pod and process; has to answer the same for the same pod.
using Script = std::function<Behavior(const PodSpec&)>;

class HollowPods {
 public:
  struct Options {
    Script script;
    bool disruption_conditions = true;  // gate PodDisruptionConditions
    std::string address = "127.0.0.1";
  };

  HollowPods(client::ClientEnv env, Options options);
  ~HollowPods();
  HollowPods(const HollowPods&) = delete;
  HollowPods& operator=(const HollowPods&) = delete;

  // Before start().
  void add_node(const std::string& node) { nodes_.try_emplace(node); }
  void start() { informer_.start(); }
  void when_synced(std::function<void()> done) { informer_.when_synced(std::move(done)); }

  // Nothing is written for pods of this node; they live on.
  void set_silent(const std::string& node, bool silent);
  void end_all(const std::string& node, const ForcedEnd& why, Duration grace);
  // False when no such pod lives here. `key` is namespace/name.
  bool end(const std::string& key, const ForcedEnd& why, Duration grace);

  size_t alive() const { return live_.size(); }
  size_t writes_in_flight() const { return in_flight_; }

 private:
  static constexpr size_t kMaxWritesInFlight = 512;
  static constexpr Duration kFirstRetry = seconds(1);
  static constexpr Duration kMaxRetry = seconds(30);
  static constexpr Duration kReconcile = seconds(10);  // K-40

  // What others may undo of a status, and the node says again.
  struct Said {
    bool running = false;
    bool terminal = false;
    bool ready = false;

    bool operator==(const Said&) const = default;
  };

  // What the view keeps of every pod; `spec` and `seen` only of those to begin with.
  struct Facts {
    std::string key;
    std::string uid;
    std::string node;
    Said said;
    bool deleting = false;
    Duration grace{};
    std::shared_ptr<const PodSpec> spec;
    std::shared_ptr<const PodSeen> seen;
  };

  struct Live {
    Live(HollowPod the_pod, std::string the_key)
        : pod(std::move(the_pod)), key(std::move(the_key)) {}

    HollowPod pod;
    std::string key;
    env::TimerId timer = env::TimerId::none;
    uint64_t written = 0;  // the revision that the API has
    std::optional<Said> said = {};
    bool undone = false;      // the API has lost what was written
    bool seen_ended = false;  // the view has the end: nothing older comes any more
    bool deleting = false;
    bool removed = false;  // the delete with grace 0 is acknowledged
    bool busy = false;     // waits for a turn, for a retry, or is in flight
    Duration retry = kFirstRetry;
  };

  // The revision of a write, and what the API has with it.
  struct Written {
    uint64_t revision = 0;
    Said said;
  };

  struct Node {
    bool silent = false;
    std::set<std::string> pods;  // UIDs
  };

  static Said said_of(const api::Message& pod);
  Facts read(const api::Message& pod) const;
  void on_pod(const Facts& pod);
  void on_gone(const Facts& pod);
  void begin(const Facts& pod);
  void advance(const std::string& uid);
  // Plans the next moment and what has to be written.
  void settle(const std::string& uid, Live& live);
  static bool has_work(const Live& live);
  void note(const Facts& pod, Live& live);
  void reconcile();
  void write_next();
  void write(const std::string& uid, Live& live);
  bool change(const std::string& uid, api::Message& pod, Written* written) const;
  void remove(const std::string& uid, const Live& live);
  void on_answer(const std::string& uid, const Result<client::ObjectPtr>& answer,
                 const Written* written);
  void retry_later(const std::string& uid, Live& live, const Status& why);
  void forget(const std::string& uid);
  ClockReading now() const { return {env_.clock.now(), env_.clock.monotonic()}; }
  void schedule(const std::string& uid, Live& live, Duration delay);
  client::ObjectRef ref(const Live& live) const;

  client::ClientEnv env_;
  Options options_;
  std::map<std::string, Node> nodes_;
  std::map<std::string, Live> live_;  // by UID
  std::deque<std::string> to_write_;  // UIDs, each once: bounded by the pods that live
  size_t in_flight_ = 0;
  std::set<std::string> doubtful_;  // UIDs whose status was not what is written, when it was seen
  env::TimerId reconcile_timer_ = env::TimerId::none;
  client::Informer<Facts> informer_;
  WeakSelf<HollowPods> self_{this};
};

}  // namespace windlass::node::hollow
