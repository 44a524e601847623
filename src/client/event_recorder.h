// Tells users what a component did, as core/v1 Events on the object it did it to. Repetitions are
// counted on the same Event; floods are held back (event_correlator.h). Events are best effort:
// nothing waits for them, and one that cannot be written is lost with a line in the log. Those that
// are essential are tried again for a while, and wait when so many others do that these are lost.
//
// Lives on the client's executor; nothing runs after destruction. Memory and writes in flight are
// bounded.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "base/weak_self.h"
#include "client/bounded_map.h"
#include "client/event_correlator.h"
#include "client/reflector.h"

namespace windlass::api::core::v1 {
class Event;
}

namespace windlass::client {

struct EventTarget {
  std::string api_version = {};
  std::string kind = {};
  std::string ns = {};  // "" for what lives outside of namespaces: its events are in `default`
  std::string name = {};
  std::string uid = {};
  std::string field_path = {};  // spec.containers{main}
};

class EventRecorder {
 public:
  static constexpr size_t kMaxWritesInFlight = 32;
  static constexpr size_t kMaxWaiting = EventCorrelator::kMaxRemembered;
  static constexpr size_t kMaxEssentialWaiting = 16 * kMaxWaiting;
  // Of an essential event: as often as client-go tries each.
  static constexpr int kMaxTries = 12;
  static constexpr Duration kFirstRetry = seconds(1);
  static constexpr Duration kMaxRetry = seconds(10);

  // `component` is who reports: job-controller. `host` is where it runs, if that matters.
  EventRecorder(ClientEnv env, std::string component, std::string host = {});

  // `essential`: must not fall to the budget of its object (event_correlator.h), nor to an error
  // that passes. For what can happen only a few times in the life of an object.
  void normal(const EventTarget& target, std::string_view reason, std::string_view message,
              bool essential = false) {
    record(target, {"Normal", reason, {}, message}, essential);
  }
  void warning(const EventTarget& target, std::string_view reason, std::string_view message,
               bool essential = false) {
    record(target, {"Warning", reason, {}, message}, essential);
  }
  // The same in the form of events.k8s.io, as the scheduler of Kubernetes writes them: with what
  // was done or tried (`action`: Binding), and with a time and a series in place of two times, a
  // count and a source.
  void normal_action(const EventTarget& target, std::string_view reason, std::string_view action,
                     std::string_view message) {
    record(target, {"Normal", reason, action, message}, false);
  }
  void warning_action(const EventTarget& target, std::string_view reason, std::string_view action,
                      std::string_view message) {
    record(target, {"Warning", reason, action, message}, false);
  }

 private:
  struct News {
    std::string_view type;
    std::string_view reason;
    std::string_view action;
    std::string_view message;
  };
  struct Entry {
    EventTarget target;
    std::string type;
    std::string reason;
    std::string action;  // "" for an event in the form of core/v1
    std::string message;
    std::string name;  // of the Event, from the first try to store it on
    bool stored = false;
    Time first;
    Time last;
    int count = 0;
    int written = 0;    // the count that the server knows
    int tries = 0;      // that failed, in a row
    bool busy = false;  // waiting for a turn, or in flight
    bool essential = false;
  };
  // Entries that wait or are in flight are kept, also when the entry has made room for others.
  using EntryPtr = std::shared_ptr<Entry>;

  void record(const EventTarget& target, const News& news, bool essential);
  void enqueue(const EntryPtr& entry);
  void write_next();
  void create(const EntryPtr& entry);
  void fill_reporter_and_times(const Entry& entry, api::core::v1::Event& event) const;
  void bump(const EntryPtr& entry);
  void on_written(const EntryPtr& entry, int count, const Result<ObjectPtr>& answer);
  void try_again(const EntryPtr& entry);

  ClientEnv env_;
  std::string component_;
  std::string host_;
  EventCorrelator correlator_;
  BoundedMap<EntryPtr> entries_{EventCorrelator::kMaxRemembered};
  std::deque<EntryPtr> waiting_;
  size_t in_flight_ = 0;
  WeakSelf<EventRecorder> self_{this};
};

}  // namespace windlass::client
