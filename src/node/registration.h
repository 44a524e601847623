// Keeps a node's object in the API: creates it, or refreshes the one that is there, and tries until
// it has succeeded. Later it takes up one that another client made under its name. Owned by the
// agent, on its executor; nothing is called after destruction.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/reflector.h"
#include "node/config.h"

namespace windlass::node {

class Registration {
 public:
  static constexpr Duration kStatusPeriod = minutes(5);  // N-1: even if nothing changed

  Registration(client::ClientEnv env, const AgentConfig& config);
  ~Registration();
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;

  void start(std::function<void()> on_registered);
  // From now on, once it is registered: looks at the object with every heartbeat, and says again
  // how the node is where others have written otherwise, or when it was said long ago (N-1, N-3).
  // `on_seen` hears each time whether it is there at all; uid() may be another one by then.
  void keep_current(std::function<void(bool there)> on_seen);
  // Says at once how the node is, and from now on.
  void set_health(const NodeHealth& health);
  // Of the Node object, once it is registered.
  const std::string& uid() const { return uid_; }

 private:
  static constexpr Duration kFirstRetry = milliseconds(200);
  static constexpr Duration kMaxRetry = seconds(7);

  void create();
  void read();
  void on_created(const Result<client::ObjectPtr>& node);
  void on_read(const Result<client::ObjectPtr>& node);
  void on_metadata_written(const Result<client::ObjectPtr>& node);
  void on_status_written(const Result<client::ObjectPtr>& node);
  void write(const client::ObjectPtr& node, std::string_view subresource,
             void (Registration::*next)(const Result<client::ObjectPtr>&));
  void finish(const client::ObjectPtr& node);
  void look();
  void look_later();
  void on_looked(const Result<client::ObjectPtr>& node);
  void on_taken_up(const Result<client::ObjectPtr>& node);
  void on_corrected(const Result<client::ObjectPtr>& node);
  void retry(const Status& why);
  std::shared_ptr<api::Message> refreshed(const api::Message& node) const;
  client::ObjectRef ref() const;

  client::ClientEnv env_;
  const AgentConfig& config_;
  std::function<void()> on_registered_;
  std::function<void(bool there)> on_seen_;
  std::string uid_;
  NodeHealth health_;
  MonotonicTime posted_{};   // the status, last
  bool looking_ = false;     // at the object, or writing it
  bool look_again_ = false;  // as soon as that is over
  Duration retry_ = kFirstRetry;
  env::TimerId timer_ = env::TimerId::none;
  WeakSelf<Registration> self_{this};
};

}  // namespace windlass::node
