// A world small enough for a unit test: one Job and its pods as an API server would keep them, an
// Engine that is told of every change, and a clock that only the test moves. Scenario tests read as
// given / when / then on it. After every step it holds the engine against the oracle (recount.h),
// the server's status rules (status_rules.h) and the safety invariants of safety.md 1 that
// one step can break. For tests, the explorer and benchmarks; not part of the product.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "engine/types.h"
#include "verify/engine/invariants.h"

namespace windlass::engine::testing {

// A JobView with the defaults the API would set: `defaulted_job(p, c)`; c < 0 is a work queue.
JobView defaulted_job(int32_t parallelism, int32_t completions);
JobView indexed_job(int32_t parallelism, int32_t completions);
// Rules for failure policies.
FailureRule on_codes(Action action, std::vector<int32_t> codes, Operator op = Operator::in);
FailureRule on_condition(Action action, std::string type,
                         ConditionStatus status = ConditionStatus::is_true);
void set_policy(JobView& job, std::vector<FailureRule> rules);  // defaults podReplacementPolicy too

class FakeCluster {
 public:
  explicit FakeCluster(JobView job, Options options = {});

  Time now = time_from_unix(1'800'000'000);

  // Given.
  std::string add_pod(PodView pod);  // fills in uid, name and creation time when missing; the name
  PodView& stored_pod(const std::string& name);
  bool has_pod(const std::string& name) const { return pods_.contains(name); }
  std::vector<std::string> pod_names() const;
  // Pods of an index that are active, in order of creation.
  std::vector<std::string> active_pods(int64_t index = kNoIndex) const;

  // When: changes by others; the engine sees them at once.
  void update_job(const std::function<void(JobView&)>& change);  // raises the generation
  void update_status(const std::function<void(JobStatus&)>& change);
  void edit_record(std::string record);  // the annotation, by another's hand
  void update_pod(const std::string& name, const std::function<void(PodView&)>& change);
  void run_pod(const std::string& name, bool ready = false);
  void succeed(const std::string& name);
  void fail(const std::string& name, int32_t exit_code = 1);
  void delete_pod(const std::string& name);        // as kubectl delete does
  void remove_finalizer(const std::string& name);  // by another's hand
  void restart_controller(std::optional<Options> options = std::nullopt);

  // One decision, carried out and answered. Whether it wrote anything.
  bool step();
  // Steps until nothing is written; at most kMaxSteps.
  void run();
  void advance(Duration by);  // moves the clock, then runs
  // Moves to the engine's wake-up time and runs; false if there is none.
  bool advance_to_wake();

  // Then.
  const JobView& job() const { return job_; }
  const JobStatus& status() const { return job_.status; }
  Engine& engine() { return *engine_; }
  const Decision& last() const { return last_; }
  bool has(std::string_view condition) const;
  std::string reason(std::string_view condition) const;  // "" if it is not True
  std::string message(std::string_view condition) const;
  std::string condition_types() const;  // "Suspended,FailureTarget", True or not
  int64_t metric(Metric metric, std::string_view a, std::string_view b = "") const;
  bool has_event(std::string_view reason) const;
  int count_events(std::string_view reason) const;
  std::optional<Duration> wakes_in() const;

  struct Writes {
    int creates = 0;
    int create_calls = 0;
    int deletes = 0;
    int releases = 0;
    int drops = 0;
    int statuses = 0;
    int rounds = 0;
    int most_at_once = 0;
  };
  Writes writes;
  std::vector<Event> events;
  std::vector<PodPlan> plans;  // of every pod created

  // Faults: asked before each write; an error refuses it. With `applied` set before returning
  // `unknown` the write happens and only its answer is lost.
  struct WriteFault {
    std::optional<WriteError> error;
    bool applied = false;
    bool forgotten = false;  // a status: answered with success, and with the one from before
    bool undone = false;     // a status: stored, and then replaced by the one from before
  };
  std::function<WriteFault(const StatusWrite&)> on_status;
  std::function<WriteFault(const CreatePod&)> on_create;
  std::function<WriteFault(const PodWrite&)> on_pod_write;
  bool drops_records = false;  // the server keeps no annotation of the Job
  // Off for tests that make the two differ on purpose.
  bool check_oracle = true;
  // What happened, one line each, for the reader of a failure.
  std::vector<std::string> trace;
  // What was found wrong; a test that ends with anything here fails.
  std::vector<std::string> broken;

  static constexpr int kMaxSteps = 20'000;

 private:
  void write_status(const StatusWrite& write);
  void create_pod(const CreatePod& create);
  void write_pod(const PodWrite& write);
  void apply(PodView& pod, PodOp op);
  bool remove_if_done(const std::string& name);  // after a deletion or a released finalizer
  void tell_job();
  void list_pods();
  void check_state();
  void report(const std::vector<std::string>& what);
  uint64_t next_rv() { return ++revision_; }

  JobView job_;
  Options options_;
  Pods pods_;
  JobView told_job_;  // as the engine was last told
  // A status whose answer was lost: until the Job is seen again the engine cannot know of it.
  std::optional<StatusWrite> doubtful_;
  std::set<std::string> untold_;  // pods whose creation was not answered, and that it has not seen
  std::optional<Engine> engine_;
  bool remembers_ = false;  // the engine saw an outcome that the store no longer shows
  Decision last_;
  uint64_t revision_ = 100;
  int serial_ = 0;
  std::map<std::string, int64_t> metrics_;
};

}  // namespace windlass::engine::testing
