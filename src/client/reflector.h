// Tells a sink of all objects of a collection: lists it, then watches from there,
// resumes a watch that ended, and lists again when its place in history is gone (410). Never gives
// up; errors are retried with growing, jittered delays.
//
// A list comes as a stream where client and server have that, object by object and then on as the
// watch; in pages otherwise, and whenever the stream does not come to its end.
//
// Lives on the client's executor. The sink outlives it; nothing is called after destruction.
#pragma once

#include <memory>
#include <string>

#include "base/weak_self.h"
#include "client/api_client.h"
#include "env/clock.h"
#include "env/executor.h"
#include "env/log.h"
#include "env/random.h"

namespace windlass::client {

class Rosters;

// What a cache needs of the outside.
struct ClientEnv {
  ApiClient& client;
  env::Executor& executor;
  env::Clock& clock;
  env::Random& random;
  env::Log& log;
  Rosters* rosters = nullptr;  // shared with others (roster.h), if any
};

// Hears of objects. A list is begun, told object by object, and ended; what it did not tell of is
// gone. A list that fails halfway is begun anew. While one is told, an object may come again,
// newer, or be deleted by an event.
class ReflectorSink {
 public:
  virtual ~ReflectorSink() = default;
  virtual void on_list_begin() = 0;
  virtual void on_listed(const ObjectPtr& object) = 0;
  virtual void on_list_end() = 0;
  virtual void on_event(const WatchEvent& event) = 0;
};

class Reflector {
 public:
  struct Options {
    int64_t page_size = 500;
    Duration first_retry = milliseconds(800);
    Duration max_retry = seconds(30);
    // A watch that lived this long, or told of anything, was a success.
    Duration healthy_watch = seconds(10);
    // A streamed list tells of something at least this often until its end, and ends within the
    // limit. A server that does not know of such lists goes quiet after the last object, or tells
    // of changes for ever.
    Duration stream_quiet = seconds(10);
    Duration stream_limit = minutes(1);
  };

  Reflector(ClientEnv env, Collection collection, ReflectorSink& sink);
  Reflector(ClientEnv env, Collection collection, ReflectorSink& sink, Options options);
  ~Reflector();
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();

  // The version that the sink knows of; "" before the first list.
  const std::string& resource_version() const { return resource_version_; }

 private:
  void list();
  // False when this list does not come as a stream.
  bool stream_list();
  void watch_stream();
  void on_stream_event(const WatchEvent& event);
  void on_stream_lost(const Status& status);
  // From now on.
  void list_in_pages(const std::string& why);
  void list_page(std::string continue_token);
  void on_page(const Result<ObjectList>& page);
  void watch();
  void on_watch_event(const WatchEvent& event);
  void on_watch_end(const Status& status);
  // Runs the step after the delay that the failures so far call for.
  void retry(void (Reflector::*step)(), const Status& why);

  ClientEnv env_;
  Collection collection_;
  ReflectorSink& sink_;
  Options options_;
  std::string resource_version_;
  std::unique_ptr<Watch> watch_;
  MonotonicTime watch_started_;
  bool heard_ = false;  // of anything, on this watch
  bool in_pages_ =
      true;              // off after a continue token expired: the list is too long for its history
  bool streams_ = true;  // off when the server turned out not to stream lists
  bool stream_lost_ = false;  // the last one, so that the next list comes in pages
  bool listing_ = false;      // the watch is a list so far
  int failures_ = 0;
  env::TimerId timer_ = env::TimerId::none;
  WeakSelf<Reflector> self_{this};
};

}  // namespace windlass::client
