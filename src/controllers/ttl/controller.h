// TTL after finished: deletes a Job, its pods first, once spec.ttlSecondsAfterFinished have passed
// since it ended. The time that counts is the one in the Job's terminal condition.
//
// Holds a few words per Job. Before it deletes anything it reads the Job from the server, and names
// UID and version in the deletion, so a TTL that was just edited or taken away is respected. Lives
// on the client's executor; nothing runs after destruction.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/weak_self.h"
#include "client/informer.h"
#include "client/work_queue.h"

namespace windlass::controllers::ttl {

struct JobEnd {
  std::string key = {};
  std::string uid = {};
  // Only of a Job that has ended, has a TTL, and is not being deleted.
  std::optional<Time> finished = {};
  std::optional<Time> expires = {};
};

JobEnd read_end(const api::Message& job);

class TtlController {
 public:
  struct Options {
    size_t workers = 5;
    // ttl_after_finished_controller_job_deletion_duration_seconds: how long after its time a Job
    // was deleted.
    std::function<void(Duration late)> on_deleted = {};
  };

  // However far away an end is, the wall clock is looked at again this often: it may jump.
  static constexpr Duration kMaxWait = hours(1);

  TtlController(client::ClientEnv env, Options options);
  ~TtlController();
  TtlController(const TtlController&) = delete;
  TtlController& operator=(const TtlController&) = delete;

  void start();

 private:
  void on_job(const JobEnd& job);
  // True once its time has come; otherwise it is looked at again then.
  bool is_due(const JobEnd& job);
  void process(const std::string& key);
  void on_read(const std::string& key, const std::string& uid,
               const Result<client::ObjectPtr>& job);
  void on_removed(const std::string& key, Time expires, const Result<client::ObjectPtr>& job);
  void finish(const std::string& key, const Result<void>& result);

  client::ClientEnv env_;
  Options options_;
  client::WorkQueue queue_;  // of Job keys
  client::Informer<JobEnd> jobs_;
  WeakSelf<TtlController> self_{this};
};

}  // namespace windlass::controllers::ttl
