// Tells users what a component did, as core/v1 Events on the object it did it to. Repetitions are
// counted on the same Event; floods are held back (event_correlator.h). Events are best effort:
// nothing waits for them, and one that cannot be written is lost with a line in the log.
//
// Lives on the client's executor; nothing runs after destruction. Memory and writes in flight are
// bounded.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "client/bounded_map.h"
#include "client/event_correlator.h"
#include "client/reflector.h"

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

  // `component` is who reports: job-controller.
  EventRecorder(ClientEnv env, std::string component, std::string host = {});

  // `essential`: must not fall to the budget of its object (event_correlator.h). For what can
  // happen only a few times in the life of an object.
  void normal(const EventTarget& target, std::string_view reason, std::string_view message,
              bool essential = false) {
    record(target, "Normal", reason, message, essential);
  }
  void warning(const EventTarget& target, std::string_view reason, std::string_view message,
               bool essential = false) {
    record(target, "Warning", reason, message, essential);
  }

 private:
  struct Entry {
    EventTarget target;
    std::string type;
    std::string reason;
    std::string message;
    std::string name;  // of the Event, once it is stored
    Time first;
    Time last;
    int count = 0;
    int written = 0;    // the count that the server knows
    bool busy = false;  // waiting for a turn, or in flight
  };

  void record(const EventTarget& target, std::string_view type, std::string_view reason,
              std::string_view message, bool essential);
  void write_next();
  void create(const std::string& key, Entry& entry);
  void bump(const std::string& key, Entry& entry);
  void on_written(const std::string& key, bool created, int count, const Result<ObjectPtr>& answer);

  ClientEnv env_;
  std::string component_;
  std::string host_;
  EventCorrelator correlator_;
  BoundedMap<Entry> entries_{EventCorrelator::kMaxRemembered};
  std::deque<std::string> waiting_;  // keys; at most kMaxRemembered, what comes then is lost
  size_t in_flight_ = 0;
  std::shared_ptr<EventRecorder*> self_;  // callbacks hold it weakly
};

}  // namespace windlass::client
